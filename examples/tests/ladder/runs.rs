//! The program's output, files and exit codes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

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
fn json_tells_the_story() {
    let (record, picture) = (file("record.json"), file("story.png"));
    let (to, chart) = (record.to_str().expect("UTF-8"), picture.to_str().expect("UTF-8"));
    let ran = run(&["--json", to, "--chart", chart]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let json: Value = serde_json::from_str(&fs::read_to_string(&record).expect("a file")).expect("JSON");
    assert_eq!((&json["schema"], &json["measured"]), (&Value::from(1), &Value::Null));
    let rungs = json["emulated"]["rungs"].as_array().expect("rungs");
    let number = |label: &str, field: &str| {
        let rung = rungs.iter().find(|rung| rung["label"] == label).expect("a rung");
        rung[field].as_f64().expect("a number")
    };
    assert!(number("4", "bank_replays") > 10_000.0);
    assert_eq!(number("5", "bank_replays"), 0.0);
    assert_eq!(number("6", "elements_per_thread"), 2.0 * number("5", "elements_per_thread"));
    assert!(number("3", "active_lanes") < 10.0 && number("4", "active_lanes") > 20.0);
    assert_eq!(number("1", "atomics"), json["emulated"]["n"].as_f64().expect("a number"));
    let scans = json["emulated"]["scans"].as_array().expect("scans");
    let scan = |name: &str, field: &str| {
        let scan = scans.iter().find(|scan| scan["name"] == name).expect("a scan");
        scan[field].as_u64().expect("a number")
    };
    assert!(scan("scan_blelloch", "bank_replays") > 100);
    assert_eq!(scan("scan_blelloch_padded", "bank_replays"), 0);
    assert!(scan("scan_hillis_steele", "words") > 2 * scan("scan_blelloch", "words"));
    assert_eq!(json["accuracy"].as_array().map(Vec::len), Some(8));
    assert!(fs::read(&picture).expect("a picture").starts_with(b"\x89PNG"));
    for file in [record, picture] {
        fs::remove_file(file).expect("the file goes");
    }
}

#[test]
fn json_alone_goes_to_standard_output() {
    let picture = file("alone.svg");
    let ran = run(&["--size", "0", "--json", "-", "--chart", picture.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let json: Value = serde_json::from_str(&ran.out).expect("nothing but JSON");
    assert_eq!(json["emulated"]["n"], 0);
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
