//! The layout of this workspace.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use warpfold_ptx::Pack;

use crate::manifest::Manifest;

/// Returns the workspace's folder.
pub(crate) fn root() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map(Into::into).unwrap_or(xtask)
}

/// A kernels crate with some of its features, whose PTX is stored in a pack.
pub(crate) struct Kernels {
    /// The crate's folder.
    pub(crate) folder: &'static str,
    /// Cargo's arguments that select its entry points.
    pub(crate) arguments: &'static [&'static str],
    /// The pack, without `.pack`; its manifest is beside it.
    pub(crate) pack: &'static str,
    /// Whether it is shipped to users.
    pub(crate) is_shipped: bool,
    /// Turns, of 16, in which `cargo xtask ptx --check` compiles it: fewer for one that takes minutes.
    pub(crate) turns: u64,
}

/// All packs: six of the library, for reductions of one input, for many rows, for moves of data, for scans, for forward passes and for
/// formulas; one for the operators of the tests; and one for the ladder of examples.
pub(crate) const KERNELS: [Kernels; 8] = [
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "catalogue"],
        pack: "ptx/reduce",
        is_shipped: true,
        turns: 1,
    },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "rows"],
        pack: "ptx/rows",
        is_shipped: true,
        turns: 1,
    },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "moves"],
        pack: "ptx/moves",
        is_shipped: true,
        turns: 2,
    },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "scan"],
        pack: "ptx/scan",
        is_shipped: true,
        turns: 1,
    },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "forward"],
        pack: "ptx/forward",
        is_shipped: true,
        turns: 3,
    },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "formula"],
        pack: "ptx/formula",
        is_shipped: true,
        turns: 1,
    },
    Kernels {
        folder: "tests/kernels",
        arguments: &[],
        pack: "tests/kernels/ptx/kernels",
        is_shipped: false,
        turns: 4,
    },
    Kernels {
        folder: "gpu-kernels",
        arguments: &["--features", "ladder"],
        pack: "examples/ladder/ptx/ladder",
        is_shipped: false,
        turns: 3,
    },
];

impl Kernels {
    /// Returns the pack's file.
    pub(crate) fn pack_file(&self) -> PathBuf {
        root().join(format!("{}.pack", self.pack))
    }

    /// Returns the manifest's file.
    pub(crate) fn manifest_file(&self) -> PathBuf {
        root().join(format!("{}.csv", self.pack))
    }

    /// Reads the stored manifest, if there is one.
    pub(crate) fn manifest(&self) -> Result<Option<Manifest>, Box<dyn Error>> {
        let file = self.manifest_file();
        if !file.is_file() {
            return Ok(None);
        }
        let manifest = Manifest::parse(&fs::read_to_string(&file)?);
        manifest.map(Some).map_err(|why| format!("{}: {why}", file.display()).into())
    }

    /// Writes the manifest, and notes its registers in the pack.
    pub(crate) fn note(&self, manifest: &Manifest, mut pack: Vec<u8>) -> std::io::Result<()> {
        warpfold_ptx::note_registers(&mut pack, |kernel| manifest.registers(kernel));
        fs::write(self.pack_file(), pack)?;
        fs::write(self.manifest_file(), manifest.print())
    }

    /// Returns the kernels and their texts, in order.
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

/// Returns cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
