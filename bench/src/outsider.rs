//! Peers that are separate programs: they generate the same data in their process, and measure on request. For
//! each contest one line of JSON is sent to the program, and one is returned.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::Outcome;

/// A contest for the program to run. The data is elements 0 to `buffer` - 1 of [`Datum`](crate::datum::Datum)
/// on its device; slice `slot` of `n` elements begins at element `slot * n`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Request {
    pub op: &'static str,
    pub element: &'static str,
    pub n: usize,
    pub buffer: usize,
    pub slots: usize,
    pub trials: usize,
    /// Calls of a trial by stream launches.
    pub stream: usize,
    /// Calls in a graph.
    pub graph: usize,
    /// Calls of a trial end to end.
    pub end_to_end: usize,
    /// The time limit in seconds.
    pub seconds: f64,
}

/// A program's description of itself when it is ready.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub(crate) struct Hello {
    /// Its contenders with their versions, such as `PyTorch 2.11.0`.
    pub peers: Vec<String>,
    /// What it lacks, with the reasons.
    #[serde(default)]
    pub missing: Vec<Missing>,
}

/// The reply to a [`Request`].
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct Reply {
    pub results: Vec<Measured>,
    #[serde(default)]
    pub missing: Vec<Missing>,
}

/// A contender that is missing.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct Missing {
    pub peer: String,
    pub reason: String,
}

/// One contender's results and times, in microseconds per call, one for each trial; end to end one for each
/// call.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct Measured {
    pub peer: String,
    pub answers: Vec<Answer>,
    pub stream: Vec<f64>,
    #[serde(default)]
    pub graph: Vec<f64>,
    /// Why there is no graph.
    pub no_graph: Option<String>,
    #[serde(default)]
    pub end_to_end: Vec<f64>,
}

/// A contender's result for a slice.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct Answer {
    pub slot: usize,
    /// 16 bytes in hexadecimal digits, in the layout of peers/cub.cu: the value at 0, an index at 8.
    pub bytes: String,
}

impl Answer {
    /// The bytes.
    pub(crate) fn result(&self) -> Outcome<[u8; 16]> {
        let wrong = || format!("{:?} is no result of 16 bytes", self.bytes);
        let digits = self.bytes.as_bytes();
        let mut result = [0; 16];
        if digits.len() != 32 {
            return Err(wrong().into());
        }
        for (byte, digits) in result.iter_mut().zip(digits.chunks_exact(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| wrong())?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
        }
        Ok(result)
    }
}

/// A running program, killed on drop.
pub(crate) struct Outsider {
    name: String,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// Its description of itself.
    pub hello: Hello,
}

/// The time limit until a program is ready: importing PyTorch from a cold disk takes half a minute.
const STARTS_WITHIN: Duration = Duration::from_secs(150);

impl Outsider {
    /// Starts `command`, called `name` in errors, and waits until it is ready.
    ///
    /// # Errors
    /// It does not start, ends, or sends something else.
    pub(crate) fn start(name: &str, command: &mut Command) -> Outcome<Self> {
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
        let mut outsider = Self { name: name.to_owned(), child, input, lines, hello: Hello::default() };
        outsider.hello = outsider.line(STARTS_WITHIN)?;
        Ok(outsider)
    }

    /// Runs a contest in the program.
    ///
    /// # Errors
    /// It has ended, takes too long, or sends no valid reply. It cannot be used again after that.
    pub(crate) fn ask(&mut self, request: &Request) -> Outcome<Reply> {
        let line = serde_json::to_string(request)? + "\n";
        let sent = self.input.write_all(line.as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|cause| format!("{} cannot be asked: {cause}", self.name))?;
        // It limits its time itself; this is for one that hangs. The time includes generating the data.
        self.line(Duration::from_secs_f64(request.seconds) + Duration::from_secs(60))
    }

    /// Reads the next line that is JSON; libraries may print other lines.
    fn line<T: DeserializeOwned>(&mut self, within: Duration) -> Outcome<T> {
        let deadline = Instant::now() + within;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.starts_with('{') => {
                    let parsed = serde_json::from_str(&line);
                    return Ok(parsed.map_err(|cause| format!("{} says {line:?}: {cause}", self.name))?);
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

    fn request() -> Request {
        Request {
            op: "sum",
            element: "f32",
            n: 1024,
            buffer: 4096,
            slots: 4,
            trials: 3,
            stream: 2,
            graph: 2,
            end_to_end: 1,
            seconds: 5.0,
        }
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_says_what_it_is_and_answers_line_by_line() {
        let script = r#"echo "some library's banner"
            echo '{"peers": ["PyTorch 2.11.0"], "missing": [{"peer": "CuPy", "reason": "No module"}]}'
            while read -r line; do
                case $line in *'"n":1024'*) ;; *) exit 9 ;; esac
                echo '{"results": [{"peer": "PyTorch", "stream": [1.5, 2.5], "no_graph": "x",
                    "answers": [{"slot": 3, "bytes": "0000803f000000000000000000000000"}]}]}' | tr -d '\n'
                echo
            done"#;
        let mut outsider = Outsider::start("torch", &mut shell(script)).unwrap();
        assert_eq!(outsider.hello.peers, ["PyTorch 2.11.0"]);
        assert_eq!(outsider.hello.missing[0].peer, "CuPy");
        for _ in 0..2 {
            let reply = outsider.ask(&request()).unwrap();
            let [measured] = reply.results.as_slice() else { panic!("{reply:?}") };
            assert_eq!((measured.stream.as_slice(), measured.graph.len()), (&[1.5, 2.5][..], 0));
            assert_eq!(measured.answers[0].slot, 3);
            assert_eq!(measured.answers[0].result().unwrap()[..4], 1_f32.to_le_bytes());
        }
        assert!(outsider.ask(&Request { n: 2048, ..request() }).is_err());
    }

    #[test]
    fn a_program_that_is_missing_ends_or_hangs_is_an_error_that_says_so() {
        let error = |command: &mut Command| Outsider::start("peer", command).err().unwrap().to_string();
        assert!(error(&mut Command::new("/no/such/program")).starts_with("peer does not start: "));
        assert!(error(&mut shell("exit 3")).contains("peer ended (exit status: 3)"));
        assert!(error(&mut shell("echo '{}'")).contains("missing field `peers`"));
        let mut outsider =
            Outsider::start("peer", &mut shell("echo '{\"peers\": []}'; exec sleep 100")).unwrap();
        let silence = outsider.line::<Reply>(Duration::from_millis(50)).unwrap_err().to_string();
        assert!(silence.starts_with("peer says nothing within"), "{silence}");
    }

    #[test]
    fn only_sixteen_bytes_in_hexadecimal_are_a_result() {
        let result = |bytes: &str| Answer { slot: 0, bytes: bytes.into() }.result();
        assert_eq!(result("000102030405060708090a0b0c0d0e0f").unwrap()[15], 15);
        assert!(result("00").is_err());
        assert!(result("zz0102030405060708090a0b0c0d0e0f").is_err());
        assert!(result("é0é0é0é0é0é0é0é0é0é0é000").is_err());
    }
}
