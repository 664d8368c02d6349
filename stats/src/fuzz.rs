//! The fuzz target `files`: whatever stands in a file, it is read or refused, in little memory and time. See CONTRIBUTING.md.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Parser;

use crate::cli::Cli;

/// How files are called, which says what they are taken for where their first bytes say nothing.
const NAMES: [&str; 5] = ["x.npy", "x.csv", "x.parquet", "x.feather", "x.arrows"];

/// What is asked of them.
const ASKED: [&[&str]; 6] = [
    &[],
    &["--json"],
    &["--axis", "0"],
    &["--axis", "1"],
    &["--median", "--column", "a"],
    &["--column", "a", "--by", "b"],
];

/// A folder of this process's own.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("warpfold-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap_or_else(|cause| panic!("{}: {cause}", folder.display()));
    folder
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&[name, asked], bytes)) = data.split_first_chunk() else { return };
    let path = FOLDER.join(NAMES[usize::from(name) % NAMES.len()]);
    fs::write(&path, bytes).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
    let name = path.to_string_lossy();
    let arguments = [&["stats", &name], ASKED[usize::from(asked) % ASKED.len()]].concat();
    let Ok(cli) = Cli::try_parse_from(&arguments) else { panic!("{arguments:?} are no arguments") };
    // What it says of a file is for its tests.
    let _ = crate::run(&cli);
});
