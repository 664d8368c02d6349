//! Copies between host and device, from pageable and from pinned memory. The device can only read memory that
//! cannot be moved, so the driver first copies pageable memory to its own pinned memory.

use std::time::Instant;

use cust::memory::{LockedBuffer, Memory};

use super::{Gpu, TimedCopy};
use crate::failure::Failure;

/// 268 MB.
const WORDS: usize = 1 << 26;

/// Copies of each kind; the median counts.
const TIMES: usize = 7;

/// The times of copies, both ways.
pub(super) fn copies(gpu: &Gpu) -> Result<Vec<TimedCopy>, Failure> {
    const BYTES: usize = WORDS * size_of::<u32>();
    let (context, stream) = (&gpu.context, &gpu.stream);
    let device = Memory::zeroed(stream, BYTES)?;
    let mut pageable = vec![1u32; WORDS];
    let (mut sent, mut arrived) = (LockedBuffer::new(context, BYTES)?, LockedBuffer::zeroed(context, BYTES)?);
    for (byte, of_word) in sent.room()?.iter_mut().zip([2, 0, 0, 0].into_iter().cycle()) {
        byte.write(of_word);
    }
    let rows = vec![
        timed(gpu, "pageable to device", || Ok(device.whole().copy_from(stream, &pageable)?))?,
        timed(gpu, "pinned to device", || Ok(sent.send(stream, BYTES, &device, 0)?))?,
        timed(gpu, "device to pageable", || {
            pageable = device.whole().copy_to(stream, std::mem::take(&mut pageable))?;
            Ok(())
        })?,
        timed(gpu, "device to pinned", || Ok(arrived.receive(stream, device.whole(), 0)?))?,
    ];
    match pageable.iter().chain(arrived.received::<u32>(0, WORDS)?).find(|&&word| word != 2) {
        None => Ok(rows),
        Some(found) => Err(Failure::Wrong {
            what: "a word that was copied".into(),
            len: WORDS,
            threads: 0,
            found: found.to_string(),
            expected: "2".into(),
        }),
    }
}

/// Timed by the host's clock: a copy is done when the call has returned and the device is idle.
fn timed(gpu: &Gpu, name: &str, mut copy: impl FnMut() -> Result<(), Failure>) -> Result<TimedCopy, Failure> {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let start = Instant::now();
        copy()?;
        gpu.finish()?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let (us, bytes) = (times[TIMES / 2], 4 * WORDS as u64);
    Ok(TimedCopy { name: name.into(), bytes, us })
}
