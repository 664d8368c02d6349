//! Sorts of elements by group: the launches of a plan, in memory that the queue keeps until its work has ended.

use std::sync::Arc;

use gpu_kernels::Element;
use gpu_kernels::moves::groups::shape::{HISTOGRAM_BLOCKS, HISTOGRAM_THREADS};

use crate::cuda::Cuda;
use crate::cuda::groups::plan::{PartitionPlan, Places, moves_of};
use crate::cuda::lane::Lane;
use crate::cuda::launch::{
    IdCheck, Input, Items, Memory, Portions, Region, Room, Starts, Tagged, gather_blocks,
};
use crate::error::Error;
use crate::index_type::IndexType;

/// The results of a partition, on the device.
#[derive(Debug)]
pub(in crate::cuda) struct Partition {
    memory: Arc<Memory>,
    offsets: Room,
    first_bad: Room,
}

impl Partition {
    /// The elements by group, in their order within each group. Their order is arbitrary if [an id is
    /// bad](Self::first_bad).
    pub(in crate::cuda) fn elements<T: Element>(&self, len: usize) -> Result<Input<'_, T>, Error> {
        Input::new(&self.memory, 0, len)
    }

    /// The start of each group, as u64, and the end of the last one. They ascend, and none is beyond the elements.
    pub(in crate::cuda) fn offsets(&self) -> Result<Region<'_>, Error> {
        self.offsets.of(self.memory.whole())
    }

    /// Waits, and returns the index of the first id that belongs to no group.
    pub(in crate::cuda) fn first_bad(&self, lane: &Lane) -> Result<Option<u64>, Error> {
        let place = self.first_bad.of(self.memory.whole())?.download::<u64>(lane.queue(), 1)?;
        Ok(place.first().copied().filter(|&place| place != u64::MAX))
    }
}

impl Lane {
    /// Enqueues a sort of `x` by group. `ids` has the group of each element, of `groups` groups, at most 2^32. Both
    /// have the same length, at least 1.
    pub(in crate::cuda) fn enqueue_partition<I: IndexType, T: Element>(
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
        // Elements that are no words are represented by their places while they are sorted.
        let place_bytes = if len <= u64::from(u32::MAX) { 4 } else { 8 };
        let is_carried = words.bytes == bytes;
        let plan =
            PartitionPlan::new(if is_carried { words } else { moves_of(0, place_bytes)? }, len, groups);
        // Ids of 8 bytes are too long for a pass, so they are copied.
        let copies = size_of::<I>() == 8;
        let places = plan.places(bytes, groups, copies);
        let memory = Memory::scratch(queue, places.bytes)?;
        let whole = memory.whole();

        queue.fill(places.first_bad.of(whole)?, 0xff)?;
        queue.fill(places.starts.to(places.told).of(whole)?, 0)?;
        let mut from = Tagged { ids: Some(ids.items()), elements: x.items() };
        if !is_carried {
            from.elements = Items { region: places.numbered.of(whole)?, bytes: plan.carried.bytes };
            queue.number_places(kernels, from.elements, len, gather_blocks(len, cuda.multiprocessors()))?;
        }
        let copy = Items { region: places.ids[0].of(whole)?, bytes: plan.id_bytes };
        let copy = copies.then_some(copy);
        self.enqueue_starts::<I>(cuda, ids, plan, &places, copy, (groups, whole))?;
        from.ids = copy.or(from.ids);
        for pass in 0..plan.digits.passes {
            from = self.enqueue_pass(cuda, plan, pass, from, &places, (groups, whole))?;
        }
        let mut offsets = places.starts;
        if plan.digits.passes > 1 {
            offsets = places.sizes;
            if groups > 0 {
                queue.scan(kernels, offsets.of(whole)?, groups, places.totals.of(whole)?)?;
            }
        }
        if !is_carried {
            self.enqueue_gather(cuda, (x.items(), len), (from.elements, len), places.out.of(whole)?)?;
        }
        Ok(Partition { memory, offsets, first_bad: places.first_bad })
    }

    /// Enqueues the launches that count the digits of the ids and sum the counts. Checks and copies the ids on the way.
    fn enqueue_starts<I: IndexType>(
        &self,
        cuda: &Cuda,
        ids: Input<'_, I>,
        plan: PartitionPlan,
        places: &Places,
        copy: Option<Items<'_>>,
        (groups, whole): (u64, Region<'_>),
    ) -> Result<(), Error> {
        let (queue, kernels) = (self.queue(), cuda.kernels());
        let blocks = cuda.multiprocessors().saturating_mul(HISTOGRAM_BLOCKS);
        let portions = Portions::new(plan.len, u64::from(HISTOGRAM_THREADS) * 8, blocks)?;
        let limit = groups.min(I::MOST.saturating_add(1));
        let check = IdCheck { groups: limit, first_bad: places.first_bad.of(whole)? };
        let starts = places.starts.of(whole)?;
        queue.count_digits(kernels, ids.items(), portions, plan.digits, check, copy, starts)?;
        // Sums over all digits at once: each digit's places are then too large by `len` for each digit before it.
        queue.scan(kernels, starts, plan.digits.values(), places.totals.of(whole)?)
    }

    /// Enqueues the launches of one pass, and returns what the next one reads.
    fn enqueue_pass<'a>(
        &self,
        cuda: &Cuda,
        plan: PartitionPlan,
        pass: u32,
        from: Tagged<'a>,
        places: &Places,
        (groups, whole): (u64, Region<'a>),
    ) -> Result<Tagged<'a>, Error> {
        let PartitionPlan { digits, len, .. } = plan;
        let (is_last, values) = (pass + 1 == digits.passes, 1u64 << digits.bits);
        // Outputs alternate so that the last pass writes where the elements are wanted.
        let room = if (digits.passes - 1 - pass).is_multiple_of(2) { places.sorted } else { places.between };
        let elements = Items { region: room.of(whole)?, bytes: plan.carried.bytes };
        let room = if pass.is_multiple_of(2) { places.ids[1] } else { places.ids[0] };
        let ids = if is_last { None } else { Some(Items { region: room.of(whole)?, bytes: plan.id_bytes }) };
        let to = Tagged { ids, elements };
        let sizes = match is_last && digits.passes > 1 {
            true => Some((places.sizes.of(whole)?, groups)),
            false => None,
        };
        let next_starts = places.next_starts.of(whole)?;
        let mut starts = places.starts.of(whole)?.part(u64::from(pass) * values, values, 8)?;
        for part in 0..plan.parts() {
            let first = part * plan.part;
            let count = plan.part.min(len - first);
            let next = next_starts.part(part * values, values, 8)?;
            let has_next = part + 1 < plan.parts();
            let told_words = plan.told();
            let turn = u64::from(pass) * plan.parts() + part;
            let told = places.told.of(whole)?.part(turn * told_words, told_words, 4)?;
            let of_part =
                Starts { places: starts, excess: u64::from(pass) * len, next: has_next.then_some(next) };
            let what = (from, first, count);
            self.queue().scatter(
                cuda.kernels(),
                plan.carried,
                what,
                (pass, digits),
                of_part,
                told,
                (to, len),
                sizes,
            )?;
            starts = next;
        }
        Ok(to)
    }
}
