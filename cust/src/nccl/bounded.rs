//! Calls of NCCL that wait for other ranks, as long as a limit allows.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::library::SYSTEM_ERROR;
use super::{NcclCode, NcclFault};
use crate::error::{CudaError, CudaResult};

/// Runs a call on a thread of its own. Returns `None` if it does not end in time; the thread then goes on.
pub(super) fn bounded<R: Send + 'static>(
    limit: Duration,
    call: impl FnOnce() -> CudaResult<R> + Send + 'static,
) -> Option<CudaResult<R>> {
    let (done, has_ended) = sync_channel(1);
    let thread = thread::Builder::new().name("nccl".into());
    let fault = || CudaError::Nccl {
        during: "starting a thread",
        fault: NcclFault::Failed { code: NcclCode(SYSTEM_ERROR) },
    };
    // If nobody waits any more, nobody needs the result.
    if thread.spawn(move || drop(done.send(call()))).is_err() {
        return Some(Err(fault()));
    }
    match has_ended.recv_timeout(limit) {
        Ok(result) => Some(result),
        Err(RecvTimeoutError::Timeout) => None,
        // The call panicked.
        Err(RecvTimeoutError::Disconnected) => Some(Err(fault())),
    }
}
