//! Segments of a level, and the tile of one that a block has.

use cuda_std::global::GlobalSlice;
use cuda_std::thread::{block_idx_x, thread_idx_x};
use cuda_std::warp::WARP_SIZE;

use super::shape::{BUCKETS, SEGMENT_WORDS, sort_tile};

/// A segment that is to be split.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub(super) start: u64,
    pub(super) len: u64,
    /// Its tiles follow each other from this one on.
    pub(super) first_tile: u64,
    /// Whether its bounds are evenly spaced.
    pub(super) is_even: bool,
    /// The least key that it may have.
    pub(super) least: u128,
    /// The greatest.
    pub(super) greatest: u128,
}

/// The segments of a level.
#[derive(Clone, Copy)]
pub(super) struct Segments {
    /// A record of [`SEGMENT_WORDS`] for each. `None` if all `len` keys, of `bits`, are one segment.
    pub(super) records: Option<GlobalSlice<u64>>,
    pub(super) len: u64,
    pub(super) bits: u32,
    /// The number of each tile's segment.
    pub(super) of_tiles: Option<GlobalSlice<u32>>,
}

impl Segments {
    /// The segment with this number.
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

    /// This block's tile, of `items` keys of each thread, and the number of its segment.
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
    /// Its first key's place.
    pub(super) first: u64,
    /// How many keys it has.
    pub(super) len: u32,
    /// Whether it has all that a tile may have.
    pub(super) is_whole: bool,
    /// Where the counts of its segment begin: for each bucket one of each tile.
    pub(super) counts: u64,
    /// Its number in its segment.
    pub(super) number: u64,
    /// How many tiles that has.
    pub(super) tiles: u64,
    /// Where that begins.
    pub(super) start: u64,
}

impl Tile {
    /// Where the count of a bucket is.
    #[inline(always)]
    pub(super) fn count_of(self, bucket: u32) -> u64 {
        self.counts + u64::from(bucket) * self.tiles + self.number
    }
}

/// Where this thread's first key is in its block's tile, each thread with `items`: a warp has neighbours, a lane every 32nd.
#[inline(always)]
pub(super) fn own_first(items: usize) -> u32 {
    let thread = thread_idx_x();
    thread / WARP_SIZE * (items as u32 * WARP_SIZE) + thread % WARP_SIZE
}
