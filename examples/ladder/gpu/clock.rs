//! The time of a call: the device's events around enough calls for a millisecond, several times; the median.

use cust::event::Event;
use warpfold::Stream;

use super::Gpu;
use crate::failure::Failure;

/// The least time of a sample in microseconds: a thousand times the resolution of an event.
const SAMPLE: f64 = 1000.0;

/// Microseconds for all samples of a row. There are at least three samples.
const ROW: f64 = 150_000.0;

/// The median time of a call in microseconds. `sample` returns the time of the given number of calls.
pub(super) fn median_us(mut sample: impl FnMut(usize) -> Result<f64, Failure>) -> Result<f64, Failure> {
    sample(1)?; // The first one pays for what is lazy.
    let one = sample(1)?.max(1.0);
    let calls = (SAMPLE / one).ceil().clamp(1.0, 64.0);
    let samples = (ROW / (one * calls)).clamp(3.0, 21.0) as usize;
    let mut times = Vec::new();
    for _ in 0..samples {
        times.push(sample(calls as usize)? / calls);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Microseconds on the device for the work that `enqueue` puts on the ladder's stream.
pub(super) fn on_ladder_stream(
    gpu: &Gpu,
    enqueue: impl FnOnce() -> Result<(), Failure>,
) -> Result<f64, Failure> {
    let start = Event::record(&gpu.stream)?;
    enqueue()?;
    Ok(start.elapsed_ms(&Event::record(&gpu.stream)?)? * 1e3)
}

/// Microseconds on the device for the work that `enqueue` puts on a stream of the library.
pub(super) fn on_stream(
    stream: &Stream,
    enqueue: impl FnOnce() -> Result<(), Failure>,
) -> Result<f64, Failure> {
    let start = stream.record()?;
    enqueue()?;
    Ok(start.elapsed_ms(&stream.record()?)? * 1e3)
}
