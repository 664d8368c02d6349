//! A reusable mark in a stream's work.

use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::CudaResult;
use crate::stream::Stream;
use crate::sys;

/// A mark in a stream's work, which can be set again and again and waited for.
#[derive(Debug)]
pub struct Mark {
    context: Arc<Context>,
    event: sys::Handle,
    set: bool,
}

// SAFETY: the driver takes an event from any thread; calls bind the context first.
unsafe impl Send for Mark {}

impl Mark {
    /// Creates a mark that is already reached.
    ///
    /// # Errors
    /// [`CudaError::Driver`](crate::error::CudaError::Driver) if the driver refuses.
    pub fn new(context: &Arc<Context>) -> CudaResult<Self> {
        let _bound = context.bind()?;
        let mut event = ptr::null_mut();
        // SAFETY: writes one handle to a local; the context is bound.
        let code = unsafe { sys::cuEventCreate(&raw mut event, sys::EVENT_DISABLE_TIMING) };
        context.check(code, "making an event")?;
        Ok(Self { context: context.clone(), event, set: false })
    }

    /// Sets the mark after all work enqueued so far.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn set(&mut self, stream: &Stream) -> CudaResult<()> {
        self.context.same_device(stream.context())?;
        // SAFETY: both are of one context, which `enqueue` binds.
        stream.enqueue("marking the end of a copy or a launch", |stream| unsafe {
            sys::cuEventRecord(self.event, stream)
        })?;
        self.set = true;
        Ok(())
    }

    /// Waits until the mark that was set last is reached.
    ///
    /// # Errors
    /// As [`new`](Self::new), and once the device has stopped working.
    pub fn wait(&self) -> CudaResult<()> {
        if !self.set {
            return self.context.usable();
        }
        let _bound = self.context.bind()?;
        // SAFETY: the event lives as long as `self`; the context is bound.
        let code = unsafe { sys::cuEventSynchronize(self.event) };
        self.context.check(code, "waiting for a copy or a launch")
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // SAFETY: created in this context and destroyed only here; the driver allows that before the event is reached.
        self.context.release(|| unsafe { sys::cuEventDestroy_v2(self.event) });
    }
}
