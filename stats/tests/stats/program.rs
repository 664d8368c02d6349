//! The program and its output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The output of a run.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Requires exit code `code`, an empty standard output and an error that contains all of `words`.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "exit code; standard error: {}", self.err);
        assert_eq!(self.out, "", "standard output of a refusal");
        assert!(self.err.starts_with("error: "), "not an error message: {}", self.err);
        for word in words {
            assert!(self.err.contains(word), "no {word:?} in: {}", self.err);
        }
    }

    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        assert_eq!(self.code, Some(0), "exit code; standard error: {}", self.err);
        &self.out
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.text()).expect("JSON on standard output")
    }
}

/// The program as cargo built it for this test.
pub(crate) fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_stats")
}

pub(crate) fn run(args: &[&str]) -> Ran {
    let output = Command::new(binary()).args(args).output().expect("the program starts");
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

/// Runs the program with these bytes on standard input, and a folder for temporary files that must be empty again.
#[track_caller]
pub(crate) fn run_piped(bytes: &[u8], args: &[&str]) -> Ran {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("spool-{}-{number}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let mut program = Command::new(binary());
    program
        .args(args)
        .env("TMPDIR", &folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut program = program.spawn().expect("the program starts");
    let mut input = program.stdin.take().expect("its standard input");
    let bytes = bytes.to_vec();
    // A program that refuses its arguments does not read.
    let writer = std::thread::spawn(move || drop(std::io::Write::write_all(&mut input, &bytes)));
    let output = program.wait_with_output().expect("what it said");
    writer.join().expect("the writer");
    fs::remove_dir(&folder).expect("nothing is left in it");
    let ran = Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    };
    assert!(
        !ran.out.contains("spool-") && !ran.err.contains("spool-"),
        "the copy is named: {} {}",
        ran.out,
        ran.err
    );
    ran
}

/// Runs the program, and kills it after `limit`.
#[track_caller]
pub(crate) fn run_in(limit: Duration, args: &[&str]) -> Ran {
    let program = Command::new(binary()).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let (mut program, start) = (program.expect("the program starts"), Instant::now());
    while program.try_wait().expect("the program's state").is_none() {
        if start.elapsed() > limit {
            program.kill().expect("an end");
            panic!("{args:?} takes longer than {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = program.wait_with_output().expect("what it said");
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

/// A file that is removed at the end of the test.
pub(crate) struct TestFile(PathBuf);

impl TestFile {
    pub(crate) fn new(bytes: &[u8], extension: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("stats-{}-{number}.{extension}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, bytes).expect("a file in the target folder");
        Self(path)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().expect("a path in UTF-8")
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Runs over a .npy file with these bytes.
pub(crate) fn over(bytes: &[u8], args: &[&str]) -> Ran {
    over_a("npy", bytes, args)
}

/// Runs over a file with these bytes and this extension.
pub(crate) fn over_a(extension: &str, bytes: &[u8], args: &[&str]) -> Ran {
    let file = TestFile::new(bytes, extension);
    run(&[&[file.path()], args].concat())
}

/// The JSON for a .npy file with these bytes.
#[track_caller]
pub(crate) fn json(bytes: &[u8]) -> Value {
    over(bytes, &["--json"]).json()
}
