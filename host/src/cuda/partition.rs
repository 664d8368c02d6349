//! Elements sorted by group on the device, and runs of equal keys found there: plans become launches, in memory that is
//! allocated for each call and that the queue keeps until its work has ended.

use std::sync::Arc;

use gpu_kernels::Element;
use gpu_kernels::moves::groups::shape::{
    GATHER_THREADS, SCAN_THREADS, SCATTER_THREADS, passes, run_items, scatter_items,
};

use super::Cuda;
use super::driver::{Digit, GroupsOut, Input, Items, Memory, Portions, Region, SCAN_TOTALS_LEN};
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

/// Bytes in a memory.
#[derive(Clone, Copy, Debug)]
struct Room {
    first: usize,
    bytes: usize,
}

/// The rooms of one memory, side by side, each at a multiple of 256 bytes.
#[derive(Debug, Default)]
struct Rooms {
    end: usize,
}

impl Rooms {
    /// Room for `count` items of `bytes`.
    fn add(&mut self, count: u64, bytes: usize) -> Room {
        let bytes = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(bytes);
        let room = Room { first: self.end, bytes };
        self.end = self.end.saturating_add(bytes).checked_next_multiple_of(256).unwrap_or(usize::MAX);
        room
    }
}

impl Room {
    fn of(self, memory: &Arc<Memory>) -> Result<Region<'_>, Error> {
        memory.region(self.first, self.bytes)
    }
}

impl Partition {
    /// The elements by group, in each group as they stood. Valid if [no id is bad](Self::first_bad).
    pub(super) fn elements<T: Element>(&self, len: usize) -> Result<Input<'_, T>, Error> {
        Input::new(&self.memory, 0, len)
    }

    /// Where each group begins, as u64, and where the last one ends.
    pub(super) fn offsets(&self) -> Result<Region<'_>, Error> {
        self.offsets.of(&self.memory)
    }

    /// Waits, and gives the place of the first id that is not of a group.
    pub(super) fn first_bad(&self, lane: &Lane) -> Result<Option<u64>, Error> {
        let place = self.memory.download::<u64>(lane.queue(), self.first_bad.first, 1)?;
        Ok(place.first().copied().filter(|&place| place != u64::MAX))
    }
}

/// Runs of equal keys.
#[derive(Debug)]
pub(super) struct Runs<'a> {
    keys: Items<'a>,
    moves: &'static Moves,
    portions: Portions,
    counts: Arc<Memory>,
    /// How many there are.
    pub(super) count: u64,
}

/// Where runs begin, and of which key each is.
#[derive(Debug)]
pub(super) struct RunsFound {
    memory: Arc<Memory>,
    offsets: Room,
    of_runs: Room,
}

impl RunsFound {
    /// Where each run begins, as u64, and where the last one ends.
    pub(super) fn offsets(&self) -> Result<Region<'_>, Error> {
        self.offsets.of(&self.memory)
    }

    /// Waits, and gives the key of each run, as plain data of a key's size.
    pub(super) fn keys<B: Element + bytemuck::AnyBitPattern>(
        &self,
        lane: &Lane,
        count: usize,
    ) -> Result<Vec<B>, Error> {
        self.memory.download(lane.queue(), self.of_runs.first, count)
    }
}

/// The kernels for the longest words that an element of `bytes` at `address` is made of.
fn moves_of(address: u64, bytes: usize) -> Result<&'static Moves, Error> {
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
        let carried = if words.bytes == bytes { words } else { moves_of(0, place_bytes)? };
        let is_carried = words.bytes == bytes;
        let tile = (scatter_items(carried.bytes) as u64) * u64::from(SCATTER_THREADS);
        let most_blocks = queue.resident(kernels, carried.scatter)?.saturating_mul(cuda.multiprocessors());
        let portions = Portions::new(len, tile, most_blocks)?;
        let (passes, bits) = passes(groups);
        let id_bytes = if groups <= 1 << 16 { 2 } else { 4 };

        let mut rooms = Rooms::default();
        // The elements first, so that they begin at a multiple of any size.
        let out = rooms.add(len, bytes);
        let sorted = if is_carried { out } else { rooms.add(len, carried.bytes) };
        let between = rooms.add(if passes > 1 { len } else { 0 }, carried.bytes);
        let places = rooms.add(if is_carried { 0 } else { len }, carried.bytes);
        // Ids of 8 bytes are too long for a pass.
        let copies = size_of::<I>() == 8;
        let needs = [copies || passes > 2, passes > 1];
        let id_rooms = needs.map(|needed| rooms.add(if needed { len } else { 0 }, id_bytes));
        let cells = u64::from(portions.blocks) << bits;
        let starts = rooms.add(cells + 1, 8);
        let totals = rooms.add(SCAN_TOTALS_LEN as u64, 8);
        let offsets = rooms.add(groups.saturating_add(1), 8);
        let first_bad = rooms.add(1, 8);
        let memory = Arc::new(Memory::allocate(queue.context(), rooms.end)?);

        let carried_in =
            |room: Room| Ok::<_, Error>(Items { region: room.of(&memory)?, bytes: carried.bytes });
        let ids_in = |room: Room| Ok::<_, Error>(Items { region: room.of(&memory)?, bytes: id_bytes });
        queue.fill(first_bad.of(&memory)?, 0xff)?;
        if passes > 1 {
            queue.fill(offsets.of(&memory)?, 0)?;
        }
        let mut ids = Items { region: ids.region(), bytes: size_of::<I>() };
        let mut from = Items { region: x.region(), bytes };
        if !is_carried {
            from = carried_in(places)?;
            let blocks = blocks_for(len, cuda);
            queue.number_places(kernels, from, len, blocks)?;
        }
        for pass in 0..passes {
            let digit = Digit { shift: pass * bits, bits };
            let (is_first, is_last) = (pass == 0, pass + 1 == passes);
            let limit = groups.min(I::MOST.saturating_add(1));
            let check = if is_first { Some((limit, first_bad.of(&memory)?)) } else { None };
            let copy = if is_first && copies { Some(ids_in(id_rooms[0])?) } else { None };
            let starts = starts.of(&memory)?;
            queue.count_digits(kernels, ids, portions, digit, check, copy, starts)?;
            ids = copy.unwrap_or(ids);
            queue.scan(kernels, starts, cells, totals.of(&memory)?)?;
            // Taken in turns, so that the last pass ends where the elements are wanted.
            let to = carried_in(if (passes - 1 - pass) % 2 == 0 { sorted } else { between })?;
            let ids_out = if is_last { None } else { Some(ids_in(id_rooms[1 - pass as usize % 2])?) };
            let groups_out = GroupsOut { cells: offsets.of(&memory)?, groups, are_offsets: passes == 1 };
            let groups_out = is_last.then_some(groups_out);
            queue.scatter(
                kernels,
                carried,
                (ids, from),
                portions,
                digit,
                starts,
                (ids_out, to),
                groups_out,
            )?;
            from = to;
            ids = ids_out.unwrap_or(ids);
        }
        if passes > 1 && groups > 0 {
            queue.scan(kernels, offsets.of(&memory)?, groups, totals.of(&memory)?)?;
        }
        if !is_carried {
            let x = Items { region: x.region(), bytes };
            queue.gather(kernels, words, x, from, out.of(&memory)?, (len, blocks_for(len, cuda)))?;
        }
        Ok(Partition { memory, offsets, first_bad })
    }

    /// Counts the runs of equal keys, and waits for their number. There is at least one key.
    pub(super) fn count_runs<'a, K: Element>(
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
        let most_blocks = queue.resident(kernels, moves.write_runs)?.saturating_mul(cuda.multiprocessors());
        let portions = Portions::new(len, tile, most_blocks)?;
        let blocks = u64::from(portions.blocks);
        let mut rooms = Rooms::default();
        let (sums, totals) = (rooms.add(blocks + 1, 8), rooms.add(SCAN_TOTALS_LEN as u64, 8));
        let counts = Arc::new(Memory::allocate(queue.context(), rooms.end)?);
        let keys = Items { region: keys.region(), bytes };
        let region = sums.of(&counts)?;
        queue.count_runs(kernels, moves, keys, portions, region)?;
        queue.scan(kernels, region, blocks, totals.of(&counts)?)?;
        let count = counts.download::<u64>(queue, portions.blocks as usize * 8, 1)?;
        let count = count.first().copied().unwrap_or(0);
        Ok(Runs { keys, moves, portions, counts, count })
    }

    /// Enqueues what writes where the runs begin, and their keys.
    pub(super) fn enqueue_runs(&self, cuda: &Cuda, runs: &Runs<'_>) -> Result<RunsFound, Error> {
        let queue = self.queue();
        let mut rooms = Rooms::default();
        let of_runs = rooms.add(runs.count, runs.keys.bytes);
        let offsets = rooms.add(runs.count.saturating_add(1), 8);
        let memory = Arc::new(Memory::allocate(queue.context(), rooms.end)?);
        let keys = Items { region: of_runs.of(&memory)?, bytes: runs.keys.bytes };
        let to = (offsets.of(&memory)?, keys, runs.count);
        queue.write_runs(cuda.kernels(), runs.moves, runs.keys, runs.portions, runs.counts.whole(), to)?;
        Ok(RunsFound { memory, offsets, of_runs })
    }
}

/// Blocks that fill the device while they go through `len` elements.
fn blocks_for(len: u64, cuda: &Cuda) -> u32 {
    let all = len.div_ceil(u64::from(GATHER_THREADS)).max(1);
    // Each multiprocessor holds 2048 threads.
    all.min(u64::from(cuda.multiprocessors()) * u64::from(2048 / GATHER_THREADS)) as u32
}
