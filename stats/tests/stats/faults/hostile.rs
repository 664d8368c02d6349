//! Damaged Parquet and Arrow files: for any change of one byte, the program gives a result or an error, in
//! little memory.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::program::{TestFile, binary};

/// The samples of other programs.
const FILES: [&str; 13] = [
    "polars.arrow",
    "polars.arrows",
    "polars.parquet",
    "pyarrow-gzip.parquet",
    "pyarrow-lz4.feather",
    "pyarrow-lz4.parquet",
    "pyarrow-none.parquet",
    "pyarrow-snappy.parquet",
    "pyarrow-uncompressed.feather",
    "pyarrow-v4.arrow",
    "pyarrow-zstd.feather",
    "pyarrow-zstd.parquet",
    "pyarrow.arrows",
];

/// The arguments for each file.
const COLUMNS: [&[&str]; 2] = [&["--column", "x"], &["--column", "long", "--by", "name"]];

/// Values for the changed byte, besides its neighbours and complement: the limits of signed and unsigned
/// numbers.
const VALUES: [u8; 5] = [0x00, 0x7f, 0x80, 0xff, 0x01];

/// The program's address space in KiB. An intact file takes less than half, mostly for code, stacks and the
/// allocator.
const LIMIT_KIB: u64 = 256 << 10;

/// A change of one byte of a file.
#[derive(Clone, Copy, Debug)]
struct Change {
    file: &'static str,
    place: usize,
    value: u8,
    args: &'static [&'static str],
}

/// What is wrong with the program's reaction, if anything.
fn fault(change: Change) -> Option<String> {
    let Change { file, place, value, args } = change;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stats/files").join(file);
    let mut bytes = fs::read(path).expect("a file of this folder");
    bytes[place] = value;
    let (_, extension) = file.rsplit_once('.').expect("an extension");
    let changed = TestFile::new(&bytes, extension);
    let ran = Command::new("sh")
        .args(["-c", &format!("ulimit -v {LIMIT_KIB} && exec \"$0\" \"$@\"")])
        .arg(binary())
        .args([changed.path(), "--json", "--threads", "1"])
        .args(args)
        .stdin(Stdio::null())
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&ran.stderr);
    let is_fine = matches!(ran.status.code(), Some(0..=2)) && !said.contains("panicked");
    (!is_fine).then(|| format!("{change:?}: {} {said}", ran.status))
}

/// Tries all changes, several at a time.
#[track_caller]
fn survives(changes: &[Change]) {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let try_some = || {
        let mut faults = Vec::new();
        while let Some(&change) = changes.get(next.fetch_add(1, Ordering::Relaxed)) {
            faults.extend(fault(change));
        }
        faults
    };
    let faults: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(try_some)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    let first = faults.iter().take(10).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "{} of {} changes:\n{first}", faults.len(), changes.len());
}

/// Each byte of each file with each of the values.
fn all_changes() -> Vec<Change> {
    let mut changes = Vec::new();
    for file in FILES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stats/files").join(file);
        for (place, &is) in fs::read(path).expect("a file of this folder").iter().enumerate() {
            let values = VALUES.into_iter().chain([is ^ 0x01, is ^ 0x80, is.wrapping_add(1), !is]);
            let values: std::collections::BTreeSet<u8> = values.filter(|&value| value != is).collect();
            let args = COLUMNS[place % 2];
            changes.extend(values.into_iter().map(|value| Change { file, place, value, args }));
        }
    }
    changes
}

#[test]
fn changed_lengths_are_refused() {
    // With each of these the program once asked for more memory than there is.
    let of = |file, place, value| Change { file, place, value, args: COLUMNS[0] };
    survives(&[
        of("pyarrow-lz4.feather", 716, 0x7f),
        of("pyarrow-zstd.feather", 448, 0x7f),
        of("pyarrow-zstd.feather", 448, 0xff),
    ]);
}

#[test]
fn a_sample_of_changed_bytes_is_survived() {
    let all = all_changes();
    survives(&all.iter().copied().step_by(211).collect::<Vec<_>>());
}

/// Takes minutes: `cargo test -p warpfold-stats --features arrow --test stats -- --ignored`.
#[test]
#[ignore = "some hundred thousand processes"]
fn every_changed_byte_is_survived() {
    survives(&all_changes());
}
