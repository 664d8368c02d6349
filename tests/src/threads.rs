//! CPU backends of several numbers of threads.

use warpfold::Cpu;

/// One of each number of threads, which are started here: keep them for all tests of a file.
///
/// # Panics
/// If a number is 0, or the operating system gives no threads.
#[must_use]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
pub fn with_threads(numbers: &[usize]) -> Vec<Cpu> {
    numbers.iter().map(|&n| Cpu::with_threads(n).unwrap()).collect()
}
