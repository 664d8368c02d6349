//! The result of a build.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::ptx::Modules;

/// The file beside the modules that lists the module of each entry.
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
    /// Returns the library name of the kernels crate.
    #[must_use]
    pub fn library(&self) -> &str {
        &self.library
    }

    /// Returns the modules in order, each with the name of its one kernel. A module is self-contained: it has the
    /// shared memory, constants and functions that its kernel uses. The same sources and compiler give the same text on
    /// every machine. Entry points with equal code share a module.
    pub fn modules(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.modules.texts.iter().map(|(kernel, module)| (kernel.as_str(), module.as_str()))
    }

    /// Returns the names of the entry points, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &str> {
        self.modules.kernels.keys().map(String::as_str)
    }

    /// Returns the name of an entry point's kernel in its module: its own name, or the name of another entry point with
    /// equal code.
    #[must_use]
    pub fn kernel(&self, entry: &str) -> Option<&str> {
        self.modules.kernels.get(entry).map(String::as_str)
    }

    /// Returns the module of one entry point.
    #[must_use]
    pub fn module(&self, entry: &str) -> Option<&str> {
        self.modules.texts.get(self.kernel(entry)?).map(String::as_str)
    }

    /// Returns the text of `entries.rs`, which [`write_to`](Self::write_to) writes: a Rust expression, a slice with a
    /// tuple `(entry, kernel, module)` of strings for each entry point, in order of the entries' names.
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

    /// Returns one module with every entry point, as the compiler printed it.
    #[must_use]
    pub fn whole(&self) -> &str {
        &self.whole
    }

    /// Returns what `rustc --version` prints for the compiler that was used.
    #[must_use]
    pub fn compiler(&self) -> &str {
        &self.compiler
    }

    /// Returns the SHA-256, in hexadecimal digits, of everything that the PTX is made from except the compiler: source
    /// files, versions of dependencies, flags. It is equal on machines with different compilers.
    #[must_use]
    pub fn source_hash(&self) -> &str {
        &self.source_hash
    }

    /// Returns the absolute paths of the source files, including the files of path dependencies.
    #[must_use]
    pub fn sources(&self) -> &[PathBuf] {
        &self.sources
    }

    /// Returns progress and warnings of the device build, as cargo printed them.
    #[must_use]
    pub fn messages(&self) -> &str {
        &self.messages
    }

    /// Writes each module to `<kernel>.ptx` in a folder, which is created if needed, and the [list of
    /// entries](Self::index) to `entries.rs`. If the path ends in `.ptx`, writes the [whole](Self::whole) to that file
    /// instead. Files that are up to date are not touched.
    ///
    /// # Errors
    /// [`Error::Io`] with the file or folder that could not be written.
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
