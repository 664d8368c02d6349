//! NumPy's sum, timed by a Python process on the same data, one trial whenever it is asked for one, so that
//! its trials stand between ours.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde::Deserialize;

use crate::Outcome;

const SCRIPT: &str = include_str!("../../peers/numpy_sum.py");

/// A Python process that holds the data.
pub(super) struct NumPy {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// What it said of itself.
    pub ready: Ready,
}

/// The first line of the process.
#[derive(Deserialize)]
pub(super) struct Ready {
    /// NumPy's version.
    pub numpy: String,
    /// NumPy's sum of the data.
    pub sum: f64,
}

#[derive(Deserialize)]
struct Timed {
    microseconds: f64,
}

impl NumPy {
    /// Starts the process on `n` elements of [`Datum`](crate::datum::Datum) f32.
    ///
    /// # Errors
    /// There is no python3, or it has no NumPy.
    pub(super) fn start(n: usize) -> Outcome<Self> {
        let mut python = Command::new("python3");
        python.args(["-c", SCRIPT, &n.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = python.spawn().map_err(|cause| format!("python3 does not start: {cause}"))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("python3 has no output")?;
        let mut output = BufReader::new(output);
        match answer(&mut output) {
            Ok(ready) => Ok(Self { child, input, output, ready }),
            Err(_) => {
                let status = child.wait()?;
                Err(format!("python3 has no NumPy ({status}): pip install numpy").into())
            }
        }
    }

    /// Microseconds per call of `reps` calls one after another.
    pub(super) fn trial(&mut self, reps: usize) -> Outcome<f64> {
        let input = self.input.as_mut().ok_or("python3 has no input")?;
        writeln!(input, "{reps}")?;
        input.flush()?;
        Ok(answer::<Timed>(&mut self.output)?.microseconds)
    }
}

impl Drop for NumPy {
    fn drop(&mut self) {
        // The script ends with its input.
        self.input = None;
        // It has nothing more to say; how it ended no longer matters.
        let _ = self.child.wait();
    }
}

fn answer<T: for<'de> Deserialize<'de>>(output: &mut impl BufRead) -> Outcome<T> {
    let mut line = String::new();
    output.read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}
