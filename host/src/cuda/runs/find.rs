//! Runs of equal keys, found on the device in memory that the queue keeps until its work has ended.

use std::sync::Arc;

use gpu_kernels::Element;
use gpu_kernels::groups::shapes::{SCAN_THREADS, run_items};

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::groups::plan::moves_of;
use crate::cuda::launch::{Input, Items, Memory, Portions, Region, Room, Rooms, SCAN_TOTALS_LEN};
use crate::error::Error;
use crate::kernel::moves::Moves;

/// Runs of equal keys.
#[derive(Debug)]
pub(crate) struct Runs<'a> {
    keys: Items<'a>,
    moves: &'static Moves,
    portions: Portions,
    counts: Arc<Memory>,
    /// Number of runs.
    pub(crate) count: u64,
}

/// The start and the key of each run.
#[derive(Debug)]
pub(crate) struct RunsFound {
    memory: Arc<Memory>,
    offsets: Room,
}

impl RunsFound {
    /// Returns the start of each run, as u64, and the end of the last one.
    pub(crate) fn offsets(&self) -> Result<Region<'_>, Error> {
        self.offsets.of(self.memory.whole())
    }

    /// Returns the memory, which begins with the runs' keys, and the number of u64 before the offsets in it.
    pub(crate) fn into_keys(self) -> (Arc<Memory>, usize) {
        (self.memory, self.offsets.first() / size_of::<u64>())
    }
}

impl Executor {
    /// Counts the runs of equal keys, and waits for their number. There must be at least one key.
    pub(crate) fn count_runs<'a, K: Element>(
        &self,
        cuda: &Cuda,
        keys: Input<'a, K>,
    ) -> Result<Runs<'a>, Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let kernels = cuda.kernels();
        let (len, bytes) = (keys.len(), size_of::<K>());
        let moves = moves_of(keys.address(), bytes)?;
        if moves.bytes != bytes {
            return Err(Error::Plan { why: "keys lie at a multiple of their size" });
        }
        let tile = run_items(bytes) as u64 * u64::from(SCAN_THREADS);
        let most_blocks =
            queue.resident(kernels, moves.write_runs.untyped())?.saturating_mul(cuda.multiprocessors());
        let portions = Portions::new(len, tile, most_blocks)?;
        let blocks = u64::from(portions.blocks);
        let mut rooms = Rooms::default();
        let (sums, totals) = (rooms.add(blocks + 1, 8), rooms.add(SCAN_TOTALS_LEN as u64, 8));
        let counts = Memory::scratch(queue, rooms.bytes())?;
        let keys = keys.items();
        let region = sums.of(counts.whole())?;
        queue.count_runs(kernels, moves, keys, portions, region)?;
        queue.scan(kernels, region, blocks, totals.of(counts.whole())?)?;
        let count = counts.download::<u64>(queue, portions.blocks as usize * 8, 1)?;
        let count = count.first().copied().unwrap_or(0);
        Ok(Runs { keys, moves, portions, counts, count })
    }

    /// Enqueues the launch that writes the starts and keys of the runs.
    pub(crate) fn enqueue_runs(&self, cuda: &Cuda, runs: &Runs<'_>) -> Result<RunsFound, Error> {
        let queue = self.queue();
        let mut rooms = Rooms::default();
        // The keys are first in the memory, because they become an array of their own.
        let of_runs = rooms.add(runs.count, runs.keys.bytes);
        let offsets = rooms.add(runs.count.saturating_add(1), 8);
        let memory = Arc::new(Memory::allocate(queue.context(), rooms.bytes())?);
        let keys = Items { region: of_runs.of(memory.whole())?, bytes: runs.keys.bytes };
        let to = (offsets.of(memory.whole())?, keys, runs.count);
        queue.write_runs(cuda.kernels(), runs.moves, runs.keys, runs.portions, runs.counts.whole(), to)?;
        Ok(RunsFound { memory, offsets })
    }
}
