//! The three ways to time a call. **Stream**: calls one after another between two events, the time of most
//! programs, which includes the host's launches. **Graph**: the same calls captured in a CUDA graph and
//! replayed, the device's own time. **End to end**: from the call to the scalar on the host.

use std::time::Instant;

use super::driver::{Driver, Handle};
use crate::Outcome;

/// A clock for one stream.
pub(super) struct Clock<'d> {
    driver: &'d Driver,
    stream: Handle,
    start: Handle,
    stop: Handle,
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

    /// Microseconds on the device between the start and the end of the work that `enqueue` puts on the stream.
    pub(super) fn on_device(&self, enqueue: &mut dyn FnMut() -> Outcome<()>) -> Outcome<f64> {
        // SAFETY: the maker of the clock vouches for the stream; the events are the clock's own.
        unsafe { self.driver.record(self.start, self.stream) }?;
        enqueue()?;
        // SAFETY: as above.
        unsafe { self.driver.record(self.stop, self.stream) }?;
        // SAFETY: both were recorded above.
        unsafe { self.driver.elapsed(self.start, self.stop) }
    }

    /// Microseconds that `call` takes on the host.
    pub(super) fn on_host(&self, call: &mut dyn FnMut() -> Outcome<()>) -> Outcome<f64> {
        let start = Instant::now();
        call()?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    }
}
