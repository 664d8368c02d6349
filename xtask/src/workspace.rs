//! Where things are in this workspace.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use warpfold_ptx::Pack;

use crate::manifest::Manifest;

/// The workspace's folder.
pub(crate) fn root() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map(Into::into).unwrap_or(xtask)
}

/// A kernels crate, with some of its features, whose PTX is kept in a pack.
pub(crate) struct Kernels {
    /// The crate's folder.
    pub(crate) folder: &'static str,
    /// Cargo's arguments that choose its entry points.
    pub(crate) arguments: &'static [&'static str],
    /// The pack, without `.pack`; its manifest is beside it.
    pub(crate) pack: &'static str,
    /// Whether users get it.
    pub(crate) is_shipped: bool,
}

/// All of them: the library's own, for one input, for many rows, those that move data, and those that scan; those of the
/// operators that tests fold with; and the ladder to learn from.
pub(crate) const KERNELS: [Kernels; 6] = [
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "catalogue"],
        pack: "ptx/reduce",
        is_shipped: true,
    },
    Kernels { folder: "gpu-kernels", arguments: &["--features", "rows"], pack: "ptx/rows", is_shipped: true },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "moves"],
        pack: "ptx/moves",
        is_shipped: true,
    },
    Kernels { folder: "gpu-kernels", arguments: &["--features", "scan"], pack: "ptx/scan", is_shipped: true },
    Kernels { folder: "tests/kernels", arguments: &[], pack: "tests/kernels/ptx/kernels", is_shipped: false },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "ladder"],
        pack: "examples/ladder/ptx/ladder",
        is_shipped: false,
    },
];

impl Kernels {
    /// The file of the pack.
    pub(crate) fn pack_file(&self) -> PathBuf {
        root().join(format!("{}.pack", self.pack))
    }

    /// The file of its manifest.
    pub(crate) fn manifest_file(&self) -> PathBuf {
        root().join(format!("{}.csv", self.pack))
    }

    /// The manifest as it is kept; none if there is none yet.
    pub(crate) fn manifest(&self) -> Result<Option<Manifest>, Box<dyn Error>> {
        let file = self.manifest_file();
        if !file.is_file() {
            return Ok(None);
        }
        let manifest = Manifest::parse(&fs::read_to_string(&file)?);
        manifest.map(Some).map_err(|why| format!("{}: {why}", file.display()).into())
    }

    /// The kernels and their texts, in order.
    pub(crate) fn texts(&self) -> Result<Vec<(String, String)>, Box<dyn Error>> {
        let file = self.pack_file();
        let advice = |error| format!("{}: {error}; run `cargo xtask ptx`", file.display());
        let bytes = fs::read(&file).map_err(|error| advice(error.to_string()))?;
        let mut texts = Vec::new();
        for (entry, place) in Pack::new(&bytes).entries().filter(|(entry, place)| *entry == place.kernel()) {
            texts
                .push((entry.to_owned(), place.text().map_err(|error| advice(format!("{entry}: {error}")))?));
        }
        if texts.is_empty() { Err(advice("no kernels".to_owned()).into()) } else { Ok(texts) }
    }
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
