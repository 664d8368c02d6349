//! The fuzz target `files`: any file is read or refused, in little memory and time. See CONTRIBUTING.md.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::Parser;

use crate::cli::Cli;

/// File names. The extension gives the format if the first bytes do not.
const NAMES: [&str; 5] = ["x.npy", "x.csv", "x.parquet", "x.feather", "x.arrows"];

/// Arguments for each file.
const ASKED: [&[&str]; 6] = [
    &[],
    &["--json"],
    &["--axis", "0"],
    &["--axis", "1"],
    &["--median", "--column", "a"],
    &["--column", "a", "--by", "b"],
];

/// A folder for this process alone.
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
    // The tests check the output.
    let _ = crate::run(&cli);
});
