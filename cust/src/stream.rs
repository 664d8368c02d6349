//! Work for the device, in order, and what it uses for as long as it does.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::sys;

pub use crate::handle::StreamHandle;

/// Something that work on the device uses.
pub(crate) type Kept = Arc<dyn Any + Send + Sync>;

/// Something that a stream keeps as long as it lives, and tells when work has ended.
pub trait Observer: Send + Sync {
    /// All work that the stream had when it was waited for has ended.
    fn work_ended(&self) {}
}

/// At most so many things are kept before [`Stream::make_room`] waits, so that a program which never waits holds on to a
/// bounded number of dropped arrays.
const MOST_KEPT: usize = 64;

/// Work for the device, in order. Used by one thread at a time (it is not `Sync`), so that several launches which belong
/// together are not torn apart and need no lock.
///
/// **The stream keeps whatever its unfinished work uses.** It is in one of three places, all let go only after the work has
/// ended, and all leaked and counted if that cannot be learnt:
/// - what some of the work uses ([`keep`](Self::keep)), until a wait;
/// - what most of it uses ([`reside`](Self::reside)), as long as the stream;
/// - kernels, and what wants to know when work has ended ([`add_observer`](Self::add_observer)), as long as the stream.
///
/// So memory may be dropped at any time: it is freed when no stream keeps it.
#[derive(Debug)]
pub struct Stream {
    handle: Arc<StreamHandle>,
    kept: RefCell<Vec<Kept>>,
    resident: RefCell<Vec<Kept>>,
    observers: RefCell<Vec<Arc<dyn Observer>>>,
    /// Whether work may be unfinished.
    busy: Cell<bool>,
}

impl fmt::Debug for dyn Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl Stream {
    /// Creates a stream that does not wait for the legacy stream.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver refuses.
    pub fn new(context: &Arc<Context>) -> CudaResult<Self> {
        Ok(Self::of(StreamHandle::new(context)?))
    }

    /// Work on another library's stream, which is not destroyed when this is dropped.
    ///
    /// # Safety
    /// `stream` is a stream (`CUstream`), or one of the driver's special handles, until this was dropped.
    ///
    /// # Errors
    /// [`CudaError::Foreign`] if the stream is not of this context; [`CudaError::Driver`].
    pub unsafe fn borrow(context: &Arc<Context>, stream: sys::Handle) -> CudaResult<Self> {
        // SAFETY: the caller's promise; dropping `self` gives the stream back.
        Ok(Self::of(unsafe { StreamHandle::borrow(context, stream) }?))
    }

    fn of(handle: StreamHandle) -> Self {
        Self {
            handle: Arc::new(handle),
            kept: RefCell::new(Vec::with_capacity(MOST_KEPT)),
            resident: RefCell::default(),
            observers: RefCell::default(),
            busy: Cell::new(false),
        }
    }

    /// Whose it is.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        self.handle.context()
    }

    /// The stream itself, which any thread may wait for.
    #[must_use]
    pub fn handle(&self) -> &Arc<StreamHandle> {
        &self.handle
    }

    /// Whether calls are recorded to a graph.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.handle.is_recording()
    }

    /// Says whether calls are recorded, and exchanges what is kept.
    pub(crate) fn set_recording(&self, recording: bool, kept: Vec<Kept>) -> Vec<Kept> {
        self.handle.set_recording(recording);
        self.kept.replace(kept)
    }

    /// Waits if very much is kept. To be called between calls whose launches belong together.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn make_room(&self) -> CudaResult<()> {
        let full = self.kept.borrow().len() >= MOST_KEPT;
        if full && !self.is_recording() { self.wait() } else { Ok(()) }
    }

    /// Keeps something until a wait succeeds, or for a graph's lifetime while one is recorded.
    pub fn keep<K: Any + Send + Sync>(&self, used: &Arc<K>) {
        let is_it = |kept: &Kept| ptr::addr_eq(Arc::as_ptr(kept), Arc::as_ptr(used));
        if !self.is_recording() && self.resident.borrow().iter().any(is_it) {
            return;
        }
        let mut kept = self.kept.borrow_mut();
        if !kept.iter().rev().any(is_it) {
            kept.push(used.clone());
        }
    }

    /// Returns something that fits among what is kept until a wait, if nobody else has it.
    pub(crate) fn kept_alone<K: Any + Send + Sync>(&self, fits: impl Fn(&K) -> bool) -> Option<Arc<K>> {
        let is_it =
            |kept: &&Kept| Arc::strong_count(kept) == 1 && kept.downcast_ref().is_some_and(|kept| fits(kept));
        self.kept.borrow().iter().find(is_it).cloned()?.downcast().ok()
    }

    /// Keeps something as long as the stream, so that keeping it again costs nothing.
    pub fn reside<K: Any + Send + Sync>(&self, used: &Arc<K>) {
        self.resident.borrow_mut().push(used.clone());
    }

    /// Keeps something as long as the stream, and tells it after each wait that all work has ended.
    pub fn add_observer(&self, observer: Arc<dyn Observer>) {
        self.observers.borrow_mut().push(observer);
    }

    /// Lets go what was kept until a wait. For work whose end is known without one.
    ///
    /// # Safety
    /// All work that was enqueued before the last launch has ended, and what that launch uses resides in the stream or is
    /// kept elsewhere.
    pub unsafe fn let_go(&self) {
        self.kept.borrow_mut().clear();
    }

    /// Makes a call that enqueues work, which gets the driver's handle. What the work uses must have been kept before.
    pub(crate) fn enqueue(
        &self,
        during: &'static str,
        call: impl FnOnce(sys::Handle) -> u32,
    ) -> CudaResult<()> {
        self.mark(during, true)?;
        let context = self.context();
        let _bound = context.bind()?;
        self.handle.takes_work(during)?;
        self.busy.set(true);
        context.check(call(self.handle.as_raw()), during)?;
        self.mark(during, false)
    }

    /// Makes a call that enqueues work on `used`, and waits for it: first the wait, then the report.
    pub(crate) fn run<K: Any + Send + Sync>(
        &self,
        during: &'static str,
        used: &Arc<K>,
        call: impl FnOnce(sys::Handle) -> u32,
    ) -> CudaResult<()> {
        if self.is_recording() {
            return Err(CudaError::Capturing { during });
        }
        self.keep(used);
        let enqueued = self.enqueue(during, call);
        let waited = self.wait();
        enqueued.and(waited)
    }

    /// Waits until all work has ended, and lets go what was kept.
    ///
    /// # Errors
    /// [`CudaError::Capturing`] while the stream records a graph; [`CudaError::Poisoned`]; [`CudaError::Driver`].
    pub fn wait(&self) -> CudaResult<()> {
        self.handle.wait()?;
        self.busy.set(false);
        self.kept.borrow_mut().clear();
        self.observers.borrow().iter().for_each(|observer| observer.work_ended());
        Ok(())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.handle.give_back(self.busy.get()).is_err() {
            // Work may still use all of it.
            let (kept, resident, observers) = (self.kept.take(), self.resident.take(), self.observers.take());
            self.context().leaked(kept.len() + resident.len() + observers.len());
            std::mem::forget((kept, resident, observers));
        }
    }
}
