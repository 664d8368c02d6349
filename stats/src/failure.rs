//! Errors, and their exit codes.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::numbers::value::grouped;
use crate::terminal;

/// Why there are no statistics.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{}: {cause}", path.display())]
    Open { path: PathBuf, cause: io::Error },
    #[error("{}: {cause}", path.display())]
    Content { path: PathBuf, cause: Box<dyn Error + Send + Sync> },
    #[error("{}: it changed while it was read: leave it alone meanwhile", path.display())]
    Changed { path: PathBuf },
    #[error("no memory for {} bytes: {what}", grouped(bytes))]
    Memory { bytes: u128, what: &'static str },
    #[error("could not copy the input to {}: {cause}; TMPDIR can name another folder", folder.display())]
    Copy { folder: PathBuf, cause: io::Error },
    /// A message about the copy of an input.
    #[error("{message}")]
    OfCopy { message: String, is_of_input: bool },
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
    /// The content of a file is not what `stats` can read.
    pub(crate) fn content(path: &Path, cause: impl Error + Send + Sync + 'static) -> Self {
        Self::Content { path: path.into(), cause: Box::new(cause) }
    }

    /// The message, as a terminal may show it.
    pub(crate) fn message(&self) -> String {
        match self {
            // Of several lines, without what others wrote.
            Self::Usage(text) => terminal::lines(text),
            // It is one already.
            Self::OfCopy { message, .. } => message.clone(),
            failure => terminal::line(&failure.to_string()),
        }
    }

    /// Whether the caller has to change something.
    pub(crate) fn is_of_input(&self) -> bool {
        match self {
            Self::Usage(_) | Self::Open { .. } | Self::Content { .. } | Self::Changed { .. } => true,
            Self::OfCopy { is_of_input, .. } => *is_of_input,
            _ => false,
        }
    }

    /// 2 if the caller has to change something, 1 if the work failed.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(if self.is_of_input() { 2 } else { 1 })
    }
}
