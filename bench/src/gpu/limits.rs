//! What the memory can do: the ceilings that figures are read against.

use super::{
    driver::{Driver, Handle},
    peer::{Peer, RESULT},
};
use crate::{Outcome, spread::Spread};

/// The datasheet's bandwidth of the devices that records were made on, in 10^9 bytes per second.
/// [NVIDIA H200 Tensor Core GPU datasheet: 4.8 TB/s.]
pub(super) fn datasheet(name: &str) -> Option<f64> {
    name.contains("H200").then_some(4800.0)
}

/// A device buffer that nobody needs any more, and a stream.
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
    /// `buffer` is a device address with `bytes` bytes that nobody needs any more, aligned to 256; `stream` is
    /// a live stream of the driver's current context. Both stay while this does.
    pub(super) unsafe fn new(driver: &'a Driver, stream: Handle, buffer: u64, bytes: usize) -> Self {
        Self { driver, stream, buffer, bytes }
    }

    /// Measures a copy of the first half to the second: bytes read plus bytes written, in 10^9 per second.
    pub(super) fn copy(&self) -> Outcome<f64> {
        // Whole 256-byte lines, which both halves then begin on.
        let half = self.bytes / 512 * 256;
        let us = self.time(&|| {
            // SAFETY: the two halves lie in the buffer and do not overlap; the maker vouches for the stream.
            unsafe { self.driver.copy(self.buffer + half as u64, self.buffer, half, self.stream) }
        })?;
        Ok(us.gigabytes_per_second(2 * half as u64))
    }

    /// Measures a kernel of `peer`'s that reads the buffer and does nothing else, in 10^9 bytes per second: the
    /// best of some numbers of blocks per multiprocessor.
    pub(super) fn read(&self, peer: &Peer, multiprocessors: u32) -> Outcome<f64> {
        let bytes = (self.bytes - RESULT) as u64 / 256 * 256;
        let mut best = 0.0_f64;
        for blocks in [1, 2, 3, 4, 6, 8, 16, 32] {
            let us = self.time(&|| {
                let output = self.buffer + bytes;
                // SAFETY: `bytes` bytes and RESULT more lie in the buffer; the maker vouches for the stream.
                unsafe { peer.read(self.buffer, bytes, output, blocks * multiprocessors, self.stream) }
            })?;
            best = best.max(us.gigabytes_per_second(bytes));
        }
        Ok(best)
    }

    /// Times ten calls, each by itself.
    fn time(&self, enqueue: &dyn Fn() -> Outcome<()>) -> Outcome<Spread> {
        let (start, stop) = (self.driver.event()?, self.driver.event()?);
        let mut samples = Vec::new();
        for _ in 0..10 {
            // SAFETY: the event is this function's; the maker vouches for the stream.
            unsafe { self.driver.record(start, self.stream) }?;
            enqueue()?;
            // SAFETY: as above.
            unsafe { self.driver.record(stop, self.stream) }?;
            // SAFETY: both were recorded above.
            samples.push(unsafe { self.driver.elapsed(start, stop) }?);
        }
        Ok(Spread::of(&samples).ok_or("the clock gives no number")?)
    }
}
