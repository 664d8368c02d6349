//! NumPy and polars, in a Python process that generates the same data and times calls on request, so that its
//! trials alternate with ours.

use std::{cell::RefCell, collections::HashMap, process::Command, rc::Rc};

use serde::Deserialize;
use serde_json::{Value, json};

use super::contest::Calls;
use crate::{Outcome, datum::Datum, outsider::Outsider};

const SCRIPT: &str = include_str!("../../peers/python.py");

/// The libraries that the script knows.
const LIBRARIES: [&str; 2] = ["NumPy", "polars"];

/// The seconds within which the script must reply: generating the data takes longest.
const PATIENCE: f64 = 600.0;

/// The process.
pub(super) struct Python {
    process: Rc<RefCell<Outsider>>,
    libraries: Vec<(&'static str, String)>,
}

/// Makes a result of what Python prints.
pub(super) type Parse<R> = fn(&str) -> Option<R>;

/// The result and time of some calls.
#[derive(Deserialize)]
struct Timed {
    answer: String,
    microseconds: f64,
}

impl Python {
    /// Starts `interpreter`, and returns the process and what it lacks.
    ///
    /// # Errors
    /// It does not start, or it has no NumPy.
    pub(super) fn start(interpreter: &str) -> Outcome<(Self, Vec<String>)> {
        let started = Outsider::start(interpreter, Command::new(interpreter).args(["-c", SCRIPT]));
        let (process, mut versions): (_, HashMap<String, Option<String>>) =
            started.map_err(|cause| format!("{cause}; it needs NumPy: pip install numpy"))?;
        let (mut libraries, mut missing) = (Vec::new(), Vec::new());
        for name in LIBRARIES {
            match versions.remove(name).flatten() {
                Some(version) => libraries.push((name, version)),
                None => missing.push(format!("{name}: {interpreter} has none: pip install {name}")),
            }
        }
        Ok((Self { process: Rc::new(RefCell::new(process)), libraries }, missing))
    }

    /// Each library's name, its result of the operator `op` over `n` generated elements of `T`, and its calls.
    pub(super) fn calls<T: Datum>(
        &self,
        op: &'static str,
        n: usize,
    ) -> impl Iterator<Item = (String, Outcome<String>, Calls<'static>)> {
        let held = self.process.borrow_mut().ask::<Value>(&json!({ "type": T::NAME, "n": n }), PATIENCE);
        let mut held = held.map(drop);
        self.libraries.iter().map(move |(who, version)| {
            let (process, who) = (Rc::clone(&self.process), *who);
            let calls = move |reps: u32| {
                let asked = json!({ "who": who, "op": op, "reps": reps });
                process.borrow_mut().ask::<Timed>(&asked, PATIENCE)
            };
            let answer = std::mem::replace(&mut held, Ok(())).and_then(|()| Ok(calls(1)?.answer));
            (
                format!("{who} {version}"),
                answer,
                Box::new(move |reps| Ok(calls(reps)?.microseconds)) as Calls<'_>,
            )
        })
    }
}
