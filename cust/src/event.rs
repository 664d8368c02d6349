//! A point in a stream's work.

use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::stream::Stream;
use crate::sys;

/// A recorded event, with a time stamp.
#[derive(Debug)]
pub struct Event {
    context: Arc<Context>,
    raw: sys::Handle,
}

// SAFETY: the driver takes an event from any thread; calls bind the context first.
unsafe impl Send for Event {}
// SAFETY: as above; threads only wait for a shared event and read it.
unsafe impl Sync for Event {}

impl Event {
    /// Records the moment when all work enqueued so far has ended.
    ///
    /// # Errors
    /// [`CudaError::Capturing`] while the stream records a graph; [`CudaError::Driver`].
    pub fn record(stream: &Stream) -> CudaResult<Self> {
        const DURING: &str = "recording an event";
        if stream.is_recording() {
            return Err(CudaError::Capturing { during: DURING });
        }
        let context = stream.context();
        let _bound = context.bind()?;
        let mut event = ptr::null_mut();
        // SAFETY: writes one handle to a local; the context is bound.
        context.check(unsafe { sys::cuEventCreate(&raw mut event, sys::EVENT_DEFAULT) }, DURING)?;
        let event = Self { context: context.clone(), raw: event };
        // SAFETY: both are of the bound context. The event may be destroyed before it is reached: the driver allows
        // that.
        stream.enqueue(DURING, |stream| unsafe { sys::cuEventRecord(event.raw, stream) })?;
        Ok(event)
    }

    /// Waits for both events, and returns the milliseconds between them (resolution about 0.5 microseconds, cuda.h).
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`]; [`CudaError::Driver`] if a wait fails.
    pub fn elapsed_ms(&self, later: &Self) -> CudaResult<f64> {
        const DURING: &str = "measuring time between events";
        later.context.same_device(&self.context)?;
        let context = &self.context;
        let _bound = context.bind()?;
        let mut milliseconds = 0.0;
        // SAFETY: both events are of the bound context and were recorded; writes one number to a local.
        unsafe {
            context.check(sys::cuEventSynchronize(self.raw), DURING)?;
            context.check(sys::cuEventSynchronize(later.raw), DURING)?;
            context.check(sys::cuEventElapsedTime(&raw mut milliseconds, self.raw, later.raw), DURING)?;
        }
        Ok(f64::from(milliseconds))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created in this context and destroyed only here.
        self.context.release(|| unsafe { sys::cuEventDestroy_v2(self.raw) });
    }
}
