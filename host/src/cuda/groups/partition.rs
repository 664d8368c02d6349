//! Sorts of elements by group: the launches of a plan, in memory that the queue keeps until its work has ended.

use std::sync::Arc;

use gpu_kernels::Element;
use gpu_kernels::groups::shapes::{HISTOGRAM_BLOCKS, HISTOGRAM_THREADS};
use gpu_kernels::radix::shapes::DIGITS;

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::groups::plan::{Layout, PartitionPlan, moves_of};
use crate::cuda::launch::{
    IdCheck, Input, Items, Memory, Portions, Region, Room, Starts, Tagged, gather_blocks, position_bytes,
};
use crate::error::Error;
use crate::index_type::IndexType;

/// The results of a partition, on the device.
#[derive(Debug)]
pub(crate) struct Partition {
    memory: Arc<Memory>,
    offsets: Room,
    first_bad: Room,
}

impl Partition {
    /// Returns the elements by group, in their order within each group. Their order is arbitrary if [an id is
    /// bad](Self::first_bad).
    pub(crate) fn elements<T: Element>(&self, len: usize) -> Result<Input<'_, T>, Error> {
        Input::new(&self.memory, 0, len)
    }

    /// Returns the start of each group, as u64, and the end of the last one. They ascend, and none is beyond the elements.
    pub(crate) fn offsets(&self) -> Result<Region<'_>, Error> {
        self.offsets.of(self.memory.whole())
    }

    /// Returns the memory, which begins with the elements, and the number of u64 before the offsets in it.
    pub(crate) fn into_offsets(self) -> (Arc<Memory>, usize) {
        (self.memory, self.offsets.first() / size_of::<u64>())
    }

    /// Waits, and returns the index of the first id that belongs to no group.
    pub(crate) fn first_bad(&self, executor: &Executor) -> Result<Option<u64>, Error> {
        first_bad(self.first_bad.of(self.memory.whole())?, executor)
    }
}

/// Waits, and returns the index of the first id that belongs to no group, which launches wrote to `cell`.
pub(super) fn first_bad(cell: Region<'_>, executor: &Executor) -> Result<Option<u64>, Error> {
    let position = cell.download::<u64>(executor.queue(), 1)?;
    Ok(position.first().copied().filter(|&position| position != u64::MAX))
}

impl Executor {
    /// Enqueues a sort of `x` by group. `ids` has the group of each element, of `groups` groups, at most 2^32. Both
    /// have the same length, at least 1.
    pub(crate) fn enqueue_partition<I: IndexType, T: Element>(
        &self,
        cuda: &Cuda,
        ids: Input<'_, I>,
        x: Input<'_, T>,
        groups: u64,
    ) -> Result<Partition, Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let kernels = cuda.kernels();
        let (len, bytes) = (x.len(), size_of::<T>());
        let words = moves_of(x.address(), bytes)?;
        // Elements that are not words are represented by their positions while they are sorted.
        let is_carried = words.bytes == bytes;
        let plan = PartitionPlan::new(
            if is_carried { words } else { moves_of(0, position_bytes(len))? },
            len,
            groups,
            cuda.multiprocessors(),
        );
        // Ids of 8 bytes are too long for a pass, so they are copied.
        let copies = size_of::<I>() == 8;
        let layout = plan.layout(bytes, groups, copies);
        let memory = Memory::scratch(queue, layout.bytes)?;
        let whole = memory.whole();

        queue.fill(layout.first_bad.of(whole)?, 0xff)?;
        queue.fill(layout.starts.to(layout.states[0]).of(whole)?, 0)?;
        let mut from = Tagged { ids: Some(ids.items()), elements: x.items() };
        if !is_carried {
            from.elements = Items { region: layout.numbered.of(whole)?, bytes: plan.carried.bytes };
            let blocks = gather_blocks(len, cuda.multiprocessors());
            queue.number_positions(kernels, from.elements, (len, blocks), (1, u64::MAX))?;
        }
        let copy = Items { region: layout.ids[0].of(whole)?, bytes: plan.id_bytes };
        let copy = copies.then_some(copy);
        self.enqueue_starts::<I>(cuda, ids, plan, &layout, copy, (groups, whole))?;
        from.ids = copy.or(from.ids);
        for pass in 0..plan.passes {
            from = self.enqueue_pass(cuda, plan, pass, from, &layout, (groups, whole))?;
        }
        let mut offsets = layout.starts;
        if plan.passes > 1 {
            offsets = layout.sizes;
            if groups > 0 {
                queue.scan(kernels, offsets.of(whole)?, groups, layout.totals.of(whole)?)?;
            }
        }
        if !is_carried {
            self.enqueue_gather(cuda, (x.items(), len), (from.elements, len), layout.out.of(whole)?)?;
        }
        Ok(Partition { memory, offsets, first_bad: layout.first_bad })
    }

    /// Enqueues the launches that count the bytes of the ids and sum the counts. Checks and copies the ids on the way.
    fn enqueue_starts<I: IndexType>(
        &self,
        cuda: &Cuda,
        ids: Input<'_, I>,
        plan: PartitionPlan,
        layout: &Layout,
        copy: Option<Items<'_>>,
        (groups, whole): (u64, Region<'_>),
    ) -> Result<(), Error> {
        let (queue, kernels) = (self.queue(), cuda.kernels());
        let blocks = cuda.multiprocessors().saturating_mul(HISTOGRAM_BLOCKS);
        let portions = Portions::new(plan.len, u64::from(HISTOGRAM_THREADS) * 8, blocks)?;
        let limit = groups.min(I::MOST.saturating_add(1));
        let check = IdCheck { groups: limit, first_bad: layout.first_bad.of(whole)? };
        let starts = layout.starts.of(whole)?;
        queue.count_digits(kernels, ids.items(), portions, plan.passes, check, copy, starts)?;
        // All bytes are summed at once. So the positions of a byte are too large by `len` for each byte before
        // it.
        let values = u64::from(plan.passes) * DIGITS as u64;
        queue.scan(kernels, starts, values, layout.totals.of(whole)?)
    }

    /// Enqueues the launches of one pass, and returns what the next one reads.
    fn enqueue_pass<'a>(
        &self,
        cuda: &Cuda,
        plan: PartitionPlan,
        pass: u32,
        from: Tagged<'a>,
        layout: &Layout,
        (groups, whole): (u64, Region<'a>),
    ) -> Result<Tagged<'a>, Error> {
        let PartitionPlan { passes, len, .. } = plan;
        let (is_last, values) = (pass + 1 == passes, DIGITS as u64);
        // Outputs alternate so that the last pass writes where the elements are wanted.
        let room = if (passes - 1 - pass).is_multiple_of(2) { layout.sorted } else { layout.between };
        let elements = Items { region: room.of(whole)?, bytes: plan.carried.bytes };
        let room = if pass.is_multiple_of(2) { layout.ids[1] } else { layout.ids[0] };
        let ids = if is_last { None } else { Some(Items { region: room.of(whole)?, bytes: plan.id_bytes }) };
        let to = Tagged { ids, elements };
        let sizes = match is_last && passes > 1 {
            true => Some((layout.sizes.of(whole)?, groups)),
            false => None,
        };
        let next_starts = layout.next_starts.of(whole)?;
        let mut starts = layout.starts.of(whole)?.part(u64::from(pass) * values, values, 8)?;
        for part in 0..plan.parts() {
            let first = part * plan.part;
            let count = plan.part.min(len - first);
            let next = next_starts.part(part * values, values, 8)?;
            let has_next = part + 1 < plan.parts();
            let is_odd = (u64::from(pass) * plan.parts() + part) % 2 == 1;
            let [even, odd] = [layout.states[0].of(whole)?, layout.states[1].of(whole)?];
            let (states, next_states) = if is_odd { (odd, even) } else { (even, odd) };
            let of_part =
                Starts { positions: starts, excess: u64::from(pass) * len, next: has_next.then_some(next) };
            let what = (from, first, count);
            self.queue().scatter(
                cuda.kernels(),
                (plan.carried, plan.is_short),
                what,
                pass,
                of_part,
                (states, next_states, plan.state_words()),
                (to, len),
                sizes,
            )?;
            starts = next;
        }
        Ok(to)
    }
}
