//! What a build gives.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::Error;

/// The PTX of a kernels crate.
#[derive(Clone, Debug)]
pub struct PtxOutput {
    pub(crate) library: String,
    pub(crate) modules: BTreeMap<String, String>,
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

    /// The entry points and their modules, by name. Each module stands alone: it has the one entry, and of
    /// shared memory, constants and functions those that the entry uses. The same sources and compiler give
    /// the same text on every machine.
    pub fn modules(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.modules.iter().map(|(entry, module)| (entry.as_str(), module.as_str()))
    }

    /// The names of the entry points, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &str> {
        self.modules.keys().map(String::as_str)
    }

    /// The module of one entry point.
    #[must_use]
    pub fn module(&self, entry: &str) -> Option<&str> {
        self.modules.get(entry).map(String::as_str)
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

    /// Writes `<entry>.ptx` for each entry to a folder, which is made if it is not there; or, if the path ends
    /// in `.ptx`, the [whole](Self::whole) to that file. Files that are up to date are not touched.
    ///
    /// # Errors
    /// [`Error::Io`] with the file that could not be written.
    pub fn write_to(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        if path.extension().is_some_and(|extension| extension == "ptx") {
            return write(path, &self.whole);
        }
        std::fs::create_dir_all(path).map_err(Error::io(path))?;
        self.modules().try_for_each(|(entry, module)| write(&path.join(format!("{entry}.ptx")), module))
    }
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    if std::fs::read(file).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    std::fs::write(file, text).map_err(Error::io(file))
}
