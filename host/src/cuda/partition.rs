//! Elements sorted by group on the device: a plan becomes launches, in memory that the queue keeps until its work has ended.

use std::sync::Arc;

use gpu_kernels::Element;
use gpu_kernels::moves::groups::shape::{
    GATHER_THREADS, HISTOGRAM_BLOCKS, HISTOGRAM_THREADS, MOST_SCATTERED, passes, scatter_tile, told_len,
};

use super::Cuda;
use super::driver::{
    Digits, IdCheck, Input, Items, Memory, Portions, Region, Room, Rooms, SCAN_TOTALS_LEN, Starts, Tagged,
};
use super::lane::Lane;
use crate::error::Error;
use crate::index_type::IndexType;
use crate::moves::{MOVES, Moves};

/// What a partition left on the device.
#[derive(Debug)]
pub(super) struct Partition {
    memory: Arc<Memory>,
    offsets: Room,
    first_bad: Room,
}

impl Partition {
    /// The elements by group, in each group as they stood. If [an id is bad](Self::first_bad), in some order.
    pub(super) fn elements<T: Element>(&self, len: usize) -> Result<Input<'_, T>, Error> {
        Input::new(&self.memory, 0, len)
    }

    /// Where each group begins, as u64, and where the last one ends: ascending, and none beyond the elements.
    pub(super) fn offsets(&self) -> Result<Region<'_>, Error> {
        self.offsets.of(self.memory.whole())
    }

    /// Waits, and gives the place of the first id that is not of a group.
    pub(super) fn first_bad(&self, lane: &Lane) -> Result<Option<u64>, Error> {
        let place = self.first_bad.of(self.memory.whole())?.download::<u64>(lane.queue(), 1)?;
        Ok(place.first().copied().filter(|&place| place != u64::MAX))
    }
}

/// How the elements are moved.
#[derive(Clone, Copy)]
struct Plan {
    /// The kernels for what is carried from pass to pass: elements or, of those that are no words, their places.
    carried: &'static Moves,
    digits: Digits,
    len: u64,
    /// Elements of a launch, but the last one: whole tiles.
    part: u64,
    id_bytes: usize,
}

/// Where everything is in the memory of a partition.
struct Places {
    /// The elements at last: first, so that they begin at a multiple of any size.
    out: Room,
    /// What is carried, after the last pass and every other one before.
    sorted: Room,
    /// The same after the others.
    between: Room,
    /// The places of elements, before the first pass.
    numbered: Room,
    ids: [Room; 2],
    /// For each digit and value, where the first element goes.
    starts: Room,
    /// The same for the elements of each launch of a pass but the first one.
    next_starts: Room,
    /// The groups' sizes, which become their offsets.
    sizes: Room,
    /// What the tiles of each pass tell each other.
    told: Room,
    totals: Room,
    first_bad: Room,
    bytes: usize,
}

impl Plan {
    fn new(carried: &'static Moves, len: u64, groups: u64) -> Self {
        let ((passes, bits), tile) = (passes(groups), scatter_tile(carried.bytes));
        let id_bytes = if groups <= 1 << 16 { 2 } else { 4 };
        let part = MOST_SCATTERED / tile * tile;
        Self { carried, digits: Digits { passes, bits }, len, part, id_bytes }
    }

    /// Words that the tiles of one launch need.
    fn told(self) -> u64 {
        told_len(self.len.min(self.part).div_ceil(scatter_tile(self.carried.bytes)), self.digits.bits)
    }

    /// Launches of a pass.
    fn parts(self) -> u64 {
        self.len.div_ceil(self.part)
    }

    /// Room for it all. The elements have `bytes`, and there are so many groups; ids are copied in front if `copies`.
    fn places(self, bytes: usize, groups: u64, copies: bool) -> Places {
        let (len, passes, is_carried) = (self.len, self.digits.passes, self.carried.bytes == bytes);
        let mut rooms = Rooms::default();
        let mut some = |needed: bool, bytes: usize| rooms.add(if needed { len } else { 0 }, bytes);
        let out = some(true, bytes);
        let sorted = if is_carried { out } else { some(true, self.carried.bytes) };
        let between = some(passes > 1, self.carried.bytes);
        let numbered = some(!is_carried, self.carried.bytes);
        let ids = [copies || passes > 2, passes > 1].map(|needed| some(needed, self.id_bytes));
        let values = 1 << self.digits.bits;
        Places {
            out,
            sorted,
            between,
            numbered,
            ids,
            next_starts: rooms.add(self.parts() * values, 8),
            // Zeros at first, to the end of what is told.
            starts: rooms.add(self.digits.values() + 1, 8),
            sizes: rooms.add(if passes > 1 { groups.saturating_add(1) } else { 0 }, 8),
            told: rooms.add(self.told().saturating_mul(self.parts() * u64::from(passes)), 4),
            totals: rooms.add(SCAN_TOTALS_LEN as u64, 8),
            first_bad: rooms.add(1, 8),
            bytes: rooms.bytes(),
        }
    }
}

/// The kernels for the longest words that an element of `bytes` at `address` is made of.
pub(super) fn moves_of(address: u64, bytes: usize) -> Result<&'static Moves, Error> {
    let fits =
        |moves: &&Moves| bytes.is_multiple_of(moves.bytes) && address.is_multiple_of(moves.bytes as u64);
    MOVES.iter().rev().find(fits).ok_or(Error::Plan { why: "every element is made of words of one byte" })
}

impl Lane {
    /// Enqueues what sorts `x` by the group that `ids` has for each element, of `groups`, at most 2^32. Both are of one
    /// length, at least 1.
    pub(super) fn enqueue_partition<I: IndexType, T: Element>(
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
        // Elements that are no words have their places sorted in their stead.
        let place_bytes = if len <= u64::from(u32::MAX) { 4 } else { 8 };
        let is_carried = words.bytes == bytes;
        let plan = Plan::new(if is_carried { words } else { moves_of(0, place_bytes)? }, len, groups);
        // Ids of 8 bytes are too long for a pass.
        let copies = size_of::<I>() == 8;
        let places = plan.places(bytes, groups, copies);
        let memory = Arc::new(Memory::scratch(queue.context(), places.bytes)?);
        let whole = memory.whole();

        queue.fill(places.first_bad.of(whole)?, 0xff)?;
        queue.fill(places.starts.to(places.told).of(whole)?, 0)?;
        let mut from = Tagged {
            ids: Some(Items { region: ids.region(), bytes: size_of::<I>() }),
            elements: Items { region: x.region(), bytes },
        };
        if !is_carried {
            from.elements = Items { region: places.numbered.of(whole)?, bytes: plan.carried.bytes };
            queue.number_places(kernels, from.elements, len, blocks_for(len, cuda))?;
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
            let x = Items { region: x.region(), bytes };
            let (out, count) = (places.out.of(whole)?, (len, blocks_for(len, cuda)));
            queue.gather(kernels, words, x, from.elements, out, count)?;
        }
        Ok(Partition { memory, offsets, first_bad: places.first_bad })
    }

    /// Enqueues what counts the digits of the ids, which are checked and copied on the way, and sums them up.
    fn enqueue_starts<I: IndexType>(
        &self,
        cuda: &Cuda,
        ids: Input<'_, I>,
        plan: Plan,
        places: &Places,
        copy: Option<Items<'_>>,
        (groups, whole): (u64, Region<'_>),
    ) -> Result<(), Error> {
        let (queue, kernels) = (self.queue(), cuda.kernels());
        let blocks = cuda.multiprocessors().saturating_mul(HISTOGRAM_BLOCKS);
        let portions = Portions::new(plan.len, u64::from(HISTOGRAM_THREADS) * 8, blocks)?;
        let limit = groups.min(I::MOST.saturating_add(1));
        let check = IdCheck { groups: limit, first_bad: places.first_bad.of(whole)? };
        let (ids, starts) = (Items { region: ids.region(), bytes: size_of::<I>() }, places.starts.of(whole)?);
        queue.count_digits(kernels, ids, portions, plan.digits, check, copy, starts)?;
        // All digits in one: what comes before a digit is the number of elements, as often as there are digits before.
        queue.scan(kernels, starts, plan.digits.values(), places.totals.of(whole)?)
    }

    /// Enqueues the launches of one pass, and gives what the next one reads.
    fn enqueue_pass<'a>(
        &self,
        cuda: &Cuda,
        plan: Plan,
        pass: u32,
        from: Tagged<'a>,
        places: &Places,
        (groups, whole): (u64, Region<'a>),
    ) -> Result<Tagged<'a>, Error> {
        let Plan { digits, len, .. } = plan;
        let (is_last, values) = (pass + 1 == digits.passes, 1u64 << digits.bits);
        // Taken in turns, so that the last pass ends where the elements are wanted.
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

/// Blocks that fill the device while they go through `len` elements.
fn blocks_for(len: u64, cuda: &Cuda) -> u32 {
    let all = len.div_ceil(u64::from(GATHER_THREADS)).max(1);
    // Each multiprocessor holds 2048 threads.
    all.min(u64::from(cuda.multiprocessors()) * u64::from(2048 / GATHER_THREADS)) as u32
}
