//! The program's output, files and exit codes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The output of a run.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Runs in the target folder, where it may write pictures, and sums few floats.
fn run(args: &[&str]) -> Ran {
    let test = env::current_exe().expect("the path of this test");
    let profile = test.ancestors().nth(2).expect("a test lies in target/PROFILE/deps");
    let binary = profile.join("examples").join(format!("ladder{}", env::consts::EXE_SUFFIX));
    assert!(
        binary.exists(),
        "{} is not built: `cargo test -p warpfold-examples` builds it",
        binary.display()
    );
    let mut program = Command::new(binary);
    program.args(["--backend", "emulator", "--floats", "100000"]).args(args).current_dir(folder());
    let output = program.output().expect("the program starts");
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn file(name: &str) -> PathBuf {
    folder().join(format!("ladder-{}-{name}", std::process::id()))
}

#[test]
fn every_rung_is_in_the_table() {
    let picture = file("table.svg");
    let ran = run(&["--size", "10007", "--chart", picture.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for label in ["1", "2", "3", "9", "12a", "12b", "13", "14a", "14b", "15", "16"] {
        let is_row =
            |line: &str| line.split_whitespace().next() == Some(label) && line.ends_with(char::is_numeric);
        assert!(ran.out.lines().any(is_row), "no rung {label} in:\n{}", ran.out);
    }
    for words in
        ["elements 10007 of i32", "--backend emulator", "one f32, left to right", "transpose padded", "drawn"]
    {
        assert!(ran.out.contains(words), "no {words:?} in:\n{}", ran.out);
    }
    let drawn = fs::read_to_string(&picture).expect("a picture");
    assert!(
        drawn.starts_with("<svg") && drawn.contains("bank replays"),
        "{}",
        &drawn[..drawn.len().min(200)]
    );
    fs::remove_file(picture).expect("the picture goes");
}

#[test]
fn counts_tell_the_story() {
    let picture = file("story.png");
    let ran = run(&["--chart", picture.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // The cells of a line, which are at least two blanks apart.
    let cells = |line: &str| -> Vec<String> {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    let number = |first: &str, heading: &str, head_of: &str| -> f64 {
        let find = |first: &str| {
            ran.out.lines().map(cells).find(|cells| cells.first().is_some_and(|cell| cell == first))
        };
        let (head, row) = (find(head_of).expect("a table"), find(first).expect("a row"));
        let at = head.iter().rev().position(|cell| cell == heading).expect("a column");
        let cell = &row[row.len() - 1 - at];
        cell.trim_end_matches(" %").parse().expect("a number")
    };
    let rung = |label: &str, heading: &str| number(label, heading, "rung");
    assert!(rung("4", "replays") > 10_000.0);
    assert_eq!(rung("5", "replays"), 0.0);
    assert!((rung("6", "each") / rung("5", "each") - 2.0).abs() < 0.1);
    assert!(rung("3", "lanes") < 10.0 && rung("4", "lanes") > 20.0);
    assert_eq!(rung("1", "atomics"), 65_533.0);
    let scan = |name: &str, heading: &str| number(name, heading, "prefix sums in a block");
    assert!(scan("blelloch", "replays") > 100.0);
    assert_eq!(scan("blelloch padded", "replays"), 0.0);
    assert!(scan("hillis steele", "words") > 2.0 * scan("blelloch", "words"));
    assert!(fs::read(&picture).expect("a picture").starts_with(b"\x89PNG"));
    fs::remove_file(picture).expect("the file goes");
}

#[test]
fn nothing_has_a_sum_too() {
    let picture = file("nothing.svg");
    let ran = run(&["--size", "0", "--chart", picture.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("elements 0 of i32"), "{}", ran.out);
    fs::remove_file(picture).expect("the picture goes");
}

#[test]
fn checking_says_that_all_is_right() {
    let ran = run(&["--check"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("every rung is right"), "{}", ran.out);
}

#[test]
fn bad_usage_is_refused() {
    for (args, words) in [
        (&["--size", "2^40"][..], "2^32"),
        (&["--size", "1,2"], "one size"),
        (&["--size", "2^30"], "under the emulator"),
        (&["--chart", "picture.gif", "--size", "1"], ".svg"),
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
    }
}
