//! Segments of a level, and the tile of a segment that a block has.

use cuda_std::global::GlobalSlice;
use cuda_std::thread::{block_idx_x, thread_idx_x};
use cuda_std::warp::WARP_SIZE;

use super::shapes::{BUCKETS, SEGMENT_WORDS, sort_tile};

/// A segment to be split.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub(super) start: u64,
    pub(super) len: u64,
    /// The number of its first tile; its tiles are consecutive.
    pub(super) first_tile: u64,
    /// Whether its bounds are evenly spaced.
    pub(super) is_even: bool,
    /// Its least possible key.
    pub(super) least: u128,
    /// Its greatest possible key.
    pub(super) greatest: u128,
}

/// The segments of a level.
#[derive(Clone, Copy)]
pub(super) struct Segments {
    /// A record of [`SEGMENT_WORDS`] per segment. `None` if all `len` keys, of `bits`, are one segment.
    pub(super) records: Option<GlobalSlice<u64>>,
    pub(super) len: u64,
    pub(super) bits: u32,
    /// For each tile the number of its segment.
    pub(super) of_tiles: Option<GlobalSlice<u32>>,
}

impl Segments {
    /// Returns the segment `number`.
    #[inline(always)]
    pub(super) fn at(self, number: u64) -> Segment {
        let Some(records) = self.records else {
            let greatest = u128::MAX >> (u128::BITS - self.bits);
            return Segment { start: 0, len: self.len, first_tile: 0, is_even: false, least: 0, greatest };
        };
        let word = |i: u64| records.read(number * SEGMENT_WORDS + i);
        let wide = |i: u64| u128::from(word(i)) | u128::from(word(i + 1)) << 64;
        Segment {
            start: word(0),
            len: word(1),
            first_tile: word(2),
            is_even: word(3) != 0,
            least: wide(4),
            greatest: wide(6),
        }
    }

    /// Returns this block's tile, of `items` keys per thread, and the number of its segment.
    #[inline(always)]
    pub(super) fn tile(self, items: usize) -> (Tile, u64) {
        let tile = u64::from(block_idx_x());
        let number = self.of_tiles.map_or(0, |of_tiles| u64::from(of_tiles.read(tile)));
        let segment = self.at(number);
        let place = (tile - segment.first_tile) * sort_tile(items);
        let left = segment.len.saturating_sub(place);
        let own = Tile {
            first: segment.start + place,
            len: left.min(sort_tile(items)) as u32,
            is_whole: left >= sort_tile(items),
            counts: segment.first_tile * BUCKETS,
            number: tile - segment.first_tile,
            tiles: segment.len.div_ceil(sort_tile(items)),
            start: segment.start,
        };
        (own, number)
    }
}

/// A tile of a segment.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    /// Place of its first key.
    pub(super) first: u64,
    /// Number of keys.
    pub(super) len: u32,
    /// Whether it has as many keys as a tile can have.
    pub(super) is_whole: bool,
    /// Place of its segment's counts: for each bucket one count of each tile.
    pub(super) counts: u64,
    /// Number of this tile in its segment.
    pub(super) number: u64,
    /// Number of tiles of its segment.
    pub(super) tiles: u64,
    /// Start of its segment.
    pub(super) start: u64,
}

impl Tile {
    /// Returns the place of the count of a bucket.
    #[inline(always)]
    pub(super) fn count_of(self, bucket: u32) -> u64 {
        self.counts + u64::from(bucket) * self.tiles + self.number
    }
}

/// Returns the place of this thread's first key in its block's tile, if each thread has `items`: a warp has neighbours, a lane
/// every 32nd of them.
#[inline(always)]
pub(super) fn own_first(items: usize) -> u32 {
    let thread = thread_idx_x();
    thread / WARP_SIZE * (items as u32 * WARP_SIZE) + thread % WARP_SIZE
}
