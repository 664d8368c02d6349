//! Work for the device, in order, with everything that it uses.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::memory::Memory;
use crate::nccl::Waited;
use crate::sys;

pub use crate::handle::StreamHandle;

/// A resource of work on the device.
pub(crate) type Kept = Arc<dyn Any + Send + Sync>;

/// Lends memory for recorded work: returns the address of so many bytes, or `None` if there are not as many.
pub type Lender = Box<dyn Fn(usize) -> Option<u64> + Send>;

/// Something that a stream keeps as long as it lives, and notifies when work has ended.
pub trait Observer: Send + Sync {
    /// Called when all work that was enqueued before a wait has ended.
    fn work_ended(&self) {}
}

/// Most resources that are kept before [`Stream::make_room`] waits, so that a program that never waits holds a bounded
/// number of dropped arrays.
const MOST_KEPT: usize = 64;

/// The alignment of lent memory, which is that of the driver's.
const LENT_ALIGN: u64 = 256;

/// A queue of work for the device, done in order. One thread at a time uses it (it is not `Sync`), so related launches
/// stay together without a lock.
///
/// **The stream keeps everything that its unfinished work uses**, in one of three places. All are released only after
/// the work has ended; if that cannot be known, they are leaked and counted.
/// - Resources of some of the work ([`keep`](Self::keep)), until a wait.
/// - Resources of most of the work ([`reside`](Self::reside)), as long as the stream.
/// - Kernels, and observers of the end of work ([`add_observer`](Self::add_observer)), as long as the stream.
///
/// So memory may be dropped at any time: it is freed when no stream keeps it.
pub struct Stream {
    handle: Arc<StreamHandle>,
    kept: RefCell<Vec<Kept>>,
    resident: RefCell<Vec<Kept>>,
    observers: RefCell<Vec<Arc<dyn Observer>>>,
    /// What lends memory while the stream's owner records it.
    lender: RefCell<Option<Lender>>,
    /// Whether work may be unfinished.
    busy: Cell<bool>,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Stream");
        fields.field("handle", &self.handle).field("kept", &self.kept).field("resident", &self.resident);
        fields.field("observers", &self.observers).field("busy", &self.busy).finish_non_exhaustive()
    }
}

impl fmt::Debug for dyn Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl Stream {
    /// Creates a stream that does not synchronize with the legacy default stream.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver refuses.
    pub fn new(context: &Arc<Context>) -> CudaResult<Self> {
        Ok(Self::of(StreamHandle::new(context)?))
    }

    /// Borrows another library's stream, which is not destroyed when this is dropped.
    ///
    /// # Safety
    /// `stream` is a stream (`CUstream`), or one of the driver's special handles, until this is dropped.
    ///
    /// # Errors
    /// [`CudaError::Foreign`] if the stream is not of this context; [`CudaError::Driver`].
    pub unsafe fn borrow(context: &Arc<Context>, stream: sys::Handle) -> CudaResult<Self> {
        // SAFETY: the caller's promise; dropping `self` gives the stream back.
        Ok(Self::of(unsafe { StreamHandle::borrow(context, stream) }?))
    }

    /// Uses the legacy default stream, which every context has: creating it takes no memory of the device.
    ///
    /// # Errors
    /// [`CudaError::Driver`].
    pub fn legacy(context: &Arc<Context>) -> CudaResult<Self> {
        // SAFETY: null is the legacy default stream (CUDA Driver API, "Stream synchronization behavior"), always.
        unsafe { Self::borrow(context, ptr::null_mut()) }
    }

    fn of(handle: StreamHandle) -> Self {
        Self {
            handle: Arc::new(handle),
            kept: RefCell::new(Vec::with_capacity(MOST_KEPT)),
            resident: RefCell::default(),
            observers: RefCell::default(),
            lender: RefCell::default(),
            busy: Cell::new(false),
        }
    }

    /// Returns the context of the stream.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        self.handle.context()
    }

    /// Returns the driver stream, which any thread may wait for.
    #[must_use]
    pub fn handle(&self) -> &Arc<StreamHandle> {
        &self.handle
    }

    /// Returns whether calls are recorded to a graph.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.handle.is_recording()
    }

    /// Sets whether calls are recorded, and replaces what is kept.
    pub(crate) fn set_recording(&self, recording: bool, kept: Vec<Kept>) -> Vec<Kept> {
        self.handle.set_recording(recording);
        self.kept.replace(kept)
    }

    /// Sets what lends memory, and counts no work as unfinished: that of a recording runs later.
    pub(crate) fn set_lender(&self, lender: Option<Lender>) {
        *self.lender.borrow_mut() = lender;
        self.busy.set(false);
    }

    /// Returns whether the stream's owner records it, and lends the memory that work needs.
    #[must_use]
    pub fn is_lent(&self) -> bool {
        self.lender.borrow().is_some()
    }

    /// Borrows `bytes` bytes, if memory is lent.
    pub(crate) fn lent(&self, bytes: usize) -> CudaResult<Option<Arc<Memory>>> {
        let lender = self.lender.borrow();
        let Some(lend) = lender.as_ref() else { return Ok(None) };
        let address = lend(bytes.max(1)).ok_or(CudaError::OutOfMemory { bytes: bytes as u64 })?;
        if !address.is_multiple_of(LENT_ALIGN) {
            return Err(CudaError::Foreign { address, why: "lent memory must begin at a multiple of 256" });
        }
        // SAFETY: whoever set the lender promised that (`Joined::start`).
        unsafe { Memory::borrow(self.context(), address, bytes) }.map(Some)
    }

    /// Waits if many resources are kept, or many exchanges of NCCL are unfinished. Call it between groups of launches that belong together.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn make_room(&self) -> CudaResult<()> {
        let full = self.kept.borrow().len() >= MOST_KEPT || self.handle.is_full_of_moves();
        if full && !self.is_recording() { self.wait() } else { Ok(()) }
    }

    /// Keeps a resource until a wait succeeds or, while a graph is recorded, as long as the graph.
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

    /// Returns a resource that is kept until a wait and that only this stream has, the first that fits.
    pub(crate) fn kept_alone<K: Any + Send + Sync>(&self, fits: impl Fn(&K) -> bool) -> Option<Arc<K>> {
        let is_it = |kept: &&Kept| Arc::strong_count(kept) == 1 && kept.downcast_ref().is_some_and(&fits);
        self.kept.borrow().iter().find(is_it).cloned()?.downcast().ok()
    }

    /// Keeps a resource as long as the stream, so that keeping it again costs nothing.
    pub fn reside<K: Any + Send + Sync>(&self, used: &Arc<K>) {
        self.resident.borrow_mut().push(used.clone());
    }

    /// Keeps an observer as long as the stream, and notifies it after each wait.
    pub fn add_observer(&self, observer: Arc<dyn Observer>) {
        self.observers.borrow_mut().push(observer);
    }

    /// Releases the resources that are kept until a wait. For work whose end is known without one.
    ///
    /// # Safety
    /// All work that was enqueued before the last launch has ended, and what that launch uses resides in the stream or
    /// is kept elsewhere.
    pub unsafe fn let_go(&self) {
        self.kept.borrow_mut().clear();
    }

    /// Makes a call that enqueues work, with the driver's handle. The caller has kept what the work uses.
    pub(crate) fn enqueue(
        &self,
        during: &'static str,
        call: impl FnOnce(sys::Handle) -> u32,
    ) -> CudaResult<()> {
        self.enqueue_by(during, |stream| self.context().check(call(stream), during))
    }

    /// Does [`enqueue`](Self::enqueue) by a call with errors of its own.
    pub(crate) fn enqueue_by(
        &self,
        during: &'static str,
        call: impl FnOnce(sys::Handle) -> CudaResult<()>,
    ) -> CudaResult<()> {
        self.mark(during, true)?;
        let _bound = self.context().bind()?;
        self.handle.takes_work(during)?;
        self.busy.set(true);
        call(self.handle.as_raw())?;
        self.mark(during, false)
    }

    /// Enqueues work on `used` by `call`, and waits for it, also after an error of the call. When it returns, the work has ended, or
    /// the context is dead.
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
        let called = Cell::new(false);
        let enqueued = self.enqueue(during, |stream| {
            called.set(true);
            call(stream)
        });
        let waited = self.wait();
        if let Err(error) = &waited
            && called.get()
            && self.is_busy()
        {
            self.context().outlast(error);
        }
        enqueued.and(waited)
    }

    /// Returns whether work may be unfinished: some was enqueued after the last wait that succeeded.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy.get()
    }

    /// Waits until all work has ended, and releases the resources that were kept until a wait.
    ///
    /// # Errors
    /// [`CudaError::Capturing`] while the stream records a graph; [`CudaError::Nccl`] if other ranks did not do what the
    /// work needs of them; [`CudaError::Poisoned`]; [`CudaError::Driver`].
    pub fn wait(&self) -> CudaResult<()> {
        let Waited { ended, moved } = self.handle.wait_apart()?;
        ended?;
        self.busy.set(false);
        self.kept.borrow_mut().clear();
        self.observers.borrow().iter().for_each(|observer| observer.work_ended());
        moved
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.handle.give_back(self.busy.get()).is_err() {
            // Unfinished work may still use them.
            let (kept, resident, observers) = (self.kept.take(), self.resident.take(), self.observers.take());
            self.context().leaked(kept.len() + resident.len() + observers.len());
            std::mem::forget((kept, resident, observers));
        }
    }
}
