//! A stream of the driver's, which keeps what its unfinished work uses.

use std::any::Any;
use std::cell::RefCell;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Context, raw};
use crate::error::Error;

/// Something that work on the device uses.
pub(super) type Kept = Arc<dyn Any + Send + Sync>;

/// At most so many things are kept before the queue waits of itself, so that a program which never waits holds on
/// to a bounded number of dropped arrays.
const MOST_KEPT: usize = 64;

/// Work for the device, in order. Used by one thread at a time (it is not `Sync`), so that a reduction's several
/// launches are not torn apart and need no lock.
#[derive(Debug)]
pub(in crate::cuda) struct Queue {
    handle: Arc<Handle>,
    kept: RefCell<Vec<Kept>>,
}

/// The stream itself, which any thread may wait for.
#[derive(Debug)]
pub(in crate::cuda) struct Handle {
    context: Arc<Context>,
    stream: raw::Handle,
    /// Whether calls are recorded to a graph instead of run.
    recording: AtomicBool,
}

// SAFETY: the driver takes a stream from any thread; calls bind the context first.
unsafe impl Send for Handle {}
// SAFETY: as above; the only call made through a shared handle is the wait.
unsafe impl Sync for Handle {}

impl Queue {
    /// Creates a stream that does not wait for the legacy stream.
    pub(in crate::cuda) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let _bound = context.bind()?;
        let mut stream = ptr::null_mut();
        // SAFETY: writes one handle to a local; the context is bound.
        let code = unsafe { raw::cuStreamCreate(&raw mut stream, raw::STREAM_NON_BLOCKING) };
        context.check(code, "creating a stream")?;
        let handle = Handle { context: context.clone(), stream, recording: AtomicBool::new(false) };
        Ok(Self { handle: Arc::new(handle), kept: RefCell::new(Vec::with_capacity(MOST_KEPT)) })
    }

    /// Whose it is.
    pub(in crate::cuda) fn context(&self) -> &Arc<Context> {
        &self.handle.context
    }

    /// The stream itself.
    pub(in crate::cuda) fn handle(&self) -> &Arc<Handle> {
        &self.handle
    }

    /// Whether calls are recorded to a graph.
    pub(in crate::cuda) fn is_recording(&self) -> bool {
        self.handle.recording.load(Ordering::Relaxed)
    }

    /// Says whether calls are recorded, and exchanges what is kept.
    pub(super) fn set_recording(&self, recording: bool, kept: Vec<Kept>) -> Vec<Kept> {
        self.handle.recording.store(recording, Ordering::Relaxed);
        self.kept.replace(kept)
    }

    /// Waits if very much is kept. To be called between reductions.
    pub(in crate::cuda) fn make_room(&self) -> Result<(), Error> {
        let full = self.kept.borrow().len() >= MOST_KEPT;
        if full && !self.is_recording() { self.wait() } else { Ok(()) }
    }

    /// Keeps something until a wait succeeds, or for a graph's lifetime while one is recorded.
    pub(super) fn keep<K: Any + Send + Sync>(&self, used: &Arc<K>) {
        let mut kept = self.kept.borrow_mut();
        if !kept.iter().rev().any(|kept| ptr::addr_eq(Arc::as_ptr(kept), Arc::as_ptr(used))) {
            kept.push(used.clone());
        }
    }

    /// Makes a call that enqueues work. What the work uses must have been kept before.
    pub(super) fn enqueue(
        &self,
        during: &'static str,
        call: impl FnOnce(raw::Handle) -> u32,
    ) -> Result<(), Error> {
        let context = self.context();
        let _bound = context.bind()?;
        context.check(call(self.handle.stream), during)
    }

    /// Makes a call that enqueues work on `used`, and waits for it: first the wait, then the report.
    pub(super) fn run<K: Any + Send + Sync>(
        &self,
        during: &'static str,
        used: &Arc<K>,
        call: impl FnOnce(raw::Handle) -> u32,
    ) -> Result<(), Error> {
        if self.is_recording() {
            return Err(Error::Capturing { during });
        }
        self.keep(used);
        let enqueued = self.enqueue(during, call);
        let waited = self.wait();
        enqueued.and(waited)
    }

    /// Waits until all work has ended, and lets go what was kept.
    pub(in crate::cuda) fn wait(&self) -> Result<(), Error> {
        self.handle.wait()?;
        self.kept.borrow_mut().clear();
        Ok(())
    }
}

impl Handle {
    /// Waits until all work has ended.
    pub(in crate::cuda) fn wait(&self) -> Result<(), Error> {
        const DURING: &str = "waiting for the stream";
        if self.recording.load(Ordering::Relaxed) {
            return Err(Error::Capturing { during: DURING });
        }
        let _bound = self.context.bind()?;
        // SAFETY: the stream is destroyed only with `self`.
        self.context.check(unsafe { raw::cuStreamSynchronize(self.stream) }, DURING)
    }

    /// The driver's handle (`CUstream`).
    pub(in crate::cuda) fn raw(&self) -> raw::Handle {
        self.stream
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let kept = self.kept.take();
        if !kept.is_empty() && self.handle.wait().is_err() {
            // Work may still use it.
            self.context().leaked(kept.len());
            std::mem::forget(kept);
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: created in this context and destroyed here alone; the driver ends its work first.
        self.context.release(|| unsafe { raw::cuStreamDestroy_v2(self.stream) });
    }
}
