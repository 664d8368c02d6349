//! What the memory can do: the ceilings that figures are read against.

use serde::Serialize;

use super::driver::{Driver, Handle};
use crate::{Outcome, spread::Spread};

/// Memory bandwidth in 10^9 bytes per second; `None` where it is not known.
#[derive(Serialize)]
pub(super) struct Limits {
    /// On the datasheet.
    pub datasheet: Option<f64>,
    /// By the memory's clock and width.
    pub by_clock: Option<f64>,
    /// Measured: bytes read plus bytes written by a device-to-device copy.
    pub copy: f64,
}

/// The datasheet's bandwidth of the devices that records were made on.
/// [NVIDIA H200 Tensor Core GPU datasheet: 4.8 TB/s.]
pub(super) fn datasheet(name: &str) -> Option<f64> {
    name.contains("H200").then_some(4800.0)
}

/// Measures a copy of the first half of `bytes` bytes at `buffer` to the second.
///
/// # Safety
/// `buffer` is a device address with `bytes` bytes that nobody needs any more; `stream` is live.
pub(super) unsafe fn copy(driver: &Driver, stream: Handle, buffer: u64, bytes: usize) -> Outcome<f64> {
    // Whole 256-byte lines, which both halves then begin on.
    let half = bytes / 512 * 256;
    let (start, stop) = (driver.event()?, driver.event()?);
    let mut samples = Vec::new();
    for _ in 0..10 {
        // SAFETY: the caller vouches for the stream.
        unsafe { driver.record(start, stream) }?;
        // SAFETY: the two halves lie in the buffer and do not overlap.
        unsafe { driver.copy(buffer + half as u64, buffer, half, stream) }?;
        // SAFETY: the caller vouches for the stream.
        unsafe { driver.record(stop, stream) }?;
        // SAFETY: both were recorded above.
        samples.push(unsafe { driver.elapsed(start, stop) }?);
    }
    let us = Spread::of(&samples).ok_or("the clock gives no number")?;
    Ok(us.gigabytes_per_second(2 * half as u64))
}

impl std::fmt::Display for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known =
            |limit: Option<f64>| limit.map_or_else(|| "unknown".to_owned(), |limit| format!("{limit:.0}"));
        let (datasheet, by_clock) = (known(self.datasheet), known(self.by_clock));
        write!(f, "memory, GB/s: datasheet {datasheet}, by clock and width {by_clock}, ")?;
        write!(f, "measured device-to-device copy (read + written) {:.0}", self.copy)
    }
}
