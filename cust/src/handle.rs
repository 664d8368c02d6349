//! A driver stream that any thread may wait for: this crate's own, or another library's.

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};
use std::thread::ThreadId;

use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::nccl::{Guard, Waited};
use crate::{fork, sys};

/// A driver stream.
#[derive(Debug)]
pub struct StreamHandle {
    context: Arc<Context>,
    stream: sys::Handle,
    /// Whether calls are recorded to a graph instead of run.
    recording: AtomicBool,
    /// Held shared by calls that query the stream or wait for it, from their check of the state until the driver has
    /// answered; held exclusively while a recording starts and while the stream is given back.
    watched: RwLock<()>,
    /// What the stream's unfinished work needs of other ranks.
    guards: Mutex<Vec<Guard>>,
    owner: Owner,
}

/// The owner, who destroys the stream.
#[derive(Debug)]
enum Owner {
    /// This crate.
    Us,
    /// Another library, which lent the stream.
    Another {
        /// The thread whose default stream it is. On any other thread the same number means another stream.
        thread: Option<ThreadId>,
        /// The result of its work, set when the stream is given back. From then on the stream may no longer exist.
        given_back: OnceLock<CudaResult<()>>,
    },
}

// SAFETY: the driver takes a stream from any thread; calls bind the context first, and refuse where the number means
// another stream.
unsafe impl Send for StreamHandle {}
// SAFETY: as above; calls through a shared handle only wait and query.
unsafe impl Sync for StreamHandle {}

const WAITING: &str = "waiting for the stream";

impl StreamHandle {
    /// Creates a stream that does not synchronize with the legacy default stream.
    pub(crate) fn new(context: &Arc<Context>) -> CudaResult<Self> {
        let _bound = context.bind()?;
        let mut stream = ptr::null_mut();
        // SAFETY: writes one handle to a local; the context is bound.
        let code = unsafe { sys::cuStreamCreate(&raw mut stream, sys::STREAM_NON_BLOCKING) };
        context.check(code, "creating a stream")?;
        Ok(Self::of(context, stream, Owner::Us))
    }

    /// Creates a stream whose blocks are placed before the blocks of other streams.
    pub(crate) fn urgent(context: &Arc<Context>) -> CudaResult<Self> {
        let _bound = context.bind()?;
        let mut stream = ptr::null_mut();
        // SAFETY: writes one handle to a local; the context is bound. The driver clamps priorities. Lower numbers are
        // greater priorities.
        let code = unsafe { sys::cuStreamCreateWithPriority(&raw mut stream, sys::STREAM_NON_BLOCKING, -1) };
        context.check(code, "creating a stream")?;
        Ok(Self::of(context, stream, Owner::Us))
    }

    /// Borrows another library's stream, which must be one of this context.
    ///
    /// # Safety
    /// `stream` is a stream, or one of the driver's special handles, until [`give_back`](Self::give_back) is called.
    pub(crate) unsafe fn borrow(context: &Arc<Context>, stream: sys::Handle) -> CudaResult<Self> {
        let _bound = context.bind()?;
        let mut theirs = ptr::null_mut();
        // SAFETY: `stream` is valid, as the caller promises; writes one handle to a local; the context is bound.
        let code = unsafe { sys::cuStreamGetCtx(stream, &raw mut theirs) };
        context.check(code, "asking for a stream's context")?;
        if theirs != context.raw() {
            return Err(CudaError::Foreign {
                address: stream.addr() as u64,
                why: "the stream is not one of this device's primary context: open the device that it is on",
            });
        }
        let thread = (stream.addr() == sys::STREAM_PER_THREAD).then(|| std::thread::current().id());
        let owner = Owner::Another { thread, given_back: OnceLock::new() };
        Ok(Self::of(context, stream, owner))
    }

    fn of(context: &Arc<Context>, stream: sys::Handle, owner: Owner) -> Self {
        let (recording, watched) = (AtomicBool::new(false), RwLock::new(()));
        Self { context: context.clone(), stream, recording, watched, guards: Mutex::default(), owner }
    }

    /// Returns the context of the stream.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Returns the driver's handle (`CUstream`).
    #[must_use]
    pub fn as_raw(&self) -> sys::Handle {
        self.stream
    }

    /// Returns whether calls are recorded to a graph.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.recording.load(Ordering::Relaxed)
    }

    /// Sets whether calls are recorded.
    pub(crate) fn set_recording(&self, recording: bool) {
        self.recording.store(recording, Ordering::Relaxed);
    }

    /// Starts a recording by `begin`, while no other thread queries the stream, because a query would end the
    /// recording.
    pub(crate) fn start_recording(&self, begin: impl FnOnce() -> CudaResult<()>) -> CudaResult<()> {
        let _alone = self.watched.write().unwrap_or_else(PoisonError::into_inner);
        begin()?;
        self.set_recording(true);
        Ok(())
    }

    /// Keeps recordings from starting, and the stream from being given back, as long as the guard lives. Fails in a
    /// forked child, where a guard of another thread would never be released.
    fn watch(&self) -> CudaResult<RwLockReadGuard<'_, ()>> {
        self.context.usable()?;
        Ok(self.watched.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Fails if nothing may be enqueued: another library records its stream, or the number means another stream on this
    /// thread. The caller has bound the context.
    pub(crate) fn takes_work(&self, during: &'static str) -> CudaResult<()> {
        if self.is_elsewhere() {
            return Err(CudaError::Foreign {
                address: self.stream.addr() as u64,
                why: "a thread's default stream takes work from that thread alone: make the stream on this one",
            });
        }
        self.is_not_recorded_by_its_owner(during)
    }

    /// Waits until all work has ended.
    ///
    /// # Errors
    /// [`CudaError::Capturing`] while the stream records a graph; [`CudaError::Poisoned`]; [`CudaError::Driver`].
    pub fn wait(&self) -> CudaResult<()> {
        let Waited { ended, moved } = self.wait_apart()?;
        ended.and(moved)
    }

    /// Waits until all work has ended, also if it moved nothing.
    pub(crate) fn wait_apart(&self) -> CudaResult<Waited> {
        let _watched = self.watch()?;
        if self.is_recording() {
            return Err(CudaError::Capturing { during: WAITING });
        }
        let _bound = self.context.bind()?;
        let is_given_back =
            matches!(&self.owner, Owner::Another { given_back, .. } if given_back.get().is_some());
        if !is_given_back && !self.is_elsewhere() {
            self.is_not_recorded_by_its_owner(WAITING)?;
            if let Some(waited) = self.wait_guarded(Self::is_idle) {
                return Ok(waited);
            }
        }
        self.wait_watched().map(|()| Waited { ended: Ok(()), moved: Ok(()) })
    }

    /// Returns whether the driver has ended the work. The caller has bound the context.
    fn is_idle(&self) -> CudaResult<bool> {
        // SAFETY: as in `wait_watched`.
        match unsafe { sys::cuStreamQuery(self.stream) } {
            sys::NOT_READY => Ok(false),
            code => self.context.check(code, WAITING).map(|()| true),
        }
    }

    pub(crate) fn guards(&self) -> &Mutex<Vec<Guard>> {
        &self.guards
    }

    fn wait_watched(&self) -> CudaResult<()> {
        if let Owner::Another { given_back, .. } = &self.owner
            && let Some(ended) = given_back.get()
        {
            return ended.clone();
        }
        if self.is_recording() {
            return Err(CudaError::Capturing { during: WAITING });
        }
        let _bound = self.context.bind()?;
        if self.is_elsewhere() {
            // SAFETY: no arguments; the context is bound. It waits for all streams, including this one.
            return self.context.check(unsafe { sys::cuCtxSynchronize() }, WAITING);
        }
        self.is_not_recorded_by_its_owner(WAITING)?;
        // SAFETY: an own stream lives as long as `self`; a borrowed one is not given back while the guard of `watch`
        // lives.
        self.context.check(unsafe { sys::cuStreamSynchronize(self.stream) }, WAITING)
    }

    /// Returns whether all work has ended. Returns false while the stream records, when the driver must not be asked.
    /// Where the number means another stream, waits for all work of the device.
    ///
    /// # Errors
    /// [`CudaError::Poisoned`] once the device has stopped working; [`CudaError::Driver`].
    pub fn has_ended(&self) -> CudaResult<bool> {
        const DURING: &str = "asking whether the stream's work has ended";
        let _watched = self.watch()?;
        if let Owner::Another { given_back, .. } = &self.owner
            && let Some(ended) = given_back.get()
        {
            return ended.clone().map(|()| true);
        }
        if self.is_recording() {
            return self.context.usable().map(|()| false);
        }
        if self.is_elsewhere() {
            return self.wait_watched().map(|()| true);
        }
        let _bound = self.context.bind()?;
        self.is_not_recorded_by_its_owner(DURING)?;
        // SAFETY: as in `wait_watched`.
        match unsafe { sys::cuStreamQuery(self.stream) } {
            sys::NOT_READY => self.sides_have_ended(Self::is_idle).map(|_| false),
            code => {
                self.context.check(code, DURING)?;
                self.sides_have_ended(Self::is_idle)
            }
        }
    }

    /// Waits for the work, if `busy`. Another library's stream is not used from then on. Fails in a forked child, which
    /// can wait neither for the work nor for threads of the parent.
    pub(crate) fn give_back(&self, busy: bool) -> CudaResult<()> {
        if fork::forked() {
            return Err(CudaError::Forked);
        }
        let ended = if busy { self.wait_apart().and_then(|waited| waited.ended) } else { Ok(()) };
        if let Owner::Another { given_back, .. } = &self.owner {
            let _alone = self.watched.write().unwrap_or_else(PoisonError::into_inner);
            return given_back.get_or_init(|| ended).clone();
        }
        ended
    }

    /// Returns whether the number means another stream on this thread.
    fn is_elsewhere(&self) -> bool {
        match &self.owner {
            Owner::Another { thread: Some(thread), .. } => *thread != std::thread::current().id(),
            _ => false,
        }
    }

    /// Returns whether the driver records the stream. The caller has bound the context.
    pub(crate) fn is_captured(&self, during: &'static str) -> CudaResult<bool> {
        let mut status = 0;
        // SAFETY: as in `wait_watched`; writes one number to a local.
        self.context.check(unsafe { sys::cuStreamIsCapturing(self.stream, &raw mut status) }, during)?;
        match status {
            sys::STREAM_CAPTURE_STATUS_NONE => Ok(false),
            sys::STREAM_CAPTURE_STATUS_ACTIVE => Ok(true),
            _ => Err(CudaError::Capturing { during }),
        }
    }

    /// Fails while another library records its stream to its own graph, because nothing would keep alive what that
    /// graph uses.
    fn is_not_recorded_by_its_owner(&self, during: &'static str) -> CudaResult<()> {
        if matches!(self.owner, Owner::Us) || self.is_recording() {
            return Ok(());
        }
        if self.is_captured(during)? { Err(CudaError::Capturing { during }) } else { Ok(()) }
    }
}

impl Drop for StreamHandle {
    fn drop(&mut self) {
        if matches!(self.owner, Owner::Us) {
            // SAFETY: created in this context and destroyed only here; the driver finishes its work first.
            self.context.release(|| unsafe { sys::cuStreamDestroy_v2(self.stream) });
        }
    }
}
