//! NumPy and polars, in a Python process that generates the same data and times calls on request, so that its
//! trials alternate with ours.

use std::{
    cell::RefCell,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    rc::Rc,
};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{answer::Answer, contender::Contender, operator::Operator};
use crate::{Outcome, datum::Datum};

const SCRIPT: &str = include_str!("../../peers/python.py");

/// The libraries that the script knows.
const LIBRARIES: [&str; 2] = ["NumPy", "polars"];

/// The process.
pub(super) struct Python {
    pipes: Rc<RefCell<Pipes>>,
    libraries: Vec<(&'static str, String)>,
}

struct Pipes {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
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
        let mut python = Command::new(interpreter);
        python.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = python.spawn().map_err(|cause| format!("{interpreter} does not start: {cause}"))?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("Python has no output")?);
        let mut pipes = Pipes { child, input, output };
        let Ok(versions) = pipes.answer::<Value>() else {
            let status = pipes.child.wait()?;
            return Err(format!("{interpreter} has no NumPy ({status}): pip install numpy").into());
        };
        let found = LIBRARIES.map(|name| (name, versions[name].as_str().map(str::to_owned)));
        let missing = found.iter().filter(|(_, version)| version.is_none());
        let missing = missing.map(|(name, _)| format!("{name}: {interpreter} has none: pip install {name}"));
        let missing = missing.collect();
        let libraries = found.into_iter().filter_map(|(name, version)| Some((name, version?))).collect();
        Ok((Self { pipes: Rc::new(RefCell::new(pipes)), libraries }, missing))
    }

    /// Makes the process generate `n` elements of `T`, in place of its earlier data.
    pub(super) fn hold<T: Datum>(&self, n: usize) -> Outcome<()> {
        self.pipes.borrow_mut().ask::<Value>(&json!({ "type": T::NAME, "n": n })).map(drop)
    }

    /// `operator` by each library, on the process's data.
    pub(super) fn contenders(&self, operator: Operator) -> Outcome<Vec<Contender<'static>>> {
        let contenders = self.libraries.iter().map(|(who, version)| {
            let (pipes, who) = (Rc::clone(&self.pipes), *who);
            let calls = move |reps: usize| {
                let asked = json!({ "who": who, "op": operator.name(), "reps": reps });
                pipes.borrow_mut().ask::<Timed>(&asked)
            };
            let answer = Answer::parse(&calls(1)?.answer, operator)?;
            let trial = Box::new(move |reps| Ok(calls(reps)?.microseconds));
            Ok(Contender { name: format!("{who} {version}"), threads: 1, answer, trial })
        });
        contenders.collect()
    }
}

impl Pipes {
    fn ask<T: for<'de> Deserialize<'de>>(&mut self, question: &Value) -> Outcome<T> {
        let input = self.input.as_mut().ok_or("Python has no input")?;
        writeln!(input, "{question}")?;
        input.flush()?;
        self.answer()
    }

    fn answer<T: for<'de> Deserialize<'de>>(&mut self) -> Outcome<T> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)?;
        match answer["failed"].as_str() {
            Some(reason) => Err(format!("Python failed: {reason}").into()),
            None => Ok(serde_json::from_value(answer)?),
        }
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        // The script ends with its input.
        self.input = None;
        // How it ended does not matter.
        let _ = self.child.wait();
    }
}
