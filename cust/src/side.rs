//! A stream beside another, whose work goes on at the same time, and the points where one waits for the other.

use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::CudaResult;
use crate::handle::StreamHandle;
use crate::stream::Stream;
use crate::sys;

/// A stream that takes only moves between ranks, of greater priority than others. It keeps nothing: the
/// [`Stream`] beside which it works does, and waits for both.
#[derive(Debug)]
pub struct Side {
    handle: Arc<StreamHandle>,
}

/// A point in a stream's work, for which another stream waits on the device.
#[derive(Debug)]
pub struct Signal {
    context: Arc<Context>,
    raw: sys::Handle,
}

// SAFETY: the driver takes an event from any thread; calls bind the context first.
unsafe impl Send for Signal {}
// SAFETY: as above.
unsafe impl Sync for Signal {}

const GIVING: &str = "giving another stream a signal";
const AWAITING: &str = "having a stream wait for another";

impl Side {
    /// Creates a stream.
    ///
    /// # Errors
    /// [`CudaError::Driver`](crate::error::CudaError::Driver) if the driver refuses.
    pub fn new(context: &Arc<Context>) -> CudaResult<Self> {
        Ok(Self { handle: Arc::new(StreamHandle::urgent(context)?) })
    }

    pub(crate) fn handle(&self) -> &Arc<StreamHandle> {
        &self.handle
    }

    /// Gives the signal when the work enqueued so far has ended.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`](crate::error::CudaError::OtherDevice),
    /// [`CudaError::Driver`](crate::error::CudaError::Driver).
    pub fn give(&self, signal: &Signal) -> CudaResult<()> {
        let context = self.handle.context();
        signal.context.same_device(context)?;
        let _bound = context.bind()?;
        // SAFETY: both are of the bound context.
        context.check(unsafe { sys::cuEventRecord(signal.raw, self.handle.as_raw()) }, GIVING)
    }

    /// Has later work wait for the signal, as it was given last.
    ///
    /// # Errors
    /// As [`give`](Self::give).
    pub fn await_signal(&self, signal: &Signal) -> CudaResult<()> {
        let context = self.handle.context();
        signal.context.same_device(context)?;
        let _bound = context.bind()?;
        // SAFETY: both are of the bound context.
        context.check(unsafe { sys::cuStreamWaitEvent(self.handle.as_raw(), signal.raw, 0) }, AWAITING)
    }
}

impl Signal {
    /// Creates a signal that was not given: nothing waits for it.
    ///
    /// # Errors
    /// [`CudaError::Driver`](crate::error::CudaError::Driver) if the driver refuses.
    pub fn new(context: &Arc<Context>) -> CudaResult<Self> {
        let _bound = context.bind()?;
        let mut event = ptr::null_mut();
        // SAFETY: writes one handle to a local; the context is bound.
        let code = unsafe { sys::cuEventCreate(&raw mut event, sys::EVENT_DISABLE_TIMING) };
        context.check(code, "creating a signal between streams")?;
        Ok(Self { context: context.clone(), raw: event })
    }
}

impl Stream {
    /// Gives the signal when the work enqueued so far has ended.
    ///
    /// # Errors
    /// As [`Side::give`].
    pub fn give(&self, signal: &Signal) -> CudaResult<()> {
        signal.context.same_device(self.context())?;
        // SAFETY: both are of the bound context.
        self.enqueue(GIVING, |stream| unsafe { sys::cuEventRecord(signal.raw, stream) })
    }

    /// Has later work wait for the signal, as it was given last.
    ///
    /// # Errors
    /// As [`Side::give`].
    pub fn await_signal(&self, signal: &Signal) -> CudaResult<()> {
        signal.context.same_device(self.context())?;
        // SAFETY: both are of the bound context.
        self.enqueue(AWAITING, |stream| unsafe { sys::cuStreamWaitEvent(stream, signal.raw, 0) })
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        // SAFETY: created in this context and destroyed only here; the driver allows that while it is awaited.
        self.context.release(|| unsafe { sys::cuEventDestroy_v2(self.raw) });
    }
}
