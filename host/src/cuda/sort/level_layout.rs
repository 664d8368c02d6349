//! The memory that a sort level by level works in.

use gpu_kernels::sort::shapes::{
    BOUNDS, BUCKETS, COUNTERS, LEAF_WORDS, SEGMENT_WORDS, most_leaves, most_segments, most_tiles, sort_items,
    sort_tile,
};

use crate::cuda::launch::{Region, Room, Rooms, SCAN_TOTALS_LEN, SortRoom, SortTo};
use crate::error::Error;

/// The layout of the memory of a sort level by level.
pub(crate) struct LevelLayout {
    /// The keys after odd levels.
    pub(crate) between: Room,
    /// The keys after even levels, if not all elements are wanted.
    keys: Room,
    /// The original indices of the elements, after even levels and after odd ones.
    pub(crate) indices: [Room; 2],
    ids: Room,
    bounds: Room,
    counts: Room,
    records: [Room; 2],
    of_tiles: [Room; 2],
    leaves: Room,
    counters: Room,
    pub(crate) totals: Room,
}

impl LevelLayout {
    /// Adds rooms to `rooms` for `len` keys of `bytes`, and for indices of `index_bytes` unless that is 0. `needs_key_room` says
    /// that the caller has no memory for sorted keys.
    pub(crate) fn new(
        rooms: &mut Rooms,
        (len, bytes): (u64, usize),
        index_bytes: usize,
        needs_key_room: bool,
    ) -> Self {
        let tile = sort_tile(sort_items(bytes));
        let (segments, tiles) = (most_segments(len, tile), most_tiles(len, tile));
        let mut lists = |words: u64, bytes: usize| [rooms.add(words, bytes), rooms.add(words, bytes)];
        let records = lists(segments.saturating_mul(SEGMENT_WORDS), 8);
        let of_tiles = lists(tiles, 4);
        let indices = lists(if index_bytes > 0 { len } else { 0 }, index_bytes);
        Self {
            between: rooms.add(len, bytes),
            keys: rooms.add(if needs_key_room { len } else { 0 }, bytes),
            indices,
            ids: rooms.add(len, 1),
            bounds: rooms.add(segments.saturating_mul(BOUNDS), bytes),
            counts: rooms.add(tiles.saturating_mul(BUCKETS).saturating_add(1), 8),
            records,
            of_tiles,
            leaves: rooms.add(most_leaves(len, tile).saturating_mul(LEAF_WORDS), 8),
            counters: rooms.add(COUNTERS, 8),
            totals: rooms.add(SCAN_TOTALS_LEN as u64, 8),
        }
    }

    /// Returns the memory that the launches of a level share. `memory` must begin with these rooms.
    pub(crate) fn room<'a>(&self, memory: Region<'a>) -> Result<SortRoom<'a>, Error> {
        let list = |at: usize| -> Result<_, Error> {
            Ok((self.records[at].of(memory)?, self.of_tiles[at].of(memory)?))
        };
        Ok(SortRoom {
            bounds: self.bounds.of(memory)?,
            ids: self.ids.of(memory)?,
            counts: self.counts.of(memory)?,
            lists: [list(0)?, list(1)?],
            leaves: self.leaves.of(memory)?,
            counters: self.counters.of(memory)?,
        })
    }

    /// Returns where the keys are after an even level: in the elements' memory, if all are wanted.
    pub(crate) fn out<'a>(&self, to: SortTo<'a>, memory: Region<'a>) -> Result<Region<'a>, Error> {
        let elements = to.elements.filter(|_| to.wanted == u64::MAX);
        elements.map_or_else(|| self.keys.of(memory), Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation of `Cuda::sort` gives these numbers.
    #[test]
    fn memory_is_a_few_bytes_for_each_key() {
        for (bytes, more) in [(8, 5), (16, 10)] {
            let (len, mut rooms) = (100 << 20, Rooms::default());
            let _layout = LevelLayout::new(&mut rooms, (len as u64, bytes), 0, false);
            let found = rooms.bytes();
            assert!((len * (bytes + 1)..len * (bytes + more)).contains(&found), "{bytes}: {found}");
        }
    }
}
