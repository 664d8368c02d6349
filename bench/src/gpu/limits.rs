//! The limits of the memory, to compare figures with.

use cust::{
    context::Context,
    device::{Device, DeviceAttribute},
    event::Event,
    memory::Memory,
    stream::Stream,
};
use warpfold::DeviceArray;

use super::{
    clock,
    peer::{Peer, RESULT},
};
use crate::{
    Outcome,
    contest::{Rounds, alone},
    datum::Datum,
};

/// Peak bandwidth of the memory of device `ordinal` in 10^9 bytes per second, from the clock and the bus width;
/// `None` unless the driver states both.
pub(super) fn peak_bandwidth(ordinal: usize) -> Option<f64> {
    let device = Device::get_device(ordinal).ok()?;
    let of = |attribute| device.get_attribute(attribute).ok();
    at_two_transfers_a_clock(
        of(DeviceAttribute::MemoryClockRate)?,
        of(DeviceAttribute::GlobalMemoryBusWidth)?,
    )
}

/// Returns the bandwidth of a memory that moves two words a clock. For an H200 it is the datasheet's (docs/tuning/gpu.md).
fn at_two_transfers_a_clock(kilohertz: u32, bits: u32) -> Option<f64> {
    let known = kilohertz > 0 && bits > 0;
    known.then(|| 2.0 * f64::from(kilohertz) * 1e3 * f64::from(bits) / 8.0 / 1e9)
}

/// Calls of each measurement, timed separately.
const CALLS: Rounds = Rounds::all(0, 10);

/// Measures a copy of the first half of `data` on the device: bytes read plus bytes written, in 10^9 per second.
pub(super) fn copy<T: Datum>(ordinal: usize, data: &[T]) -> Outcome<f64> {
    let context = Context::open(Device::get_device(ordinal)?)?;
    let (stream, half) = (Stream::new(&context)?, &data[..data.len() / 2]);
    let (from, to) = (Memory::uploaded(&stream, half)?, Memory::zeroed(&stream, size_of_val(half))?);
    let us = alone(CALLS, || {
        let start = Event::record(&stream)?;
        from.whole().enqueue_copy(&stream, to.whole())?;
        Ok(start.elapsed_ms(&Event::record(&stream)?)? * 1e3)
    })?;
    Ok(us.gigabytes_per_second(2 * size_of_val(half) as u64))
}

/// Measures a kernel of `peer` that only reads `x`, in 10^9 bytes per second: the best of several numbers of blocks per
/// multiprocessor.
pub(super) fn read<T: Datum>(stream: &warpfold::Stream, peer: &Peer, x: &DeviceArray<T>) -> Outcome<f64> {
    let bytes = (x.len() * size_of::<T>()) as u64 / 256 * 256;
    let output = stream.cuda().zeroed::<u8>(RESULT)?;
    let mut best = 0.0_f64;
    for blocks in [1, 2, 3, 4, 6, 8, 16, 32] {
        let blocks = blocks * stream.cuda().properties().multiprocessors;
        let us = alone(CALLS, || {
            // SAFETY: the arrays have as many bytes, and elapsed times are those of work that has ended; the stream's context is
            // this thread's.
            clock::on_device(stream, || unsafe {
                peer.read(x.as_device_ptr(), bytes, output.as_device_ptr(), blocks, stream.as_raw())
            })
        })?;
        best = best.max(us.gigabytes_per_second(bytes));
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_of_clock_and_width() {
        assert!(at_two_transfers_a_clock(3_201_000, 6016).is_some_and(|peak| (peak - 4814.304).abs() < 1e-9));
        // A T4, whose datasheet has 320 GB/s.
        assert!(at_two_transfers_a_clock(5_001_000, 256).is_some_and(|peak| (peak - 320.0).abs() < 0.1));
        // The driver answers 0 for what it does not know.
        for (kilohertz, bits) in [(0, 6016), (3_201_000, 0), (0, 0)] {
            assert_eq!(at_two_transfers_a_clock(kilohertz, bits), None, "{kilohertz} {bits}");
        }
    }
}
