//! Errors of a build, each with advice.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a build gave no PTX.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path given to [`CudaBuilder::new`](crate::CudaBuilder::new) has no crate.
    #[error("no kernels crate at {}: expected a folder with a Cargo.toml", path.display())]
    NoCrate {
        /// The path as given.
        path: PathBuf,
    },

    /// A compiler flag would change the bits of floating-point results on the device.
    #[error(
        "{place} contains `{flag}`, which lets the compiler change floating-point results; \
         the kernels are not built with it. Remove the flag from {place} (or unset it for this build)."
    )]
    ForbiddenFlag {
        /// The offending flag.
        flag: String,
        /// The environment variable that has it.
        place: String,
    },

    /// No compiler with the source of `core` was found.
    #[error(
        "no Rust compiler that can build PTX was found. Tried:\n{tried}\
         PTX needs a compiler together with the source of `core`. Install one of:\n\
         \x20 - the component of the active toolchain: rustup component add rust-src\n\
         \x20 - Debian's compiler and its source: apt-get install rustc-web rust-web-src\n\
         or name a rustc that has its source with the environment variable WARPFOLD_RUSTC."
    )]
    NoCompiler {
        /// One line for each compiler tried, with the reason it was refused.
        tried: String,
    },

    /// A program could not be started.
    #[error("cannot run {}: {source}", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },

    /// The inner cargo failed.
    #[error("the kernels do not compile for nvptx64-nvidia-cuda (rustc: {}):\n{stderr}", compiler.display())]
    Compile {
        /// The compiler that was used.
        compiler: PathBuf,
        /// What cargo and rustc printed.
        stderr: String,
    },

    /// The inner build did not leave what was expected.
    #[error("the device build of the kernels gave {what}; delete {} and build again", target_dir.display())]
    Unexpected {
        /// What was found or is missing.
        what: String,
        /// The target folder of the inner build.
        target_dir: PathBuf,
    },

    /// The PTX has no entry point.
    #[error("the kernels crate has no entry points: declare them with `cuda_std::kernel!`")]
    NoEntries,

    /// Two crates of the kernel declare a variable or a function with the same name.
    #[error(
        "`{name}` is defined twice in the PTX: give one of the two (a shared_bytes! variable, say) another name"
    )]
    DefinedTwice {
        /// The name in the PTX.
        name: String,
    },

    /// The PTX could not be split.
    #[error("line {line} of the PTX cannot be split into modules: {why}")]
    Ptx {
        /// The line in the compiler's output, from 1.
        line: usize,
        /// What is wrong there.
        why: String,
    },

    /// A file or folder could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Prints the message: an error that leaves `main` is printed by `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// Returns a function for `map_err` that adds the path to an I/O error.
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_leaves_a_build_script_says_what_to_do() {
        let error: Box<dyn std::error::Error> = Box::new(Error::NoEntries);
        assert_eq!(
            format!("{error:?}"),
            "the kernels crate has no entry points: declare them with `cuda_std::kernel!`"
        );
    }
}
