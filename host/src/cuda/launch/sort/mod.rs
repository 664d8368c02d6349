//! The launches of a sort level by level, and the launch of a sort in one block. They check that their arguments are
//! memory the kernels may touch, as [`enqueue`](crate::cuda::launch::enqueue) does for folds.

pub(in crate::cuda::launch) mod parts;

use cuda_std::memory::{Optional, Pointer, Readable, Writable};
use gpu_kernels::arguments::{SortCount, SortLeaf, SortLists, SortPivots, SortScatter};
use gpu_kernels::sort::shapes::{
    BOUNDS, BUCKETS, COUNTERS, LEAF_WORDS, SEGMENT_WORDS, SORT_THREADS, most_leaves, most_segments,
    most_tiles, sort_items, sort_tile,
};

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::{Items, width};
use crate::cuda::launch::{Kernels, Queue, enqueue};
use crate::error::Error;
use crate::kernel::moves::{LEAVES, LEVELS, Leaf, Levels, SORT_LISTS, Word};

/// Elements to sort, or keys between levels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortKeys<'a> {
    /// Their memory.
    pub(crate) items: Items<'a>,
    /// Number of keys, at least 1.
    pub(crate) len: u64,
    /// The encoding of the keys: a sum of `gpu_kernels::sort::shapes::codes`.
    pub(crate) coding: u32,
}

/// The segments of a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortLevel {
    /// Which of the two lists has them. `None` if all keys are one segment.
    pub(crate) list: Option<usize>,
    /// Number of segments.
    pub(crate) segments: u64,
    /// Number of tiles in all segments.
    pub(crate) tiles: u64,
}

/// Memory that the launches of a level share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortRoom<'a> {
    pub(crate) bounds: Region<'a>,
    pub(crate) ids: Region<'a>,
    pub(crate) counts: Region<'a>,
    /// Records of segments, and the segment of each tile. Levels alternate between the two lists.
    pub(crate) lists: [(Region<'a>, Region<'a>); 2],
    pub(crate) leaves: Region<'a>,
    pub(crate) counters: Region<'a>,
}

/// The original indices of elements, in 4 or 8 bytes each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortIndices<'a> {
    /// The indices so far. If `None`, each element's index is its position.
    pub(crate) from: Option<Items<'a>>,
    /// Where the indices are written.
    pub(crate) to: Items<'a>,
}

/// Where the last launches of a sort write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortTo<'a> {
    /// The elements, unless only indices are wanted.
    pub(crate) elements: Option<Region<'a>>,
    /// The encoding of the elements.
    pub(crate) coding: u32,
    /// The number of results.
    pub(crate) len: u64,
    /// Most results of each part of the array, or [`u64::MAX`].
    pub(crate) wanted: u64,
    /// Whether indices count from the start of their part.
    pub(crate) are_within: bool,
}

impl<'a> SortTo<'a> {
    /// Writes all results of `keys` in the order of the whole array.
    pub(crate) fn whole(keys: SortKeys<'_>, elements: Option<Region<'a>>) -> Self {
        Self { elements, coding: keys.coding, len: keys.len, wanted: u64::MAX, are_within: false }
    }
}

impl SortKeys<'_> {
    /// Returns the number of keys of a tile.
    pub(crate) fn tile(self) -> u64 {
        Self::tile_of(self.items.bytes)
    }

    /// Returns the number of keys of `bytes` of a tile.
    pub(crate) fn tile_of(bytes: usize) -> u64 {
        sort_tile(sort_items(bytes))
    }

    fn leaf(self) -> Result<&'static Leaf, Error> {
        let of_size = LEAVES.iter().find(|leaf| leaf.bytes == self.items.bytes);
        of_size.ok_or(Error::Plan { why: "keys of 1, 2, 4, 8 or 16 bytes are sorted on a GPU" })
    }

    fn entries(self) -> Result<&'static Levels, Error> {
        let of_size = LEVELS.iter().find(|levels| levels.bytes == self.items.bytes);
        of_size.ok_or(Error::Plan { why: "keys of 1, 2, 4, 8 or 16 bytes are sorted level by level" })
    }

    pub(in crate::cuda::launch) fn open(self, queue: &Queue) -> Result<Readable<Word>, Error> {
        self.items.open(queue, self.len, self.items.bytes)
    }
}

/// Records of segments, and the segment of each tile.
type OpenedList = (Optional<Readable<u64>>, Optional<Readable<u32>>);

/// Indices so far, and indices that are written with their bytes.
type OpenedIndices = (Optional<Readable<u8>>, (Optional<Writable<u8>>, u32));

impl Queue {
    /// Returns the level's segments, and their tiles' segments.
    fn opened_list(&self, level: SortLevel, room: &SortRoom<'_>) -> Result<OpenedList, Error> {
        let (records, of_tiles) = level.list.and_then(|list| room.lists.get(list).copied()).unzip();
        let records = self.opened_if(records, level.segments.saturating_mul(SEGMENT_WORDS))?;
        Ok((records, self.opened_if(of_tiles, level.tiles)?))
    }

    /// Returns the bounds of the level's segments.
    fn opened_bounds<P: Pointer>(
        &self,
        keys: SortKeys<'_>,
        level: SortLevel,
        room: &SortRoom<'_>,
    ) -> Result<P, Error> {
        let bytes = keys.items.bytes;
        Items { region: room.bounds, bytes }.open(self, level.segments.saturating_mul(BOUNDS), bytes)
    }

    /// Writes the bounds between the buckets of each segment.
    pub(crate) fn sort_pivots(
        &self,
        kernels: &Kernels,
        keys: SortKeys<'_>,
        level: SortLevel,
        room: &SortRoom<'_>,
    ) -> Result<(), Error> {
        let arguments = SortPivots {
            input: keys.open(self)?,
            len: keys.len,
            coding: keys.coding,
            segments: self.opened_list(level, room)?.0,
            bounds: self.opened_bounds(keys, level, room)?,
        };
        let (entry, blocks) = (keys.entries()?.pivots, enqueue::blocks(level.segments)?);
        // SAFETY: checked above: keys and records are readable, and there is room for the bounds. The kernel checks the
        // positions in records. The queue keeps all memory.
        unsafe { self.launch(kernels, entry, blocks, SORT_THREADS, arguments) }
    }

    /// Writes the bucket of each key, and the number of keys of each bucket in each tile.
    pub(crate) fn sort_count(
        &self,
        kernels: &Kernels,
        keys: SortKeys<'_>,
        level: SortLevel,
        room: &SortRoom<'_>,
    ) -> Result<(), Error> {
        let (segments, of_tiles) = self.opened_list(level, room)?;
        let arguments = SortCount {
            input: keys.open(self)?,
            len: keys.len,
            coding: keys.coding,
            segments,
            segments_len: level.segments,
            of_tiles,
            bounds: self.opened_bounds(keys, level, room)?,
            ids: self.opened(room.ids, keys.len)?,
            counts: self.opened(room.counts, level.tiles.saturating_mul(BUCKETS))?,
        };
        let (entry, blocks) = (keys.entries()?.count, enqueue::blocks(level.tiles)?);
        // SAFETY: as above, and `opened` checked the room for a byte of each key and the counts of each tile.
        unsafe { self.launch(kernels, entry, blocks, SORT_THREADS, arguments) }
    }

    /// Moves the keys of each segment to their buckets in `out`, without buckets behind the first `wanted` keys of a part. The
    /// counts must have been summed.
    pub(crate) fn sort_scatter(
        &self,
        kernels: &Kernels,
        keys: SortKeys<'_>,
        level: SortLevel,
        room: &SortRoom<'_>,
        (out, wanted): (Region<'_>, u64),
        indices: Option<SortIndices<'_>>,
    ) -> Result<(), Error> {
        let (len, bytes) = (keys.len, keys.items.bytes);
        let (segments, of_tiles) = self.opened_list(level, room)?;
        let (from, (indices_out, index_bytes)) = self.opened_indices(indices, len, len)?;
        if let (Some(from), 1..) = (indices.and_then(|indices| indices.from), index_bytes)
            && width(from.bytes, &[4, 8])? != index_bytes
        {
            return Err(Error::Plan { why: "indices have one width on the way" });
        }
        let sums = level.tiles.saturating_mul(BUCKETS).saturating_add(1);
        let arguments = SortScatter {
            input: keys.open(self)?,
            len,
            coding: keys.coding,
            segments,
            segments_len: level.segments,
            of_tiles,
            ids: self.opened(room.ids, len)?,
            before: self.opened(room.counts, sums)?,
            out: Items { region: out, bytes }.open(self, len, bytes)?,
            indices: from,
            indices_out,
            index_bytes,
            wanted,
        };
        let (entry, blocks) = (keys.entries()?.scatter, enqueue::blocks(level.tiles)?);
        // SAFETY: as above. `opened` checked that there is a readable sum for each count and one more, and room for all
        // keys and indices. The kernel checks that each position is in bounds. `sort_count` and the scan of its counts
        // give every key a position of its own.
        unsafe { self.launch(kernels, entry, blocks, SORT_THREADS, arguments) }
    }

    /// Lists the next steps for the buckets of each segment in the list `next`, and adds up their numbers, without buckets behind
    /// the first `wanted` keys of a part. The counters must be 0.
    pub(crate) fn sort_lists(
        &self,
        kernels: &Kernels,
        keys: SortKeys<'_>,
        level: SortLevel,
        room: &SortRoom<'_>,
        (next, wanted): (usize, u64),
    ) -> Result<(), Error> {
        let (len, tile) = (keys.len, keys.tile());
        let Some((records, of_tiles)) = room.lists.get(next) else {
            return Err(Error::Plan { why: "a sort has two lists of segments" });
        };
        let sums = level.tiles.saturating_mul(BUCKETS).saturating_add(1);
        let arguments = SortLists {
            len,
            key_bytes: keys.items.bytes as u32,
            tile,
            segments: self.opened_list(level, room)?.0,
            tiles: level.tiles,
            bounds: self.opened_bounds(keys, level, room)?,
            before: self.opened(room.counts, sums)?,
            next: self.opened(*records, most_segments(len, tile) * SEGMENT_WORDS)?,
            next_of_tiles: self.opened(*of_tiles, most_tiles(len, tile))?,
            leaves: self.opened(room.leaves, most_leaves(len, tile) * LEAF_WORDS)?,
            counters: self.opened(room.counters, COUNTERS)?,
            wanted,
        };
        let blocks = enqueue::blocks(level.segments)?;
        // SAFETY: as above, and `opened` checked the room for the greatest number of records.
        unsafe { self.launch(kernels, SORT_LISTS, blocks, SORT_THREADS, arguments) }
    }

    /// Sorts each listed leaf or, without a list, all keys in one block.
    pub(crate) fn sort_leaves(
        &self,
        kernels: &Kernels,
        keys: SortKeys<'_>,
        listed: Option<(Region<'_>, u64)>,
        to: SortTo<'_>,
        indices: Option<SortIndices<'_>>,
    ) -> Result<(), Error> {
        let len = keys.len;
        if listed.is_none() && len > keys.tile() {
            return Err(Error::Plan { why: "a block sorts a tile at most" });
        }
        let count = listed.map_or(1, |(_, count)| count);
        let (from, (indices_out, index_out_bytes)) = self.opened_indices(indices, len, to.len)?;
        let arguments = SortLeaf {
            input: keys.open(self)?,
            len,
            coding: keys.coding,
            leaves: self.opened_if(listed.map(|(leaves, _)| leaves), count.saturating_mul(LEAF_WORDS))?,
            out: self.opened_elements(keys, to)?,
            out_len: to.len,
            coding_out: to.coding,
            indices: from,
            index_bytes: match indices.and_then(|indices| indices.from) {
                Some(from) => width(from.bytes, &[4, 8])?,
                None => index_out_bytes,
            },
            indices_out,
            index_out_bytes,
            wanted: to.wanted,
            are_within: to.are_within.into(),
        };
        let (entry, blocks) = (keys.leaf()?.leaf, enqueue::blocks(count)?);
        // SAFETY: checked above: keys, records and indices are readable, and there is room for elements and indices.
        // The kernel checks the positions in records. The queue keeps all memory.
        unsafe { self.launch(kernels, entry, blocks, SORT_THREADS, arguments) }
    }

    /// Returns the elements that are written, if there are any.
    fn opened_elements(&self, keys: SortKeys<'_>, to: SortTo<'_>) -> Result<Optional<Writable<Word>>, Error> {
        let bytes = keys.items.bytes;
        Items::open_if(to.elements.map(|region| Items { region, bytes }), self, to.len, bytes)
    }

    /// Returns the `len` indices so far, the room for `len_out` indices, and the bytes of a written index.
    fn opened_indices(
        &self,
        indices: Option<SortIndices<'_>>,
        len: u64,
        len_out: u64,
    ) -> Result<OpenedIndices, Error> {
        let Some(SortIndices { from, to }) = indices else {
            return Ok((Optional::none(), (Optional::none(), 0)));
        };
        let from = Items::open_if(from, self, len, from.map_or(1, |from| from.bytes))?;
        Ok((from, (to.open(self, len_out, to.bytes)?, width(to.bytes, &[4, 8])?)))
    }
}
