//! How long work takes.

use std::time::{Duration, Instant};

use crate::failure::Failure;

/// A result and how long it took.
#[derive(Clone, Copy)]
pub(crate) struct Timed<R> {
    pub(crate) result: R,
    pub(crate) time: Duration,
}

/// Measures how long some work takes.
pub(crate) fn timed<R>(work: impl FnOnce() -> Result<R, Failure>) -> Result<Timed<R>, Failure> {
    let start = Instant::now();
    work().map(|result| Timed { result, time: start.elapsed() })
}
