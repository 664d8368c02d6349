//! Where things are in this workspace.

use std::error::Error;
use std::path::PathBuf;

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map(Into::into).unwrap_or(xtask)
}

/// The folder of the shipped PTX.
pub(crate) fn shipped_ptx() -> PathBuf {
    root().join("host/ptx")
}

/// The shipped modules, in order.
pub(crate) fn ptx_files() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let folder = shipped_ptx();
    let mut files = Vec::new();
    for file in std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        files.push(file?.path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "ptx"));
    files.sort();
    if files.is_empty() {
        return Err(format!("no PTX in {}: run `cargo xtask ptx`", folder.display()).into());
    }
    Ok(files)
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
