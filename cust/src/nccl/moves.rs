//! Work on streams that moves device memory between ranks.

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;

use super::Communicator;
use super::library::{BYTES, Functions, IN_PROGRESS, SUCCESS};
use crate::error::CudaResult;
use crate::memory::Region;
use crate::side::Side;
use crate::stream::Stream;
use crate::sys::Handle;

/// Device memory that one rank sends and another receives, in as many bytes.
#[derive(Clone, Copy, Debug)]
pub enum Move<'a> {
    /// Sends a region to a rank.
    Send {
        /// The rank.
        to: usize,
        /// The region.
        from: Region<'a>,
    },
    /// Overwrites a region by what a rank sends.
    Receive {
        /// The rank.
        from: usize,
        /// The region.
        to: Region<'a>,
    },
}

impl<'a> Move<'a> {
    fn region(&self) -> Region<'a> {
        match *self {
            Self::Send { from, .. } => from,
            Self::Receive { to, .. } => to,
        }
    }

    /// Enqueues this move within a group.
    ///
    /// # Safety
    /// `raw` is a communicator and `stream` a stream of its device; the region's memory exists until the work has ended.
    unsafe fn enqueue(&self, functions: &Functions, raw: Handle, stream: Handle) -> u32 {
        // A number beyond NCCL's type becomes one that it refuses.
        let rank = |rank: usize| c_int::try_from(rank).unwrap_or(-1);
        let pointer = |region: Region<'_>| ptr::without_provenance_mut(region.address() as usize);
        match *self {
            // SAFETY: the caller's promise; the region has that many bytes, as checked when it was made.
            Self::Send { to, from } => unsafe {
                (functions.ncclSend)(pointer(from), from.bytes(), BYTES, rank(to), raw, stream)
            },
            // SAFETY: as above.
            Self::Receive { from, to } => unsafe {
                (functions.ncclRecv)(pointer(to), to.bytes(), BYTES, rank(from), raw, stream)
            },
        }
    }
}

impl Stream {
    /// Enqueues moves that go on side by side, to a stream `beside` this one if there is one. This stream keeps the memory, and a
    /// wait for it waits for both. The other ranks enqueue the opposite moves, in the same order. Regions that are received
    /// must not overlap others of the same call.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`](crate::error::CudaError::OtherDevice);
    /// [`CudaError::Nccl`](crate::error::CudaError::Nccl) if NCCL fails, or another rank does not come within the
    /// communicator's time limit, after which the communicator is not used again.
    pub fn exchange(
        &self,
        communicator: &Arc<Communicator>,
        beside: Option<&Side>,
        moves: &[Move<'_>],
    ) -> CudaResult<()> {
        if moves.is_empty() {
            return Ok(());
        }
        let regions = moves.iter().map(Move::region);
        self.enqueue_moves(communicator, beside, regions, |functions, raw, stream| {
            // SAFETY: no arguments. The group belongs to this thread, and is ended below.
            let mut first = unsafe { (functions.ncclGroupStart)() };
            for one in moves {
                if is_fine(first) {
                    // SAFETY: `enqueue_moves` passes a communicator and a stream of its device, and has the stream keep
                    // the memory.
                    first = unsafe { one.enqueue(functions, raw, stream) };
                }
            }
            // SAFETY: ends the group of this thread.
            let ended = unsafe { (functions.ncclGroupEnd)() };
            if is_fine(first) { ended } else { first }
        })
    }

    /// Enqueues a move of `from` on every rank to all of them, which get these regions one after the other, in the order
    /// of ranks.
    ///
    /// # Errors
    /// As [`exchange`](Self::exchange); [`CudaError::OutOfBounds`](crate::error::CudaError::OutOfBounds) if `to` is too small.
    pub fn all_gather(
        &self,
        communicator: &Arc<Communicator>,
        from: Region<'_>,
        to: Region<'_>,
    ) -> CudaResult<()> {
        let to = to.part(0, communicator.size() as u64, from.bytes())?;
        if from.bytes() == 0 {
            return Ok(());
        }
        self.enqueue_moves(communicator, None, [from, to].into_iter(), |functions, raw, stream| {
            let [from, to] = [from, to].map(|region| (region.address() as usize, region.bytes()));
            let (to, bytes) = (ptr::without_provenance_mut(to.0), from.1);
            // SAFETY: `to` has room for `bytes` bytes of each rank, checked above. `enqueue_moves` passes a communicator
            // and a stream of its device, and has the stream keep the memory.
            unsafe {
                (functions.ncclAllGather)(ptr::without_provenance(from.0), to, bytes, BYTES, raw, stream)
            }
        })
    }

    /// Has the stream keep the memory and the communicator, and enqueues by `call`.
    fn enqueue_moves<'a>(
        &self,
        communicator: &Arc<Communicator>,
        beside: Option<&Side>,
        regions: impl Iterator<Item = Region<'a>>,
        call: impl FnOnce(&Functions, Handle, Handle) -> u32,
    ) -> CudaResult<()> {
        const DURING: &str = "exchanging device memory";
        communicator.context().same_device(self.context())?;
        for region in regions {
            self.keep_memory(region.memory())?;
        }
        self.keep(communicator);
        let side = beside.map(Side::handle);
        self.handle().guard_by(communicator, side);
        self.enqueue_by(DURING, |main| {
            let stream = side.map_or(main, |side| side.as_raw());
            communicator.call(DURING, |functions, raw| call(functions, raw, stream))
        })
    }
}

fn is_fine(code: u32) -> bool {
    matches!(code, SUCCESS | IN_PROGRESS)
}
