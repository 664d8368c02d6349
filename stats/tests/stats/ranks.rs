//! `stats --mpi` on four processes prints the same as one process alone.

use std::process::Command;

use serde_json::Value;

use crate::expected::rough;
use crate::npy_bytes::{big_vector, file, vector};
use crate::program::{Ran, TestFile, binary, run};

fn mpirun(args: &[&str]) -> Ran {
    let output = Command::new("mpirun")
        .args(["--allow-run-as-root", "--oversubscribe", "-n", "4", binary(), "--mpi"])
        .args(args)
        .output()
        .expect("mpirun starts");
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

/// The report without the fields that depend on the backend and the time.
fn results(mut report: Value) -> Value {
    for of_the_run in ["backend", "seconds", "gb_per_s"] {
        report.as_object_mut().expect("an object").remove(of_the_run).expect("a field");
    }
    report
}

#[track_caller]
fn agrees(bytes: &[u8]) {
    let file = TestFile::new(bytes, "npy");
    let args = [file.path(), "--json", "--compare", "--sample", "--median", "--quantiles", "0.1,0.999"];
    let (alone, together) = (run(&args).json(), mpirun(&args).json());
    assert_eq!(together["backend"]["why"], "on each of 4 processes");
    assert_eq!(results(together), results(alone));
}

#[test]
fn floats_have_the_bits_of_one_process() {
    let x = rough(100_003);
    agrees(&vector(&x));
    let mut narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    agrees(&big_vector(&narrow));
    narrow[70_000] = f32::NAN;
    agrees(&vector(&narrow));
}

#[test]
fn integers_have_the_bits_of_one_process() {
    let x: Vec<i64> = (0..50_001_i64).map(|i| (i * 7919 % 10_007 - 5000) << 40).collect();
    agrees(&vector(&x));
    let narrow: Vec<u8> = x.iter().flat_map(|&x| ((x >> 40) as i16).to_le_bytes()).collect();
    agrees(&file("<i2", "(50001,)", &narrow));
}

#[test]
fn fewer_elements_than_processes() {
    agrees(&vector(&[3.0_f64, 1.0, 2.0]));
    agrees(&vector::<f32>(&[]));
}

#[test]
fn the_first_process_prints_the_text() {
    let file = TestFile::new(&vector(&rough(1000)), "npy");
    let (alone, together) = (run(&[file.path()]), mpirun(&[file.path()]));
    let without_backend = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("backend"));
        lines.map(|line| line.to_owned() + "\n").collect::<String>()
    };
    assert_eq!(without_backend(together.text()), without_backend(alone.text()));
    assert!(together.out.contains("on each of 4 processes"), "{}", together.out);
}

#[test]
fn tables_and_missing_files_are_refused() {
    let table = TestFile::new(b"a\n1\n2\n", "csv");
    for (path, why) in [(table.path(), "only .npy files are read in parts"), ("no-such.npy", "no-such.npy")] {
        let refused = mpirun(&[path]);
        assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""), "{}", refused.err);
        assert!(refused.err.contains(why), "{}", refused.err);
    }
}
