//! Files that change while they are read: an error, not the statistics of what no file held.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::npy_bytes::file;
use crate::program::{Ran, TestFile, binary};

/// Whether the program has the file open.
fn reads(program: &Child, path: &Path) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{}/fd", program.id())) else { return false };
    open.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|file| file == path))
}

/// Runs the program over a file that changes after it was opened.
#[track_caller]
fn over_changing(test: &TestFile, args: &[&str], change: impl FnOnce(&File)) -> Ran {
    let path = fs::canonicalize(test.path()).expect("a file");
    let opened = OpenOptions::new().write(true).open(&path).expect("a file that may be written");
    let command =
        Command::new(binary()).arg(&path).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut program = command.expect("the program starts");
    while !reads(&program, &path) {
        assert!(program.try_wait().expect("its state").is_none(), "it ended without opening the file");
    }
    change(&opened);
    let output = program.wait_with_output().expect("what it said");
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

const CHANGED: [&str; 1] = ["it changed while it was read"];

/// The bytes of a file whose elements take a while to read, most of which are a hole in it.
const LONG: u64 = 256 << 20;

fn array() -> TestFile {
    let test = TestFile::new(&file("<f4", &format!("({},)", (LONG - 128) / 4), &[]), "npy");
    OpenOptions::new()
        .write(true)
        .open(test.path())
        .and_then(|file| file.set_len(LONG))
        .expect("a longer file");
    test
}

#[test]
fn an_array_that_shrinks_is_an_error() {
    for args in [&[][..], &["--median"], &["--axis", "0"]] {
        over_changing(&array(), args, |file| file.set_len(1000).expect("a shorter file"))
            .refused(2, &CHANGED);
    }
}

#[test]
fn an_array_that_is_written_or_grows_is_an_error() {
    let test = array();
    over_changing(&test, &[], |file| file.write_all_at(&[1], LONG - 1).expect("a byte")).refused(2, &CHANGED);
    over_changing(&test, &[], |file| file.set_len(LONG + 1).expect("a longer file")).refused(2, &CHANGED);
}

#[test]
fn a_table_in_text_that_changes_is_an_error() {
    let text = |rows: usize| TestFile::new(["x,k\n", &"1.5,a\n".repeat(rows)].concat().as_bytes(), "csv");
    for args in [&["--column", "x"][..], &["--column", "x", "--by", "k"]] {
        let test = text(1 << 20);
        over_changing(&test, args, |file| file.set_len(1000).expect("a shorter file")).refused(2, &CHANGED);
        let test = text(1 << 20);
        let grow = |_: &File| {
            let end = OpenOptions::new().append(true).open(test.path());
            end.and_then(|mut end| end.write_all(b"2.5,b\n")).expect("another row");
        };
        over_changing(&test, args, grow).refused(2, &CHANGED);
    }
}

#[cfg(feature = "arrow")]
#[test]
fn a_table_of_arrow_that_changes_is_an_error() {
    use arrow_array::Float64Array;

    use crate::arrow_files::{batch, files};

    let one = batch(&[("x", std::sync::Arc::new(Float64Array::from(vec![1.5; 1 << 16])))]);
    for (extension, bytes) in files(&vec![one; 100]) {
        if extension == "parquet" {
            // Its pages repeat one value: there is nothing to read.
            continue;
        }
        let test = TestFile::new(&bytes, extension);
        let written = |file: &File| file.write_all_at(&[1], bytes.len() as u64 / 2).expect("a byte");
        over_changing(&test, &[], written).refused(2, &CHANGED);
        let shorter = |file: &File| file.set_len(1000).expect("a shorter file");
        over_changing(&test, &[], shorter).refused(2, &CHANGED);
    }
}
