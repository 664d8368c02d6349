//! The ways to time a call. **Stream**: calls one after another between two events, the time of most
//! programs, which includes the host's launches. **Graph**: the same calls captured in a CUDA graph and
//! replayed, the device's own time. **End to end**: from the call to the scalar on the host.

use std::time::Instant;

use warpfold::{Graph, Stream};

use crate::Outcome;

/// Microseconds on the device between the start and the end of the work that `enqueue` puts on the stream.
pub(super) fn on_device(stream: &Stream, enqueue: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let start = stream.record()?;
    enqueue()?;
    Ok(start.elapsed_ms(&stream.record()?)? * 1e3)
}

/// Microseconds that `call` takes on the host.
pub(super) fn on_host(call: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let start = Instant::now();
    call()?;
    Ok(start.elapsed().as_secs_f64() * 1e6)
}

/// The graph of the calls that `enqueue` puts on the stream.
pub(super) fn captured(stream: &Stream, enqueue: impl FnOnce(&Stream) -> Outcome<()>) -> Outcome<Graph> {
    let mut enqueued = Ok(());
    let graph = stream.capture(|stream| {
        enqueued = enqueue(stream);
        Ok(())
    });
    enqueued?;
    Ok(graph?)
}
