//! Little memory: an error and exit code 1, never the end by a signal.

use std::fs::{self, OpenOptions};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::npy_bytes::{file, little, vector};
use crate::program::{TestFile, binary, run_in};

/// Runs with these KiB of address space, and requires a result or an error.
#[track_caller]
fn ends_within(kib: u64, test: &TestFile, args: &[&str]) -> Option<i32> {
    let ran = Command::new("sh")
        .args(["-c", &format!("ulimit -v {kib} && exec \"$0\" \"$@\"")])
        .arg(binary())
        .args([test.path(), "--json", "--threads", "2"])
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&ran.stderr);
    let code = ran.status.code();
    assert!(matches!(code, Some(0..=2)), "{kib} KiB, {args:?}: {} {said}", ran.status);
    assert!(code == Some(0) || said.starts_with("error: "), "{kib} KiB, {args:?}: {said}");
    assert!(
        code != Some(1) || said.contains("memory") || said.contains("thread"),
        "{kib} KiB, {args:?}: {said}"
    );
    code
}

/// KiB of address space for the program itself, which grows with its features, and for less than an array of 96 MiB.
fn less_than_an_array() -> u64 {
    (64 << 10) + (fs::metadata(binary()).expect("the program").len() >> 10)
}

/// Tries little memory, and enough.
#[track_caller]
fn ends(test: &TestFile, args: &[&str]) {
    let codes = [48, 64, 96, 1024].map(|mib| ends_within(mib << 10, test, args));
    assert!(codes.contains(&Some(1)), "{args:?}: {codes:?}");
    assert_eq!(codes.last(), Some(&Some(0)), "{args:?}: {codes:?}");
}

#[test]
fn rows_and_groups_beyond_memory_are_an_error() {
    let rows = TestFile::new(["x\n", &"7\n".repeat(5 << 20)].concat().as_bytes(), "csv");
    ends(&rows, &[]);
    let keys: String = (0..100_000).map(|i| format!("key{i},{}\n", i % 10)).collect();
    ends(&TestFile::new(["k,x\n", &keys].concat().as_bytes(), "csv"), &["--column", "x", "--by", "k"]);
}

#[test]
fn an_array_beyond_memory_is_read_in_portions() {
    let test = TestFile::new(&vector(&vec![1.5_f32; 24 << 20]), "npy");
    assert_eq!(ends_within(less_than_an_array(), &test, &[]), Some(0));
    assert_eq!(ends_within(less_than_an_array(), &test, &["--median"]), Some(1));
    assert_eq!(ends_within(less_than_an_array(), &test, &["--axis", "0"]), Some(0));
    let narrow = TestFile::new(&file("|i1", &format!("({},)", 24 << 20), &vec![7; 24 << 20]), "npy");
    assert_eq!(ends_within(less_than_an_array(), &narrow, &[]), Some(0));
}

#[test]
fn rows_of_an_array_beyond_memory_are_read_in_portions() {
    let elements = little(&vec![1.5_f32; 24 << 20]);
    for (shape, axis) in [
        ("(1048576, 24)", "0"),
        ("(24, 1048576)", "1"),
        ("(24, 1048576)", "-1"),
        ("(4096, 6144)", "0"),
        ("(2, 3, 4194304)", "2"),
        ("(2, 524288, 24)", "1"),
        ("(24, 1024, 1024)", "1,2"),
        ("(1024, 1024, 24)", "0,1"),
    ] {
        let test = TestFile::new(&file("<f4", shape, &elements), "npy");
        assert_eq!(
            ends_within(less_than_an_array(), &test, &["--axis", axis]),
            Some(0),
            "{shape} along {axis}"
        );
    }
    // A row takes from everywhere.
    let test = TestFile::new(&file("<f4", "(256, 1024, 96)", &elements), "npy");
    assert_eq!(ends_within(less_than_an_array(), &test, &["--axis", "0,2"]), Some(1));
}

/// Linux promises memory that other programs use, and kills one of them once it is used.
#[test]
fn an_array_beyond_the_memory_that_is_free_is_an_error() {
    let said = fs::read_to_string("/proc/meminfo").expect("Linux");
    let kib = |name: &str| -> u64 {
        let found = said.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
        found.trim().trim_end_matches("kB").trim().parse().expect("a number")
    };
    let (total, free) = (kib("MemTotal:"), kib("MemAvailable:"));
    let bytes = (total - (total - free) / 2 + kib("SwapFree:")) << 10;
    let test = TestFile::new(&file("<f4", &format!("({},)", bytes / 4), &[]), "npy");
    let opened = OpenOptions::new().write(true).open(test.path());
    opened.and_then(|file| file.set_len(128 + bytes)).expect("a file with a hole");
    let ran = run_in(Duration::from_secs(30), &[test.path(), "--median"]);
    ran.refused(1, &["no memory for", "quantiles"]);
}

#[test]
fn a_line_and_a_cell_of_gigabytes_are_an_error() {
    for (head, column) in [("x\n1\n", "x"), ("x,k\n1,2\n3,\"", "x"), ("x,", "x")] {
        let test = TestFile::new(head.as_bytes(), "csv");
        let file = OpenOptions::new().write(true).open(test.path());
        file.and_then(|file| file.set_len(3 << 30)).expect("a file with a hole");
        for mib in [64, 512] {
            let code = ends_within(mib << 10, &test, &["--column", column]);
            assert!(matches!(code, Some(1 | 2)), "{head:?} in {mib} MiB: {code:?}");
        }
    }
}

#[cfg(feature = "arrow")]
#[test]
fn columns_of_other_formats_beyond_memory_are_an_error() {
    use std::sync::Arc;

    use arrow_array::{Float64Array, StringArray};

    use crate::arrow::{batch, files};

    let numbers = (0..2 << 20).map(|i| f64::from(i % 1000) + f64::from(i) * 1e-9);
    let numbers = batch(&[("x", Arc::new(Float64Array::from_iter_values(numbers)))]);
    for (extension, bytes) in files(&[numbers.clone(), numbers]) {
        ends(&TestFile::new(&bytes, extension), &[]);
    }
    let keys = StringArray::from_iter_values((0..100_000).map(|i| format!("key{i}")));
    let values = Float64Array::from_iter_values((0..100_000).map(|i| f64::from(i % 10)));
    for (extension, bytes) in files(&[batch(&[("k", Arc::new(keys)), ("x", Arc::new(values))])]) {
        ends(&TestFile::new(&bytes, extension), &["--column", "x", "--by", "k"]);
    }
}
