//! Files that change while they are read: an error, not the statistics of what no file held.

use std::fs::{self, File, OpenOptions};
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

/// Runs the program over a file that changes once it was opened.
fn over_changing(test: &TestFile, args: &[&str], change: impl FnOnce(&File)) -> Ran {
    let path = fs::canonicalize(test.path()).expect("a file");
    let opened = OpenOptions::new().write(true).open(&path).expect("a file that may be written");
    let command =
        Command::new(binary()).arg(&path).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut program = command.expect("the program starts");
    while !reads(&program, &path) && program.try_wait().expect("its state").is_none() {}
    change(&opened);
    let output = program.wait_with_output().expect("what it said");
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

/// Most runs until a change comes between the look at a file's length and its last byte: a busy machine may stop this process
/// until the program has ended, or change the file before the program has looked at it.
const TRIES: usize = 40;

/// Fails unless a change of the file is an error that contains `words` in one of some runs.
#[track_caller]
fn is_refused(file: impl Fn() -> TestFile, args: &[&str], words: &[&str], change: impl Fn(&File)) {
    for _ in 1..TRIES {
        let ran = over_changing(&file(), args, &change);
        if ran.code == Some(2) && words.iter().all(|word| ran.err.contains(word)) {
            return;
        }
    }
    over_changing(&file(), args, change).refused(2, words);
}

const CHANGED: [&str; 1] = ["it changed while it was read"];

/// An Arrow file that is cut before its index is read is damaged, which is an error too.
#[cfg(feature = "arrow")]
const SHORTER: [&str; 0] = [];

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
        is_refused(array, args, &CHANGED, |file| file.set_len(1000).expect("a shorter file"));
    }
}

#[test]
fn an_array_that_is_written_or_grows_is_an_error() {
    is_refused(array, &[], &CHANGED, |file| file.write_all_at(&[1], LONG - 1).expect("a byte"));
    is_refused(array, &[], &CHANGED, |file| file.set_len(LONG + 1).expect("a longer file"));
}

#[test]
fn a_table_in_text_that_changes_is_an_error() {
    let rows = ["x,k\n", &"1.5,a\n".repeat(1 << 20)].concat();
    let table = || TestFile::new(rows.as_bytes(), "csv");
    for args in [&["--column", "x"][..], &["--column", "x", "--by", "k"]] {
        is_refused(table, args, &CHANGED, |file| file.set_len(1000).expect("a shorter file"));
        is_refused(table, args, &CHANGED, |file| {
            file.write_all_at(b"2.5,b\n", rows.len() as u64).expect("another row");
        });
    }
}

#[cfg(feature = "arrow")]
#[test]
fn a_table_of_arrow_that_changes_is_an_error() {
    use arrow_array::Float64Array;

    use crate::arrow::{batch, files};

    let one = batch(&[("x", std::sync::Arc::new(Float64Array::from(vec![1.5; 1 << 16])))]);
    for (extension, bytes) in files(&vec![one; 100]) {
        if extension == "parquet" {
            // Its pages repeat one value: there is nothing to read.
            continue;
        }
        let table = || TestFile::new(&bytes, extension);
        is_refused(table, &[], &CHANGED, |file| {
            file.write_all_at(&[1], bytes.len() as u64 / 2).expect("a byte")
        });
        is_refused(table, &[], &SHORTER, |file| file.set_len(1000).expect("a shorter file"));
    }
}
