//! Groups of operators with an atomic instruction, folded without a sort.

use std::sync::Arc;

use gpu_kernels::{Element, Op};

use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::groups::partition::first_bad;
use crate::cuda::input::Work;
use crate::cuda::launch::{AtomicGroups, IdCheck, Input, Memory, Room, Rooms, SCAN_TOTALS_LEN};
use crate::cuda::{Cuda, DeviceResults};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::kernel::RowsKernel;
use crate::kernel::family::GroupEntries;

/// Groups folded on the device, before their accumulators are written.
#[derive(Debug)]
pub(crate) struct Folded {
    memory: Arc<Memory>,
    cells: Room,
    /// Whether elements were seen, if the operator needs to know.
    seen: Option<Room>,
    first_bad: Room,
}

impl Folded {
    /// Waits, and returns the index of the first id that belongs to no group.
    pub(crate) fn first_bad(&self, executor: &Executor) -> Result<Option<u64>, Error> {
        first_bad(self.first_bad.of(self.memory.whole())?, executor)
    }

    /// Returns the first `count` groups.
    fn groups(&self, count: u64) -> Result<AtomicGroups<'_>, Error> {
        let whole = self.memory.whole();
        let seen = self.seen.map(|seen| seen.of(whole)).transpose()?;
        Ok(AtomicGroups { cells: self.cells.of(whole)?, seen, count })
    }
}

impl Executor {
    /// Enqueues a fold of `x` by group, whose entry is `entries`. `ids` has the group of each element, of `groups` groups. Both have
    /// the same length, at least 1.
    pub(crate) fn enqueue_atomics<I: IndexType, T: Element, O: RowsKernel<T>>(
        &self,
        (cuda, entries): (&Cuda, GroupEntries<T, O>),
        op: O,
        (ids, x): (Input<'_, I>, Input<'_, T>),
        groups: u64,
    ) -> Result<Folded, Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let mut rooms = Rooms::default();
        let cells = rooms.add(groups, size_of::<O::Acc>());
        let seen = <O as Op<T>>::NEEDS_LEN.then(|| rooms.add(groups, 4));
        let first_bad = rooms.add(1, 8);
        let folded = Folded { memory: Memory::scratch(queue, rooms.bytes())?, cells, seen, first_bad };
        let whole = folded.memory.whole();
        queue.fill(cells.to(seen.unwrap_or(cells)).of(whole)?, 0)?;
        queue.fill(first_bad.of(whole)?, 0xff)?;
        let check =
            IdCheck { groups: groups.min(I::MOST.saturating_add(1)), first_bad: first_bad.of(whole)? };
        let room = (cuda.multiprocessors(), cuda.properties().shared_bytes);
        let to = folded.groups(groups)?;
        queue.groups_by_atomics(cuda.kernels(), entries, op, (ids.items(), x), check, to, room)?;
        Ok(folded)
    }
}

impl Work<'_> {
    /// Enqueues the launches that write the accumulators of the first groups of `folded` to `out`, one each.
    pub(crate) fn of_atomics<T: Element, O: Op<T>>(
        &self,
        folded: &Folded,
        out: &DeviceResults<T, O>,
    ) -> Result<(), Error> {
        let (cell, count, bytes) = (out.cell(), out.len() as u64, size_of::<O::Acc>());
        let mut identity = [0; 8];
        identity[..bytes].copy_from_slice(bytemuck::bytes_of(&O::IDENTITY));
        let identity = (u64::from_ne_bytes(identity), bytes);
        let (queue, kernels, all) = (self.executor.queue(), self.cuda.kernels(), self.cuda.multiprocessors());
        if folded.seen.is_none() {
            return self.write(cell, Lens::WRITTEN, || {
                let to = (cell.region(), None);
                queue.group_accumulators(kernels, folded.groups(count)?, identity, to, all)
            });
        }
        let mut rooms = Rooms::default();
        let (offsets, totals) = (rooms.add(count.saturating_add(1), 8), rooms.add(SCAN_TOTALS_LEN as u64, 8));
        let kept = cell.room(self.executor, rooms.bytes())?;
        self.write(cell, Lens::Summed(Arc::clone(&kept), offsets), || {
            let lens = offsets.of(kept.whole())?;
            let to = (cell.region(), Some(lens));
            queue.group_accumulators(kernels, folded.groups(count)?, identity, to, all)?;
            queue.scan(kernels, lens, count, totals.of(kept.whole())?)
        })
    }
}
