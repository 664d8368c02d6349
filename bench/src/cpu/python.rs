//! NumPy and polars, in a Python process that generates the same data and times calls on request, so that its
//! trials alternate with ours.

use std::{cell::RefCell, collections::HashMap, process::Command, rc::Rc};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{answer::Answer, contest::Entrant, operator::Operator};
use crate::{Outcome, contest::Contender, datum::Datum, outsider::Outsider};

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

    /// Makes the process generate `n` elements of `T`, in place of its earlier data.
    pub(super) fn hold<T: Datum>(&self, n: usize) -> Outcome<()> {
        self.process.borrow_mut().ask::<Value>(&json!({ "type": T::NAME, "n": n }), PATIENCE).map(drop)
    }

    /// `operator` by each library, on the process's `n` elements.
    pub(super) fn entrants(&self, operator: Operator, n: usize) -> Outcome<Vec<Entrant<'static>>> {
        let entrants = self.libraries.iter().map(|(who, version)| {
            let (process, who) = (Rc::clone(&self.process), *who);
            let calls = move |reps: u32| {
                let asked = json!({ "who": who, "op": operator.name(), "reps": reps });
                process.borrow_mut().ask::<Timed>(&asked, PATIENCE)
            };
            let answer = Answer::parse(&calls(1)?.answer, operator)?;
            let trial = Box::new(move |reps| Ok(calls(reps)?.microseconds));
            Ok((answer, Contender::new(format!("{who} {version}"), 1, super::contest::calls(n), trial)))
        });
        entrants.collect()
    }
}
