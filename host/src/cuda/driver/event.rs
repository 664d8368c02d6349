//! A moment in a stream's work.

use std::ptr;
use std::sync::Arc;

use super::{Context, Queue, raw};
use crate::error::Error;

/// An event that has been recorded, with a time stamp.
#[derive(Debug)]
pub(in crate::cuda) struct Event {
    context: Arc<Context>,
    raw: raw::Handle,
}

// SAFETY: the driver takes an event from any thread; calls bind the context first.
unsafe impl Send for Event {}
// SAFETY: as above; a shared event is only waited for and read.
unsafe impl Sync for Event {}

impl Event {
    /// Records the moment when all work enqueued so far has ended.
    pub(in crate::cuda) fn record(queue: &Queue) -> Result<Self, Error> {
        const DURING: &str = "recording an event";
        if queue.is_recording() {
            return Err(Error::Capturing { during: DURING });
        }
        let context = queue.context();
        let _bound = context.bind()?;
        let mut event = ptr::null_mut();
        // SAFETY: writes one handle to a local; the context is bound.
        context.check(unsafe { raw::cuEventCreate(&raw mut event, raw::EVENT_DEFAULT) }, DURING)?;
        let event = Self { context: context.clone(), raw: event };
        // SAFETY: both are of the bound context; the driver may be told to destroy the event before it happens.
        queue.enqueue(DURING, |stream| unsafe { raw::cuEventRecord(event.raw, stream) })?;
        Ok(event)
    }

    /// Waits for both and gives the milliseconds between them (resolution about 0.5 microseconds, cuda.h).
    pub(in crate::cuda) fn elapsed_ms(&self, later: &Self) -> Result<f64, Error> {
        const DURING: &str = "measuring time between events";
        if !self.context.is(&later.context) {
            return Err(Error::OtherDevice {
                array: later.context.ordinal(),
                stream: self.context.ordinal(),
            });
        }
        let context = &self.context;
        let _bound = context.bind()?;
        let mut milliseconds = 0.0;
        // SAFETY: both events are of the bound context and were recorded; writes one number to a local.
        unsafe {
            context.check(raw::cuEventSynchronize(self.raw), DURING)?;
            context.check(raw::cuEventSynchronize(later.raw), DURING)?;
            context.check(raw::cuEventElapsedTime(&raw mut milliseconds, self.raw, later.raw), DURING)?;
        }
        Ok(f64::from(milliseconds))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created in this context and destroyed here alone.
        self.context.release(|| unsafe { raw::cuEventDestroy_v2(self.raw) });
    }
}
