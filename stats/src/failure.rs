//! Errors, and their exit codes.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::column::Unreadable;
use crate::npy::Malformed;

/// Why there are no statistics.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{}: {cause}", path.display())]
    Open { path: PathBuf, cause: io::Error },
    #[error("{}: {cause}", path.display())]
    Npy { path: PathBuf, cause: Malformed },
    #[error("{}: {cause}", path.display())]
    Table { path: PathBuf, cause: Unreadable },
    #[error("no memory for {} bytes: {what}", crate::value::grouped(bytes))]
    Memory { bytes: u128, what: &'static str },
    #[error("could not start a thread: {0}; ask for fewer with --threads")]
    Thread(io::Error),
    #[error(transparent)]
    Warpfold(#[from] warpfold::Error),
    #[error("could not write the result: {0}")]
    Output(io::Error),
    #[error("could not write the result as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Failure {
    /// 2 if the caller has to change something, 1 if the work failed.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) | Self::Open { .. } | Self::Npy { .. } | Self::Table { .. } => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }
}
