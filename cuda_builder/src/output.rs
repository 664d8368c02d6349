//! What a build gives.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::ptx::Modules;

/// The file beside the modules that says which holds which entry.
const ENTRIES: &str = "entries.rs";

/// The PTX of a kernels crate.
#[derive(Clone, Debug)]
pub struct PtxOutput {
    pub(crate) library: String,
    pub(crate) modules: Modules,
    pub(crate) whole: String,
    pub(crate) compiler: String,
    pub(crate) source_hash: String,
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) messages: String,
}

impl PtxOutput {
    /// The kernels crate's library name.
    #[must_use]
    pub fn library(&self) -> &str {
        &self.library
    }

    /// The modules, each with the name of the one kernel in it, in order. Each stands alone: of shared memory, constants
    /// and functions it has those that the kernel uses. The same sources and compiler give the same text on every
    /// machine. Entry points of the same code share a module.
    pub fn modules(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.modules.texts.iter().map(|(kernel, module)| (kernel.as_str(), module.as_str()))
    }

    /// The names of the entry points, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &str> {
        self.modules.kernels.keys().map(String::as_str)
    }

    /// The name of an entry point's kernel in its module: its own, or that of another entry point of the same code.
    #[must_use]
    pub fn kernel(&self, entry: &str) -> Option<&str> {
        self.modules.kernels.get(entry).map(String::as_str)
    }

    /// The module of one entry point.
    #[must_use]
    pub fn module(&self, entry: &str) -> Option<&str> {
        self.modules.texts.get(self.kernel(entry)?).map(String::as_str)
    }

    /// What [`write_to`](Self::write_to) writes to `entries.rs`: a Rust expression, a slice with a tuple `(entry, kernel,
    /// module)` of texts for each entry point, in order of the entries' names.
    #[must_use]
    pub fn index(&self) -> String {
        let line = |(entry, kernel): (&String, &String)| {
            format!("    (\"{entry}\", \"{kernel}\", include_str!(\"{kernel}.ptx\")),\n")
        };
        let lines: String = self.modules.kernels.iter().map(line).collect();
        format!(
            "// Made by cuda_builder; not to be edited. (entry, its kernel, the module that has it)\n&[\n{lines}]\n"
        )
    }

    /// One module with every entry point, as the compiler printed it.
    #[must_use]
    pub fn whole(&self) -> &str {
        &self.whole
    }

    /// What `rustc --version` says of the compiler used.
    #[must_use]
    pub fn compiler(&self) -> &str {
        &self.compiler
    }

    /// SHA-256, in hexadecimal digits, of everything the PTX is made from but the compiler: source files,
    /// versions of dependencies, flags. Two machines with different compilers get the same.
    #[must_use]
    pub fn source_hash(&self) -> &str {
        &self.source_hash
    }

    /// The source files, those of path dependencies among them; absolute paths.
    #[must_use]
    pub fn sources(&self) -> &[PathBuf] {
        &self.sources
    }

    /// Progress and warnings of the device build, as cargo printed them.
    #[must_use]
    pub fn messages(&self) -> &str {
        &self.messages
    }

    /// Writes each module to `<kernel>.ptx` in a folder, which is made if it is not there, and to `entries.rs` which of
    /// them [holds which entry](Self::index); or, if the path ends in `.ptx`, the [whole](Self::whole) to that file. Files
    /// that are up to date are not touched.
    ///
    /// # Errors
    /// [`Error::Io`] with the file that could not be written.
    pub fn write_to(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        if path.extension().is_some_and(|extension| extension == "ptx") {
            return write(path, &self.whole);
        }
        std::fs::create_dir_all(path).map_err(Error::io(path))?;
        self.modules().try_for_each(|(kernel, module)| write(&path.join(format!("{kernel}.ptx")), module))?;
        write(&path.join(ENTRIES), &self.index())
    }
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    if std::fs::read(file).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    std::fs::write(file, text).map_err(Error::io(file))
}
