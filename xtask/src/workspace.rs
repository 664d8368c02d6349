//! Where things are in this workspace.

use std::error::Error;
use std::path::{Path, PathBuf};

use cuda_builder::NvvmArch;

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
    /// The lowest GPU generation that it is compiled for.
    pub(crate) arch: NvvmArch,
    /// The folder of its PTX for that.
    pub(crate) ptx: &'static str,
}

impl Kernels {
    /// Whether the library ships it.
    pub(crate) fn is_shipped(&self) -> bool {
        self.folder == SHIPPED
    }
}

/// The folder of the library's own kernels.
const SHIPPED: &str = "gpu-kernels";

/// All of them: the library's own, and those of the operators that tests fold with, for every GPU and for those that can
/// overlap launches.
pub(crate) const KERNELS: [Kernels; 4] = [
    kernels(SHIPPED, &["--features", "catalogue"], NvvmArch::Compute75, "host/ptx/sm_75"),
    kernels(SHIPPED, &["--features", "catalogue"], NvvmArch::Compute90, "host/ptx/sm_90"),
    kernels("tests/kernels", &[], NvvmArch::Compute75, "tests/kernels/ptx/sm_75"),
    kernels("tests/kernels", &[], NvvmArch::Compute90, "tests/kernels/ptx/sm_90"),
];

const fn kernels(
    folder: &'static str,
    arguments: &'static [&'static str],
    arch: NvvmArch,
    ptx: &'static str,
) -> Kernels {
    Kernels { folder, arguments, arch, ptx }
}

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
