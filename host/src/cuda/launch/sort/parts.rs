//! The launches that list the parts of an array, and the launches that sort short parts. They check that their arguments are
//! memory the kernels may touch, as [`enqueue`](crate::cuda::launch::enqueue) does for folds.

use cuda_std::memory::{Optional, Readable};
use gpu_kernels::arguments::{SortParts, SortShort};
use gpu_kernels::sort::shapes::{
    LANE_CLASSES, LANES_THREADS, LEAF_WORDS, PartCounters, SEGMENT_WORDS, SHORT_CLASSES, SORT_THREADS,
    most_part_leaves, most_segments, most_short, most_tiles, short_list, sort_items, sort_tile,
};

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::Items;
use crate::cuda::launch::rooms::{Room, Rooms};
use crate::cuda::launch::segments::Offsets;
use crate::cuda::launch::sort::{SortIndices, SortKeys, SortTo};
use crate::cuda::launch::{Kernels, Queue, enqueue};
use crate::error::Error;
use crate::kernel::moves::SORT_PARTS;

/// Blocks per multiprocessor of the launch that lists: the resident blocks of a kernel with few registers.
const LIST_BLOCKS: u32 = 8;

/// Contiguous parts of an array, at least one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divided<'a> {
    /// Number of parts.
    pub(crate) count: u64,
    /// Where they are.
    pub(crate) ends: PartEnds<'a>,
}

/// Where parts are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PartEnds<'a> {
    /// Each part has so many elements; the last part has the rest.
    Equal(u64),
    /// A part lies between each of these offsets and the next.
    Between(Offsets<'a>),
}

impl PartEnds<'_> {
    /// Returns the offsets, if there are any, whether they are wide, whether they are signed, and the length of a part.
    #[allow(clippy::type_complexity, reason = "they are the kernels' parameters")]
    pub(in crate::cuda::launch) fn open(
        self,
        queue: &Queue,
    ) -> Result<(Optional<Readable<u32>>, u32, u32, u64), Error> {
        match self {
            Self::Equal(len) => Ok((Optional::none(), 0, 0, len)),
            Self::Between(offsets) => {
                queue.keep_memory(offsets.region.memory())?;
                Ok((offsets.words()?.into(), offsets.are_wide.into(), offsets.are_signed.into(), 0))
            }
        }
    }
}

/// The layout of the lists of parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartRooms {
    items: usize,
    counters: Room,
    short: Room,
    leaves: Room,
    segments: Room,
    of_tiles: Room,
}

impl PartRooms {
    /// Adds rooms to `rooms` for lists of `count` parts of `len` keys, by the kinds of parts if a thread has `items`.
    pub(crate) fn new(rooms: &mut Rooms, (len, items): (u64, usize), count: u64) -> Self {
        let tile = sort_tile(items);
        Self {
            items,
            counters: rooms.add(PartCounters::COUNT, 8),
            short: rooms.add(short_list(count, len, SHORT_CLASSES, items), 8),
            leaves: rooms.add(most_part_leaves(len, tile).saturating_mul(LEAF_WORDS), 8),
            segments: rooms.add(most_segments(len, tile).saturating_mul(SEGMENT_WORDS), 8),
            of_tiles: rooms.add(most_tiles(len, tile), 4),
        }
    }

    /// Returns the rooms in `memory`.
    pub(crate) fn of(self, memory: Region<'_>) -> Result<PartRoom<'_>, Error> {
        Ok(PartRoom {
            items: self.items,
            counters: self.counters.of(memory)?,
            short: self.short.of(memory)?,
            leaves: self.leaves.of(memory)?,
            segments: self.segments.of(memory)?,
            of_tiles: self.of_tiles.of(memory)?,
        })
    }
}

/// Lists of parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartRoom<'a> {
    /// Keys of a thread, on which the kind of a part depends.
    items: usize,
    pub(crate) counters: Region<'a>,
    short: Region<'a>,
    pub(crate) leaves: Region<'a>,
    pub(crate) segments: Region<'a>,
    pub(crate) of_tiles: Region<'a>,
}

impl<'a> PartRoom<'a> {
    /// Returns the numbers of the `found` parts of a class among `count` parts of `len` keys.
    pub(in crate::cuda::launch) fn class(
        &self,
        (count, len): (u64, u64),
        class: u32,
        found: u64,
    ) -> Result<Region<'a>, Error> {
        let first = short_list(count, len, class, self.items);
        if found > most_short(count, len, class, self.items) {
            return Err(Error::Plan { why: "a class has no more parts than there is room for" });
        }
        Ok(self.short.part(first, found, 8)?)
    }
}

impl Queue {
    /// Lists the parts of `keys`, counts them, and counts the parts with fewer than `least` keys. `wanted` is the number of
    /// results that each part is sorted for, or [`u64::MAX`] for all.
    pub(crate) fn sort_parts(
        &self,
        (kernels, multiprocessors): (&Kernels, u32),
        keys: SortKeys<'_>,
        parts: Divided<'_>,
        (least, wanted): (u64, u64),
        room: &PartRoom<'_>,
    ) -> Result<(), Error> {
        let (len, tile, items) = (keys.len, sort_tile(room.items), room.items);
        let (offsets, are_wide, are_signed, part_len) = parts.ends.open(self)?;
        self.fill(room.counters, 0)?;
        let arguments = SortParts {
            offsets,
            are_wide,
            are_signed,
            part_len,
            count: parts.count,
            len,
            key_bytes: keys.items.bytes as u32,
            items: items as u32,
            least,
            wanted,
            counters: self.opened(room.counters, PartCounters::COUNT)?,
            short: self.opened(room.short, short_list(parts.count, len, SHORT_CLASSES, items))?,
            leaves: self.opened(room.leaves, most_part_leaves(len, tile) * LEAF_WORDS)?,
            segments: self.opened(room.segments, most_segments(len, tile) * SEGMENT_WORDS)?,
            of_tiles: self.opened(room.of_tiles, most_tiles(len, tile))?,
        };
        let most = u64::from(multiprocessors.max(1)) * u64::from(LIST_BLOCKS);
        let blocks = enqueue::blocks(parts.count.div_ceil(u64::from(SORT_THREADS)).clamp(1, most))?;
        // SAFETY: checked above: the offsets are readable, and `opened` checked the room for the greatest number of records.
        // `fill` has set the counters to 0. The queue keeps all memory.
        unsafe { self.launch(kernels, SORT_PARTS, blocks, SORT_THREADS, arguments) }
    }

    /// Sorts the `listed` parts of a class in `room`, after [`sort_parts`](Self::sort_parts) found no wrong offset; or all parts,
    /// which then have this class or a lower one, and one length unless lanes sort them. `indices` are written, if they are wanted.
    pub(crate) fn sort_short(
        &self,
        kernels: &Kernels,
        keys: SortKeys<'_>,
        parts: Divided<'_>,
        (class, listed): (u32, Option<(&PartRoom<'_>, u64)>),
        (to, indices): (SortTo<'_>, Option<Items<'_>>),
    ) -> Result<(), Error> {
        let (len, items) = (keys.len, sort_items(keys.items.bytes));
        let slot = (items as u64) << class;
        if class >= SHORT_CLASSES {
            return Err(Error::Plan { why: "short parts have a tile at most" });
        }
        let (short, short_len) = match listed {
            None => (None, 0),
            Some((room, found)) => (Some(room.class((parts.count, len), class, found)?), found),
        };
        let (offsets, are_wide, _, part_len) = parts.ends.open(self)?;
        let is_by_lanes = listed.is_none() && class < LANE_CLASSES && to.wanted == u64::MAX;
        if listed.is_none() && (part_len > slot || !(offsets.is_none() || is_by_lanes)) {
            return Err(Error::Plan {
                why: "parts of one length or of a few keys are sorted without a list",
            });
        }
        let indices = indices.map(|to| SortIndices { from: None, to });
        let (_, (indices_out, index_out_bytes)) = self.opened_indices(indices, len, to.len)?;
        let arguments = SortShort {
            input: keys.open(self)?,
            len,
            coding: keys.coding,
            offsets,
            are_wide,
            part_len,
            count: parts.count,
            short: self.opened_if(short, short_len)?,
            short_len,
            slot: slot as u32,
            out: self.opened_elements(keys, to)?,
            out_len: to.len,
            coding_out: to.coding,
            indices_out,
            index_out_bytes,
            wanted: to.wanted,
            are_within: to.are_within.into(),
        };
        let (entry, threads, of_block) = match is_by_lanes {
            true => (keys.leaf()?.lanes, LANES_THREADS, LANES_THREADS.into()),
            false => (keys.leaf()?.short, SORT_THREADS, keys.tile() / slot),
        };
        let count = listed.map_or(parts.count, |(_, found)| found);
        let blocks = enqueue::blocks(count.div_ceil(of_block))?;
        // SAFETY: checked above: keys, offsets and the list are readable, and there is room for elements and indices, whose
        // positions the kernel checks. The queue keeps all memory.
        unsafe { self.launch(kernels, entry, blocks, threads, arguments) }
    }
}
