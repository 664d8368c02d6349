//! CPU backends with several numbers of threads.

use warpfold::Cpu;

/// One backend per number of threads. The threads are started here: keep the backends for all tests of a file.
///
/// # Panics
/// If a number is 0, or the operating system cannot start the threads.
#[must_use]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
pub fn with_threads(numbers: &[usize]) -> Vec<Cpu> {
    numbers.iter().map(|&n| Cpu::with_threads(n).unwrap()).collect()
}
