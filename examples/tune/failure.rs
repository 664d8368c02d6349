//! Errors, and their exit codes.

use std::io;
use std::process::ExitCode;

use warpfold::plans::Plan;

/// Why nothing was tuned.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(&'static str),
    #[error(transparent)]
    Warpfold(#[from] warpfold::Error),
    #[error(
        "{operator} of {dtype}: the GPU's bits are not the CPU's, by the plan: {plan}. Nothing was kept. Please report \
         this with the output of `tune --show` and `nvidia-smi`"
    )]
    Bits { operator: &'static str, dtype: &'static str, plan: Plan },
    #[error("the times make no sense: {0}")]
    Clock(&'static str),
    #[error(
        "the tuning could not be written: let WARPFOLD_CACHE name a folder that can be (default: ~/.cache/warpfold)"
    )]
    Keep,
    #[error("could not write to standard output: {0}")]
    Output(io::Error),
}

impl Failure {
    /// 2 if the caller has to change something, 1 if the work failed.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }
}
