//! What a rank needs to exchange device memory: a communicator of NCCL, a stream beside the caller's, and scratch memory.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use cust::nccl::{self, UniqueId};
use cust::side::{Side, Signal};

use crate::cuda::Cuda;
use crate::cuda::launch::{Memory, Queue};
use crate::error::Error;
use crate::world::device::nccl::NcclSizes;

/// A rank's way to the devices of other ranks.
#[derive(Debug)]
pub struct Channel {
    pub(super) communicator: Arc<nccl::Communicator>,
    cuda: Cuda,
    /// Takes moves, so that they go on while the caller's stream folds.
    pub(super) side: Side,
    pub(super) signals: Signals,
    pub(super) sizes: NcclSizes,
    /// Kept from one call to the next.
    scratch: RefCell<Option<Arc<Memory>>>,
    /// Whether a call has used the scratch memory, so that the next one has a signal to wait for.
    is_used: Cell<bool>,
}

/// The points at which one stream waits for the other.
#[derive(Debug)]
pub(super) struct Signals {
    /// The caller's stream has made the elements.
    pub(super) begun: Signal,
    /// A piece has been moved: of even and odd steps.
    pub(super) moved: [Signal; 2],
    /// A piece has been folded: of even and odd steps.
    pub(super) folded: [Signal; 2],
    /// A call has ended.
    done: Signal,
}

impl Channel {
    /// Joins the other ranks.
    pub(super) fn start(
        cuda: &Cuda,
        id: &UniqueId,
        rank: usize,
        size: usize,
        limit: Duration,
    ) -> Result<Self, Error> {
        let context = cuda.context();
        let signal = || Signal::new(context);
        let signals = Signals {
            begun: signal()?,
            moved: [signal()?, signal()?],
            folded: [signal()?, signal()?],
            done: signal()?,
        };
        let (side, scratch) = (Side::new(context)?, RefCell::default());
        let communicator = nccl::Communicator::start(context, id, rank, size, limit)?;
        Ok(Self {
            communicator,
            cuda: cuda.clone(),
            side,
            signals,
            sizes: NcclSizes::default(),
            scratch,
            is_used: Cell::new(false),
        })
    }

    /// Returns whether arrays of `cuda` are on the channel's device.
    pub(super) fn is_on(&self, cuda: &Cuda) -> bool {
        self.cuda.context().is(cuda.context())
    }

    /// Returns the other ranks.
    pub(super) fn peers(&self) -> impl Iterator<Item = usize> + use<> {
        let (rank, size) = (self.communicator.rank(), self.communicator.size());
        // Ranks begin with different ones.
        (1..size).map(move |step| (rank + step) % size)
    }

    /// Returns at least `bytes` bytes of scratch memory: the channel's, or a graph's own.
    pub(super) fn scratch(&self, queue: &Queue, bytes: usize) -> Result<Arc<Memory>, Error> {
        let allocate = || Ok::<_, Error>(Arc::new(Memory::allocate(queue.context(), bytes)?));
        if queue.is_recording() {
            return allocate();
        }
        let mut kept = self.scratch.borrow_mut();
        if let Some(kept) = kept.as_ref().filter(|kept| kept.bytes() >= bytes) {
            return Ok(kept.clone());
        }
        // Unfinished work keeps the smaller one.
        *kept = None;
        let memory = allocate()?;
        *kept = Some(memory.clone());
        Ok(memory)
    }

    /// Enqueues by `work`, after earlier calls on other streams have used the scratch memory.
    pub(super) fn in_turn(
        &self,
        queue: &Queue,
        work: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        queue.context().usable()?;
        queue.make_room()?;
        // A graph has scratch memory of its own.
        if queue.is_recording() {
            return work();
        }
        if self.is_used.get() {
            queue.await_signal(&self.signals.done)?;
        }
        work()?;
        queue.give(&self.signals.done)?;
        self.is_used.set(true);
        Ok(())
    }

    /// Ends what is under way, because this rank leaves the others.
    pub(super) fn abort(&self) {
        self.communicator.abort();
    }
}
