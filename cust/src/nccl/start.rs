//! How a rank joins others.
//!
//! NCCL starts a thread for each call of a communicator that does not block. This takes longer than a small exchange.
//! So ranks join by such a communicator, because its calls can be given up. Then they split a blocking communicator off
//! it, and use that one. A blocking call waits for other ranks only when they first exchange: this happens here, on a
//! thread of its own.

use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::AtomicPtr;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use super::bounded::bounded;
use super::communicator::{Communicator, Raw, UniqueId};
use super::library::{Config, IN_PROGRESS, SUCCESS, loaded};
use super::{Move, NcclFault};
use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::memory::Memory;
use crate::stream::Stream;

const DURING: &str = "joining the ranks of NCCL";

/// Time beyond the limit in which a thread reports that the limit is over.
const MARGIN: Duration = Duration::from_secs(2);

impl Communicator {
    /// Joins `size` ranks as `rank`, on a device that no other rank has, and exchanges a first byte with each.
    ///
    /// # Errors
    /// [`CudaError::Nccl`] if there is no NCCL, it fails, or another rank does not join within `limit`.
    pub fn start(
        context: &Arc<Context>,
        id: &UniqueId,
        rank: usize,
        size: usize,
        limit: Duration,
    ) -> CudaResult<Arc<Self>> {
        let started = Arc::new(Self::join(context, id, rank, size, limit)?.split()?);
        let connecting = started.clone();
        match bounded(limit.saturating_add(MARGIN), move || connecting.connect()) {
            Some(connected) => connected.map(|()| started),
            // The thread keeps the communicator until another rank comes.
            None => {
                context.leaked(1);
                Err(CudaError::Nccl { during: DURING, fault: NcclFault::Late { limit } })
            }
        }
    }

    /// Joins by a communicator that does not block.
    fn join(
        context: &Arc<Context>,
        id: &UniqueId,
        rank: usize,
        size: usize,
        limit: Duration,
    ) -> CudaResult<Self> {
        let functions = loaded()?;
        let _bound = context.bind()?;
        let (mut raw, mut config) = (ptr::null_mut(), Config::NON_BLOCKING);
        // A number beyond NCCL's type becomes one that it refuses.
        let [ranks, own] = [size, rank].map(|number| c_int::try_from(number).unwrap_or(-1));
        // SAFETY: writes one handle to a local; the configuration is NCCL's struct of version 2.14. The device is
        // current.
        let code =
            unsafe { (functions.ncclCommInitRankConfig)(&raw mut raw, ranks, *id, own, &raw mut config) };
        let (raw, first_cause) = (Mutex::new(Raw(raw)), OnceLock::new());
        let joined = Self { context: context.clone(), rank, size, limit, raw, first_cause };
        joined.call(DURING, |_, _| code)?;
        Ok(joined)
    }

    /// Returns a blocking communicator of the same ranks.
    fn split(self) -> CudaResult<Self> {
        let _bound = self.context.bind()?;
        let mut config = Config::BLOCKING;
        let own = c_int::try_from(self.rank).unwrap_or(-1);
        // NCCL writes to it from a thread, late if the time limit is over. It is leaked then.
        let slot = Box::leak(Box::new(AtomicPtr::default()));
        self.call(DURING, |functions, from| {
            // SAFETY: `call` passes a communicator that has joined; writes one handle to the slot, which is never freed
            // before it is written. The configuration is as above.
            let code = unsafe { (functions.ncclCommSplit)(from, 0, own, slot.as_ptr(), &raw mut config) };
            // It returns success also while it goes on.
            if code == SUCCESS { IN_PROGRESS } else { code }
        })?;
        // SAFETY: made by `Box::leak` above. The split has ended, so that NCCL writes to it no more.
        let raw = unsafe { Box::from_raw(slot) }.into_inner();
        let (context, raw, first_cause) = (self.context.clone(), Mutex::new(Raw(raw)), OnceLock::new());
        Ok(Self { context, rank: self.rank, size: self.size, limit: self.limit, raw, first_cause })
    }

    /// Exchanges a byte with each other rank, and gathers one of all.
    fn connect(self: &Arc<Self>) -> CudaResult<()> {
        let (own, size) = (self.rank, self.size);
        let stream = Stream::new(&self.context)?;
        let memory = Memory::zeroed(&stream, 2 * size)?;
        let mut moves = Vec::with_capacity(2 * size);
        for peer in (0..size).filter(|&peer| peer != own) {
            moves.push(Move::Send { to: peer, from: memory.region(own, 1)? });
            moves.push(Move::Receive { from: peer, to: memory.region(size + peer, 1)? });
        }
        stream.exchange(self, None, &moves)?;
        stream.all_gather(self, memory.region(0, 1)?, memory.region(size, size)?)?;
        stream.wait()
    }
}
