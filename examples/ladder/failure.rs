//! Errors, and their exit codes.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use cuda_std::emulator::Misuse;

/// Why the ladder was not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Warpfold(#[from] warpfold::Error),
    #[error("under the emulator: {0}")]
    Emulator(#[from] gpu_kernels::ladder::host::emulated::Failure),
    #[error("under the emulator: {0}")]
    Misuse(#[from] Misuse),
    #[error(
        "{what} of {len} elements by blocks of {threads} threads is {found} and should be {expected}: please report it"
    )]
    Wrong { what: String, len: usize, threads: u32, found: String, expected: String },
    #[cfg(feature = "cuda")]
    #[error("the CUDA driver answers: {0}")]
    Driver(#[from] cust::error::CudaError),
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    Damaged(#[from] warpfold_ptx::Damaged),
    #[cfg(feature = "cuda")]
    #[error("there is no kernel {0} in examples/ladder/ptx: run `cargo xtask ptx`")]
    NoKernel(String),
    #[error("{}: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error("{}: cannot be drawn: {cause}", path.display())]
    Draw { path: PathBuf, cause: String },
    #[error("could not write to standard output: {0}")]
    Output(io::Error),
}

impl Failure {
    /// 2 if the caller has to change something, 1 if the work failed.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) | Self::Write { .. } => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }
}
