//! The limits of the memory, to compare figures with.

use super::{
    clock::Clock,
    driver::{Driver, Handle},
    peer::{Peer, RESULT},
};
use crate::{
    Outcome,
    contest::{Rounds, alone},
    spread::Spread,
};

/// Peak bandwidth of the memory of device `ordinal` in 10^9 bytes per second, from the clock and the bus width;
/// `None` unless the driver states both.
pub(super) fn peak_bandwidth(driver: &Driver, ordinal: usize) -> Option<f64> {
    let (kilohertz, bits) = driver.memory_clock_and_width(ordinal)?;
    at_two_transfers_a_clock(kilohertz, bits)
}

/// Returns the bandwidth of a memory that moves two words a clock. For an H200 it is the datasheet's (docs/tuning/gpu.md).
fn at_two_transfers_a_clock(kilohertz: i32, bits: i32) -> Option<f64> {
    let known = kilohertz > 0 && bits > 0;
    known.then(|| 2.0 * f64::from(kilohertz) * 1e3 * f64::from(bits) / 8.0 / 1e9)
}

/// A device buffer that is no longer needed, and a stream.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    driver: &'a Driver,
    stream: Handle,
    buffer: u64,
    bytes: usize,
}

impl<'a> Ground<'a> {
    /// `bytes` bytes at `buffer`.
    ///
    /// # Safety
    /// `buffer` is a device address with `bytes` bytes that are no longer needed, aligned to 256; `stream` is a
    /// live stream of the driver's current context. Both stay while this does.
    pub(super) unsafe fn new(driver: &'a Driver, stream: Handle, buffer: u64, bytes: usize) -> Self {
        Self { driver, stream, buffer, bytes }
    }

    /// Measures a copy of the first half to the second: bytes read plus bytes written, in 10^9 per second.
    pub(super) fn copy(&self) -> Outcome<f64> {
        // Both halves start and end at multiples of 256 bytes.
        let half = self.bytes / 512 * 256;
        let us = self.time(&|| {
            // SAFETY: the two halves are in the buffer and do not overlap; the maker vouches for the stream.
            unsafe { self.driver.copy(self.buffer + half as u64, self.buffer, half, self.stream) }
        })?;
        Ok(us.gigabytes_per_second(2 * half as u64))
    }

    /// Measures a kernel of `peer` that only reads the buffer, in 10^9 bytes per second: the best of several
    /// numbers of blocks per multiprocessor.
    pub(super) fn read(&self, peer: &Peer, multiprocessors: u32) -> Outcome<f64> {
        let bytes = (self.bytes - RESULT) as u64 / 256 * 256;
        let mut best = 0.0_f64;
        for blocks in [1, 2, 3, 4, 6, 8, 16, 32] {
            let us = self.time(&|| {
                let output = self.buffer + bytes;
                // SAFETY: `bytes` bytes and RESULT more are in the buffer; the maker vouches for the stream.
                unsafe { peer.read(self.buffer, bytes, output, blocks * multiprocessors, self.stream) }
            })?;
            best = best.max(us.gigabytes_per_second(bytes));
        }
        Ok(best)
    }

    /// Times ten calls separately.
    fn time(&self, enqueue: &dyn Fn() -> Outcome<()>) -> Outcome<Spread> {
        // SAFETY: the maker vouches for the stream, which is there longer than this clock.
        let clock = unsafe { Clock::new(self.driver, self.stream) }?;
        alone(Rounds::all(0, 10), || clock.on_device(&mut || enqueue()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_of_clock_and_width() {
        assert!(at_two_transfers_a_clock(3_201_000, 6016).is_some_and(|peak| (peak - 4814.304).abs() < 1e-9));
        // A T4, whose datasheet has 320 GB/s.
        assert!(at_two_transfers_a_clock(5_001_000, 256).is_some_and(|peak| (peak - 320.0).abs() < 0.1));
    }

    #[test]
    fn what_the_driver_does_not_state_has_no_peak() {
        for (kilohertz, bits) in [(0, 6016), (3_201_000, 0), (0, 0), (-1, 6016), (-1, -1)] {
            assert_eq!(at_two_transfers_a_clock(kilohertz, bits), None, "{kilohertz} {bits}");
        }
    }
}
