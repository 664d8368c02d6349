//! Segments of a level, and the tile of a segment that a block has.

use cuda_std::global::{GlobalCells, GlobalSlice};
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
    /// Its part.
    pub(super) part: Part,
}

impl Segment {
    /// Writes the record that [`Segments::at`] reads.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn write(self, records: GlobalCells<u64>, number: u64) {
        let first = number * SEGMENT_WORDS;
        records.write(first, self.start);
        records.write(first + 1, self.len);
        records.write(first + 2, self.first_tile);
        records.write(first + 3, self.is_even.into());
        records.write(first + 4, self.least as u64);
        records.write(first + 5, (self.least >> 64) as u64);
        records.write(first + 6, self.greatest as u64);
        records.write(first + 7, (self.greatest >> 64) as u64);
        records.write(first + 8, self.part.start);
        records.write(first + 9, self.part.to);
    }
}

/// The part of an array that keys belong to.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Place of its first key.
    pub(super) start: u64,
    /// Place of its first result.
    pub(super) to: u64,
}

/// The results of each part.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    /// How many there are, from the first on.
    pub(super) first: u64,
    /// Whether an index counts from the start of its part.
    pub(super) are_within: bool,
}

impl Part {
    /// All keys.
    pub(super) const WHOLE: Self = Self { start: 0, to: 0 };
}

impl Wanted {
    /// Returns the place of the result at `place` in the sorted keys, and how many of the `len` from there on are wanted.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn results(self, part: Part, place: u64, len: u64) -> (u64, u64) {
        let before = place - part.start;
        (part.to + before, len.min(self.first.saturating_sub(before)))
    }

    /// Returns how the key at `place` is numbered.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn index(self, part: Part, place: u64) -> u64 {
        if self.are_within { place.wrapping_sub(part.start) } else { place }
    }
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
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn at(self, number: u64) -> Segment {
        let Some(records) = self.records else {
            let greatest = u128::MAX >> (u128::BITS - self.bits);
            let part = Part::WHOLE;
            return Segment {
                start: 0,
                len: self.len,
                first_tile: 0,
                is_even: false,
                least: 0,
                greatest,
                part,
            };
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
            part: Part { start: word(8), to: word(9) },
        }
    }

    /// Returns this block's tile, of `items` keys per thread, and the number of its segment.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
            part: segment.part,
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
    /// The part of its segment.
    pub(super) part: Part,
}

impl Tile {
    /// Returns the place of the count of a bucket.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn count_of(self, bucket: u32) -> u64 {
        self.first_count_of(bucket) + self.number
    }

    /// Returns the place of the bucket's count of the segment's first tile.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn first_count_of(self, bucket: u32) -> u64 {
        self.counts + u64::from(bucket) * self.tiles
    }
}

/// Returns the place of this thread's first key in its block's tile, if each thread has `items`: a warp has neighbours, a lane
/// every 32nd of them.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn own_first(items: usize) -> u32 {
    let thread = thread_idx_x();
    thread / WARP_SIZE * (items as u32 * WARP_SIZE) + thread % WARP_SIZE
}
