//! Peers that are separate programs: they generate the same data in their process, and measure on request. A line of
//! JSON is sent to the program, and one is returned.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::Outcome;

/// A running program, killed on drop.
pub(crate) struct Outsider {
    name: String,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// The time limit until a program is ready: importing PyTorch from a cold disk takes half a minute.
const STARTS_WITHIN: Duration = Duration::from_secs(150);

impl Outsider {
    /// Starts `command`, called `name` in errors, and waits until it describes itself.
    ///
    /// # Errors
    /// It does not start, ends, or sends something else.
    pub(crate) fn start<H: DeserializeOwned>(name: &str, command: &mut Command) -> Outcome<(Self, H)> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|cause| format!("{name} does not start: {cause}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{name} has no pipes").into());
        };
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut outsider = Self { name: name.to_owned(), child, input, lines };
        let hello = outsider.line(STARTS_WITHIN)?;
        Ok((outsider, hello))
    }

    /// Sends a request, and waits for the reply for `seconds` seconds and a minute more. The program limits its time
    /// itself, but may hang.
    ///
    /// # Errors
    /// It has ended, takes too long, sends no valid reply, or says that it `failed`.
    pub(crate) fn ask<R: DeserializeOwned>(&mut self, request: &impl Serialize, seconds: f64) -> Outcome<R> {
        let line = serde_json::to_string(request)? + "\n";
        let sent = self.input.write_all(line.as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|cause| format!("{} cannot be asked: {cause}", self.name))?;
        self.line(Duration::from_secs_f64(seconds) + Duration::from_secs(60))
    }

    /// Reads the next line that is JSON; libraries may print other lines.
    fn line<T: DeserializeOwned>(&mut self, within: Duration) -> Outcome<T> {
        let deadline = Instant::now() + within;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.starts_with('{') => {
                    let said = |cause| format!("{} says {line:?}: {cause}", self.name);
                    let reply: Value = serde_json::from_str(&line).map_err(said)?;
                    if let Some(reason) = reply["failed"].as_str() {
                        return Err(format!("{} failed: {reason}", self.name).into());
                    }
                    return Ok(serde_json::from_value(reply).map_err(said)?);
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("{} says nothing within {} s", self.name, within.as_secs()).into());
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait()?;
                    return Err(format!("{} ended ({status})", self.name).into());
                }
            }
        }
    }
}

impl Drop for Outsider {
    fn drop(&mut self) {
        // Both fail only if the process has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn start(script: &str) -> Outcome<(Outsider, Value)> {
        Outsider::start("peer", Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn a_program_says_what_it_is_and_answers_line_by_line() {
        let script = r#"echo "some library's banner"; echo '{"peers": ["PyTorch 2.11.0"]}'
            while read -r line; do
                case $line in *1024*) echo '{"us": 1.5}' ;; *) echo '{"failed": "too long"}' ;; esac
            done"#;
        let (mut outsider, hello) = start(script).unwrap();
        assert_eq!(hello["peers"][0], "PyTorch 2.11.0");
        for _ in 0..2 {
            assert_eq!(outsider.ask::<Value>(&json!({ "n": 1024 }), 5.0).unwrap()["us"], 1.5);
        }
        let failed = outsider.ask::<Value>(&json!({ "n": 2048 }), 5.0).unwrap_err().to_string();
        assert_eq!(failed, "peer failed: too long");
    }

    #[test]
    fn a_program_that_is_missing_ends_or_hangs_is_an_error_that_says_so() {
        let missing = Outsider::start::<Value>("peer", &mut Command::new("/no/such/program"));
        assert!(missing.err().unwrap().to_string().starts_with("peer does not start: "));
        assert!(start("exit 3").err().unwrap().to_string().contains("peer ended (exit status: 3)"));
        assert!(start("echo '{'").err().unwrap().to_string().starts_with("peer says \"{\": "));
        let mut outsider = start("echo '{\"peers\": []}'; exec sleep 100").unwrap().0;
        let silence = outsider.line::<Value>(Duration::from_millis(50)).unwrap_err().to_string();
        assert!(silence.starts_with("peer says nothing within"), "{silence}");
    }
}
