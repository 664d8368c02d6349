//! Device memory in which the launches of one reduction share results. Each executor and each graph has its own.

use std::sync::Arc;

use gpu_kernels::shapes::MOST_ACC_BYTES;
use gpu_kernels::tree::MAX_TILES;

use crate::cuda::launch::{Memory, Queue, Region};
use crate::error::Error;

/// Bytes for the greatest number of partial results: one per tile.
const PARTIALS_BYTES: usize = MAX_TILES as usize * MOST_ACC_BYTES;

/// Bytes of the ticket, which has a cache line (128 bytes on every GPU so far) to itself.
const TICKET_BYTES: usize = 128;

/// Room for the partial results of two passes, and a ticket that is 0 between launches: 512 KiB and 128 bytes, for any
/// input.
#[derive(Debug)]
pub(crate) struct Scratch {
    memory: Arc<Memory>,
}

impl Scratch {
    /// Allocates the memory. The block that takes the last ticket sets the ticket back to 0.
    pub(crate) fn new(queue: &Queue) -> Result<Self, Error> {
        Ok(Self { memory: Memory::zeroed(queue, 2 * PARTIALS_BYTES + TICKET_BYTES)? })
    }

    /// Borrows the memory while the queue's owner records it, which clears the ticket in each launch of its graph.
    pub(crate) fn lent(queue: &Queue) -> Result<Self, Error> {
        let scratch = Self { memory: Memory::of_work(queue, 2 * PARTIALS_BYTES + TICKET_BYTES)? };
        queue.fill(scratch.ticket()?, 0)?;
        Ok(scratch)
    }

    /// Makes `queue` keep the memory as long as it lives.
    pub(crate) fn reside_in(&self, queue: &Queue) {
        queue.house(self.memory.whole());
    }

    /// Returns room for 4096 partial results, where the first launch writes.
    pub(crate) fn front(&self) -> Result<Region<'_>, Error> {
        Ok(self.memory.region(0, PARTIALS_BYTES)?)
    }

    /// Returns room for as many again, where the next pass writes. Later passes alternate.
    pub(crate) fn back(&self) -> Result<Region<'_>, Error> {
        Ok(self.memory.region(PARTIALS_BYTES, PARTIALS_BYTES)?)
    }

    /// Returns the ticket.
    pub(crate) fn ticket(&self) -> Result<Region<'_>, Error> {
        Ok(self.memory.region(2 * PARTIALS_BYTES, TICKET_BYTES)?)
    }
}
