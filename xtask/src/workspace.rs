//! Where things are in this workspace.

use std::error::Error;
use std::path::{Path, PathBuf};

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map(Into::into).unwrap_or(xtask)
}

/// A kernels crate whose PTX is kept in the repository.
pub(crate) struct Kernels {
    /// The crate's folder.
    pub(crate) folder: &'static str,
    /// Cargo's arguments that choose its entry points.
    pub(crate) arguments: &'static [&'static str],
    /// The folder of its PTX.
    pub(crate) ptx: &'static str,
    /// The most that its modules may come to, in bytes, if the library ships them.
    pub(crate) most_bytes: Option<usize>,
}

/// All of them: the library's own, for one input, for many rows, those that move data, and those that scan; those of the
/// operators that tests fold with; and the ladder to learn from.
pub(crate) const KERNELS: [Kernels; 6] = [
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "catalogue"],
        ptx: "host/ptx",
        most_bytes: Some(11_000_000),
    },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "rows"],
        ptx: "host/ptx/rows",
        most_bytes: Some(60_000_000),
    },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "moves"],
        ptx: "host/ptx/moves",
        most_bytes: Some(3_000_000),
    },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "scan"],
        ptx: "host/ptx/scan",
        most_bytes: Some(26_000_000),
    },
    Kernels { folder: "tests/kernels", arguments: &[], ptx: "tests/kernels/ptx", most_bytes: None },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "ladder"],
        ptx: "examples/ladder/ptx",
        most_bytes: None,
    },
];

/// The modules in one folder, in order.
pub(crate) fn modules_in(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        files.push(file?.path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "ptx"));
    files.sort();
    Ok(files)
}

/// The entry point of a module: its file's name.
pub(crate) fn entry(module: &Path) -> String {
    module.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The modules of all kernels crates.
pub(crate) fn ptx_files() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for kernels in KERNELS {
        let here = modules_in(&root().join(kernels.ptx))?;
        if here.is_empty() {
            return Err(format!("no PTX in {}: run `cargo xtask ptx`", kernels.ptx).into());
        }
        files.extend(here);
    }
    Ok(files)
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
