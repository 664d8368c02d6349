//! A rank among others that exchange device memory.

use std::fmt;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytemuck::{Pod, Zeroable};

use super::bounded::bounded;
use super::library::{Functions, IN_PROGRESS, SUCCESS, loaded};
use super::wait::Pause;
use super::{NcclCode, NcclFault};
use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::fork;
use crate::sys::Handle;

/// Longest time for which dropping a communicator waits for what it still sends, before it is aborted.
const FAREWELL: Duration = Duration::from_secs(10);

/// What all ranks of a [`Communicator`] know (`ncclUniqueId`): one rank makes it, and sends it to the others.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct UniqueId([u8; 128]);

impl UniqueId {
    /// Creates an id. NCCL then listens in this process until all ranks have joined.
    ///
    /// # Errors
    /// [`CudaError::Nccl`] if there is no NCCL, or it fails.
    pub fn new() -> CudaResult<Self> {
        let mut id = Self::zeroed();
        // SAFETY: writes one id to a local.
        let code = unsafe { (loaded()?.ncclGetUniqueId)(&raw mut id) };
        plain(code, "making an id of NCCL").map(|()| id)
    }
}

impl fmt::Debug for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UniqueId")
    }
}

/// A rank of NCCL on a device (`ncclComm_t`). Streams keep it while their work uses it.
#[derive(Debug)]
pub struct Communicator {
    pub(super) context: Arc<Context>,
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) limit: Duration,
    pub(super) raw: Mutex<Raw>,
    pub(super) first_cause: OnceLock<Arc<CudaError>>,
}

/// NCCL's handle; null once it was aborted.
#[derive(Debug)]
pub(super) struct Raw(pub(super) Handle);

// SAFETY: NCCL takes a communicator from any thread, one at a time; the lock around it ensures that.
unsafe impl Send for Raw {}

impl Communicator {
    /// Returns the number of this rank.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the time limit of each call, and of each wait for a stream.
    #[must_use]
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// Returns the context of the rank's device.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Makes a call and waits until NCCL has done it. After an error the communicator is aborted. The caller has bound
    /// the context.
    pub(super) fn call(
        &self,
        during: &'static str,
        call: impl FnOnce(&Functions, Handle) -> u32,
    ) -> CudaResult<()> {
        let (functions, mut raw) = (loaded()?, self.lock());
        self.usable(during)?;
        let code = call(functions, raw.0);
        let done =
            done(functions, raw.0, code, self.limit).map_err(|fault| CudaError::Nccl { during, fault });
        done.inspect_err(|error| self.end(functions, &mut raw, error))
    }

    /// Fails if the communicator has ended.
    pub(super) fn usable(&self, during: &'static str) -> CudaResult<()> {
        self.context.usable()?;
        match self.first_cause.get() {
            None => Ok(()),
            Some(first_cause) => {
                Err(CudaError::Nccl { during, fault: NcclFault::Ended { first_cause: first_cause.clone() } })
            }
        }
    }

    /// Fails if the communicator has ended, or NCCL has found an error. The communicator then ends.
    ///
    /// # Errors
    /// [`CudaError::Nccl`].
    pub fn check(&self) -> CudaResult<()> {
        const DURING: &str = "exchanging device memory";
        let (functions, mut raw) = (loaded()?, self.lock());
        self.usable(DURING)?;
        let fault = match state(functions, raw.0) {
            SUCCESS | IN_PROGRESS => return Ok(()),
            code => NcclFault::Failed { code: NcclCode(code) },
        };
        let error = CudaError::Nccl { during: DURING, fault };
        self.end(functions, &mut raw, &error);
        Err(error)
    }

    /// Ends unfinished work, because another rank is late.
    pub(super) fn give_up(&self) -> CudaError {
        let fault = NcclFault::Late { limit: self.limit };
        let error = CudaError::Nccl { during: "exchanging device memory", fault };
        self.end_by(&error);
        error
    }

    /// Ends unfinished work on this rank, and with it the communicator. Other ranks notice at their time limit, if they
    /// are not told.
    pub fn abort(&self) {
        self.end_by(&CudaError::Nccl { during: "exchanging device memory", fault: NcclFault::Left });
    }

    fn end_by(&self, cause: &CudaError) {
        // Checked before the lock is taken: in a forked child it may never be released.
        if self.context.usable().is_ok()
            && let Ok(functions) = loaded()
        {
            self.end(functions, &mut self.lock(), cause);
        }
    }

    /// Aborts, once. The first cause is kept.
    fn end(&self, functions: &Functions, raw: &mut Raw, cause: &CudaError) {
        self.first_cause.get_or_init(|| Arc::new(cause.clone()));
        let raw = std::mem::replace(&mut raw.0, ptr::null_mut());
        if !raw.is_null() {
            // SAFETY: not aborted or destroyed before, as the handle is null from then on. NCCL ends the unfinished
            // work. `ncclInProgress` means that it still does.
            let code = self.context.bind().map(|_bound| unsafe { (functions.ncclCommAbort)(raw) });
            if !matches!(code, Ok(SUCCESS | IN_PROGRESS)) {
                self.context.leaked(1);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Raw> {
        self.raw.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for what is still sent to other ranks, and destroys the communicator. It may block, so this is done on a
    /// thread.
    fn destroy(&self) {
        let (Ok(functions), limit) = (loaded(), self.limit.min(FAREWELL)) else { return };
        let raw = Raw(std::mem::replace(&mut self.lock().0, ptr::null_mut()));
        if raw.0.is_null() {
            return;
        }
        let context = self.context.clone();
        let destroyed = bounded(limit, move || {
            let raw = raw;
            let _bound = context.bind()?;
            // SAFETY: not aborted or destroyed before; no stream has unfinished work, as it would keep the communicator.
            let code = unsafe { (functions.ncclCommFinalize)(raw.0) };
            if done(functions, raw.0, code, limit).is_err() {
                // SAFETY: as above. It ends unfinished work.
                return Ok(unsafe { (functions.ncclCommAbort)(raw.0) });
            }
            // SAFETY: as above, and finalized.
            Ok(unsafe { (functions.ncclCommDestroy)(raw.0) })
        });
        if !matches!(destroyed, Some(Ok(SUCCESS | IN_PROGRESS))) {
            self.context.leaked(1);
        }
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        // A forked child has neither NCCL's threads nor the device.
        if !fork::forked() {
            self.destroy();
        }
    }
}

/// Waits until a call that returned `code` is done.
fn done(functions: &Functions, raw: Handle, mut code: u32, limit: Duration) -> Result<(), NcclFault> {
    let (started, mut pause) = (Instant::now(), Pause::default());
    while code == IN_PROGRESS {
        if started.elapsed() >= limit {
            return Err(NcclFault::Late { limit });
        }
        pause.rest();
        code = state(functions, raw);
    }
    if code == SUCCESS { Ok(()) } else { Err(NcclFault::Failed { code: NcclCode(code) }) }
}

/// Returns what NCCL tells of the communicator.
fn state(functions: &Functions, raw: Handle) -> u32 {
    let mut state = SUCCESS;
    // SAFETY: the callers hold the lock, under which the handle is valid as long as it is not null; writes one number
    // to a local.
    let code = unsafe { (functions.ncclCommGetAsyncError)(raw, &raw mut state) };
    if code == SUCCESS { state } else { code }
}

fn plain(code: u32, during: &'static str) -> CudaResult<()> {
    let fault = NcclFault::Failed { code: NcclCode(code) };
    if code == SUCCESS { Ok(()) } else { Err(CudaError::Nccl { during, fault }) }
}
