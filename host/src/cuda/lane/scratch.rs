//! Device memory that the launches of one reduction hand results over in. Each lane and each graph has its own.

use std::sync::Arc;

use gpu_kernels::shape::MOST_ACC_BYTES;
use gpu_kernels::tree::MAX_TILES;

use crate::cuda::launch::{Memory, Queue, Region};
use crate::error::Error;

/// One partial result per tile at most.
const PARTIALS_BYTES: usize = MAX_TILES as usize * MOST_ACC_BYTES;

/// The ticket has a cache line (128 bytes on every GPU so far) to itself.
const TICKET_BYTES: usize = 128;

/// Room for the partial results of two passes, and a ticket that is 0 between launches: 512 KiB and 128 bytes,
/// whatever the input's length.
#[derive(Debug)]
pub(in crate::cuda) struct Scratch {
    memory: Arc<Memory>,
}

impl Scratch {
    /// Allocates it. The kernel that takes the last ticket sets it back to 0.
    pub(in crate::cuda) fn new(queue: &Queue) -> Result<Self, Error> {
        Ok(Self { memory: Memory::zeroed(queue, 2 * PARTIALS_BYTES + TICKET_BYTES)? })
    }

    /// Has `queue` keep it as long as itself.
    pub(in crate::cuda) fn reside_in(&self, queue: &Queue) {
        queue.house(self.memory.whole());
    }

    /// Room for 4096 partial results: where the first launch writes.
    pub(in crate::cuda) fn front(&self) -> Result<Region<'_>, Error> {
        Ok(self.memory.region(0, PARTIALS_BYTES)?)
    }

    /// As much again: where the next pass writes, and so on in turn.
    pub(in crate::cuda) fn back(&self) -> Result<Region<'_>, Error> {
        Ok(self.memory.region(PARTIALS_BYTES, PARTIALS_BYTES)?)
    }

    /// The ticket.
    pub(in crate::cuda) fn ticket(&self) -> Result<Region<'_>, Error> {
        Ok(self.memory.region(2 * PARTIALS_BYTES, TICKET_BYTES)?)
    }
}
