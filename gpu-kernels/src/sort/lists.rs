//! The lists of a level: its buckets become segments of the next level, or leaves.
//!
//! Neighbouring buckets that fit a block together are one leaf, so that blocks have enough to do; their different ranges are no
//! matter to the sort of the leaf. A bucket is by itself if it does not fit a block, or if its keys are equal and many enough
//! for a leaf that needs no sorting.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedArray;
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x, unknown};

use super::segment::{Part, Segment, Segments};
use super::shapes::{BOUNDS, BUCKETS, EQUAL_TILES, LEAF_WORDS, SORT_THREADS};

cuda_std::shared_bytes! {
    /// For each bucket the number of its keys.
    fn moves_sort_sizes: 1024
}

cuda_std::shared_bytes! {
    /// For each first bucket of a leaf the leaf's number of keys and its last bucket.
    fn moves_sort_leaves: 1024
}

cuda_std::shared_bytes! {
    /// For each bucket that is a segment its number, its first tile, and its number of tiles.
    fn moves_sort_segments: 6144
}

const _: () = assert!(BUCKETS as usize * 4 == 1024 && BUCKETS as usize * 3 * 8 == 6144);

/// The size of a bucket that is by itself.
const ALONE: u32 = u32::MAX;

/// Bounds of keys of any size.
#[derive(Clone, Copy)]
pub(super) enum Bounds {
    One(GlobalSlice<u8>),
    Two(GlobalSlice<u16>),
    Four(GlobalSlice<u32>),
    Eight(GlobalSlice<u64>),
    Sixteen(GlobalSlice<u128>),
}

impl Bounds {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn read(self, index: u64) -> u128 {
        match self {
            Self::One(bounds) => bounds.read(index).into(),
            Self::Two(bounds) => bounds.read(index).into(),
            Self::Four(bounds) => bounds.read(index).into(),
            Self::Eight(bounds) => bounds.read(index).into(),
            Self::Sixteen(bounds) => bounds.read(index),
        }
    }
}

/// The lists that a level writes.
#[derive(Clone, Copy)]
pub(super) struct Lists {
    /// Records of the next level's segments.
    pub(super) segments: GlobalCells<u64>,
    /// For each tile of these segments the number of its segment.
    pub(super) of_tiles: GlobalCells<u32>,
    /// Records of leaves.
    pub(super) leaves: GlobalCells<u64>,
    /// The numbers of segments, tiles and leaves.
    pub(super) counters: AtomicCells<u64>,
    /// Keys of a tile.
    pub(super) tile: u64,
    /// Results of each part: buckets behind these are not listed.
    pub(super) wanted: u64,
}

/// Lists the buckets of one segment per block. `before` has the sum of all counts before each count.
///
/// Called by: every thread of every block, of [`SORT_THREADS`]. Valid in: the lists, when the launch has ended. Scratch: some
/// words per bucket.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn list(segments: Segments, bounds: Bounds, before: GlobalSlice<u64>, lists: Lists) {
    let (number, bucket) = (u64::from(block_idx_x()), thread_idx_x());
    let segment = segments.at(number);
    let sizes: SharedArray<u32, { BUCKETS as usize }> = moves_sort_sizes().array();
    let leaves: SharedArray<u32, { BUCKETS as usize }> = moves_sort_leaves().array();
    let found: SharedArray<u64, { 3 * BUCKETS as usize }> = moves_sort_segments().array();

    let first_of = |bucket: u32| match u64::from(bucket) {
        BUCKETS => segment.len,
        bucket => {
            let (first, tiles) = (segment.first_tile * BUCKETS, segment.len.div_ceil(lists.tile));
            before.read(first + bucket * tiles) - before.read(first)
        }
    };
    let bound_of = |bucket: u32| bounds.read(number * BOUNDS + u64::from(bucket));
    let greatest_of = |bucket: u32| {
        if u64::from(bucket) == BOUNDS { segment.greatest } else { bound_of(bucket).wrapping_sub(1) }
    };
    let first = first_of(bucket);
    let len = first_of(bucket + 1) - first;
    let least = if bucket == 0 { segment.least } else { bound_of(bucket - 1) };
    let are_equal = greatest_of(bucket) == least;
    let is_wanted = segment.start + first - segment.part.start < lists.wanted;
    let is_alone = !is_wanted || len > lists.tile || (are_equal && len > lists.tile / 2);
    sizes.write(bucket as usize, if is_alone { ALONE } else { len as u32 });
    leaves.write(bucket as usize, 0);
    sync_threads();
    if bucket == 0 {
        join(sizes, leaves, lists.tile as u32);
    }
    sync_threads();

    let start = segment.start + first;
    let mut tiles = 0;
    if is_alone && !is_wanted {
        // Nobody reads what is in it.
    } else if is_alone && are_equal {
        lists.add_equal(start, len, least, segment.part);
    } else if is_alone {
        tiles = len.div_ceil(lists.tile);
        let is_even = len > segment.len / 4;
        let (greatest, part) = (greatest_of(bucket), segment.part);
        let own = Segment { start, len, first_tile: 0, is_even, least, greatest, part };
        let (number, first_tile) = lists.add_segment(own, tiles);
        found.write(3 * bucket as usize, number);
        found.write(3 * bucket as usize + 1, first_tile);
    } else {
        let leaf = leaves.read(bucket as usize);
        if leaf > 0 {
            let range = greatest_of(leaf % BUCKETS as u32) - least;
            let bits = u128::BITS - range.leading_zeros();
            let at = lists.counters.fetch_add(2, 1);
            lists.write_leaf(at, [start, u64::from(leaf / BUCKETS as u32), bits.into()], least, segment.part);
        }
    }
    found.write(3 * bucket as usize + 2, tiles);
    sync_threads();
    lists.write_tiles(found);
    let_next_launch_start();
}

/// Joins neighbouring buckets to leaves of at most a tile, in one thread.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn join(
    sizes: SharedArray<u32, { BUCKETS as usize }>,
    leaves: SharedArray<u32, { BUCKETS as usize }>,
    tile: u32,
) {
    let (mut bucket, mut head, mut len) = (0, 0, 0);
    while bucket < BUCKETS as u32 {
        let size = sizes.read(bucket as usize);
        if size > tile - len {
            if len > 0 {
                leaves.write(head as usize, len * BUCKETS as u32 + bucket - 1);
            }
            (head, len) = if size == ALONE { (bucket + 1, 0) } else { (bucket, size) };
        } else {
            len += size;
        }
        bucket = unknown(bucket + 1);
    }
    if len > 0 {
        leaves.write(head as usize, len * BUCKETS as u32 + BOUNDS as u32);
    }
}

impl Lists {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write_leaf(self, at: u64, words: [u64; 3], least: u128, part: Part) {
        let first = at * LEAF_WORDS;
        self.leaves.write(first, words[0]);
        self.leaves.write(first + 1, words[1]);
        self.leaves.write(first + 2, words[2]);
        self.leaves.write(first + 3, least as u64);
        self.leaves.write(first + 4, (least >> 64) as u64);
        self.leaves.write(first + 5, part.start);
        self.leaves.write(first + 6, part.to);
    }

    /// Lists equal keys, in pieces that several blocks write.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn add_equal(self, start: u64, len: u64, key: u128, part: Part) {
        let most = EQUAL_TILES * self.tile;
        let mut at = self.counters.fetch_add(2, len.div_ceil(most));
        let mut done = 0;
        while done < len {
            self.write_leaf(at, [start + done, most.min(len - done), 0], key, part);
            (at, done) = (at + 1, done + most);
        }
    }

    /// Lists a segment, and returns its number and its first tile.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn add_segment(self, segment: Segment, tiles: u64) -> (u64, u64) {
        let number = self.counters.fetch_add(0, 1);
        let first_tile = self.counters.fetch_add(1, tiles);
        Segment { first_tile, ..segment }.write(self.segments, number);
        (number, first_tile)
    }

    /// Writes the segment number of each new tile, one segment after the other by the whole block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write_tiles(self, found: SharedArray<u64, { 3 * BUCKETS as usize }>) {
        let mut bucket = 0;
        while bucket < BUCKETS as usize {
            let tiles = found.read(3 * bucket + 2);
            let mut tile = u64::from(thread_idx_x());
            while tile < tiles {
                let (number, first) = (found.read(3 * bucket), found.read(3 * bucket + 1));
                self.of_tiles.write(first + tile, number as u32);
                tile += u64::from(SORT_THREADS);
            }
            bucket = unknown(bucket as u32 + 1) as usize;
        }
    }
}
