//! The three ways to time a call, and they differ: **stream**, calls one after another between two events,
//! is what most programs feel, and the host's launches count; **graph**, the same calls captured in a CUDA
//! graph and replayed, is the device's own time; **end to end** is from the call to the scalar on the host.

use std::time::Instant;

use super::driver::{Driver, Graph, Handle};
use crate::Outcome;

/// Enqueues the call of a number on the stream.
pub(super) type Call<'a> = &'a mut dyn FnMut(usize) -> Outcome<()>;

/// A clock for one stream.
pub(super) struct Clock<'d> {
    driver: &'d Driver,
    stream: Handle,
    start: Handle,
    stop: Handle,
}

/// A number of calls in a graph.
pub(super) struct Replay<'d> {
    graph: Graph<'d>,
    calls: usize,
}

impl<'d> Clock<'d> {
    /// A clock for `stream`.
    ///
    /// # Safety
    /// `stream` is a stream of the driver's current context and outlives the clock.
    pub(super) unsafe fn new(driver: &'d Driver, stream: Handle) -> Outcome<Self> {
        Ok(Self { driver, stream, start: driver.event()?, stop: driver.event()? })
    }

    /// Waits until everything enqueued has run.
    pub(super) fn settle(&self) -> Outcome<()> {
        // SAFETY: the maker of the clock vouches for the stream.
        unsafe { self.driver.synchronize(self.stream) }
    }

    /// Microseconds per call of `calls` calls one after another.
    pub(super) fn stream(&self, calls: usize, call: Call<'_>) -> Outcome<f64> {
        self.between_events(calls, &mut || (0..calls).try_for_each(&mut *call))
    }

    /// `calls` calls as a graph.
    pub(super) fn capture(&self, calls: usize, call: Call<'_>) -> Outcome<Replay<'d>> {
        // SAFETY: the maker of the clock vouches for the stream; a contender's memory outlives its contest,
        // in which the graph lives.
        let graph = unsafe { self.driver.capture(self.stream, &mut || (0..calls).try_for_each(&mut *call)) }?;
        Ok(Replay { graph, calls })
    }

    /// Microseconds per call of a graph's calls.
    pub(super) fn replay(&self, replay: &Replay<'_>) -> Outcome<f64> {
        // SAFETY: as for `capture`.
        self.between_events(replay.calls, &mut || unsafe { replay.graph.launch(self.stream) })
    }

    /// Microseconds that one call takes on the host.
    pub(super) fn end_to_end(&self, call: &mut dyn FnMut() -> Outcome<()>) -> Outcome<f64> {
        let start = Instant::now();
        call()?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    }

    fn between_events(&self, calls: usize, enqueue: &mut dyn FnMut() -> Outcome<()>) -> Outcome<f64> {
        // SAFETY: the maker of the clock vouches for the stream; the events are the clock's own.
        unsafe { self.driver.record(self.start, self.stream) }?;
        enqueue()?;
        // SAFETY: as above.
        unsafe { self.driver.record(self.stop, self.stream) }?;
        // SAFETY: both were recorded above.
        Ok(unsafe { self.driver.elapsed(self.start, self.stop) }? / calls as f64)
    }
}
