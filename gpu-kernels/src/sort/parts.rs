//! Lists of the parts of an array, by the way in which they are sorted.
//!
//! Short parts are sorted side by side by some threads of a block each (`short`), longer ones by a block each (`leaf`), and those
//! that fit no block level by level. The order within a list depends on which block is first, and no result depends on it.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalCells;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::segment::{Part, Segment, Wanted};
use super::shapes::{LEAF_WORDS, PartKind, SHORT_CLASSES, most_short, part_kind, short_list, sort_tile};
use crate::segments::check::{Offsets, check};
use crate::segments::take::{take_each, take_one};
use crate::warp;

/// Where the parts of `len` keys are.
#[derive(Clone, Copy)]
pub(crate) enum Parts {
    /// Parts of so many keys. The last one is shorter if there are fewer.
    Equal(u64),
    /// Between each offset and the next.
    Between(Offsets),
}

impl Parts {
    /// Returns the start and the length of a part that is there.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn at(self, number: u64, len: u64) -> (u64, u64) {
        match self {
            Self::Equal(of_part) => {
                let start = number * of_part;
                (start, len.saturating_sub(start).min(of_part))
            }
            Self::Between(offsets) => {
                let start = offsets.get(number);
                (start, offsets.get(number + 1) - start)
            }
        }
    }
}

/// The lists.
#[derive(Clone, Copy)]
pub(super) struct PartLists {
    /// The [`PartCounters`](super::shapes::PartCounters).
    pub(super) counters: AtomicCells<u64>,
    /// Numbers of short parts, a list for each class.
    pub(super) short: GlobalCells<u64>,
    /// Records of leaves.
    pub(super) leaves: GlobalCells<u64>,
    /// Records of segments.
    pub(super) segments: GlobalCells<u64>,
    /// For each tile of these the number of its segment.
    pub(super) of_tiles: GlobalCells<u32>,
    /// How many leaves, segments and tiles there is room for: enough, unless offsets are wrong.
    pub(super) most_leaves: u64,
    pub(super) most_segments: u64,
    pub(super) most_tiles: u64,
    /// Keys of a thread.
    pub(super) items: usize,
    /// Bits of a key.
    pub(super) bits: u32,
    /// The fewest keys that a part may have.
    pub(super) least: u64,
    /// The results of each part.
    pub(super) wanted: Wanted,
    /// Number of parts, and of the keys.
    pub(super) count: u64,
    pub(super) len: u64,
}

/// Places of the counters.
const FEW: u64 = 1;
const FIRST: u64 = 2;
const LEAVES: u64 = 4;
const SEGMENTS: u64 = 5;
const TILES: u64 = 6;
const SHORT: u64 = 7;

/// Checks the offsets, and lists all parts. If `are_signed`, negative offsets are wrong.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: the lists, when the launch has ended. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn list(parts: Parts, are_signed: bool, to: PartLists) {
    match parts {
        Parts::Between(offsets) => {
            if index_1d() < 2 {
                let at = index_1d();
                let _before = to.counters.fetch_add(FIRST + at, offsets.get(at * to.count));
            }
            check((offsets, are_signed), (to.count, to.len), to.counters, |number, start, len| {
                to.add(number, start, len);
            });
        }
        Parts::Equal(_) => {
            let step = u64::from(grid_dim_x()) * u64::from(block_dim_x());
            let lane = u64::from(lane_id());
            // The warp's first part, which is the same for all lanes.
            let mut first = index_1d() - lane;
            while first < to.count {
                let number = first + lane;
                let (start, len) = if number < to.count { parts.at(number, to.len) } else { (0, 0) };
                to.add(number, start, len);
                first += step;
            }
        }
    }
}

impl PartLists {
    /// Lists a part of each lane. Numbers of [`count`](Self::count) and more are no parts.
    ///
    /// Called by: every lane of the warp. Scratch: none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn add(self, number: u64, start: u64, len: u64) {
        let _number = take_one(self.counters, FEW, number < self.count && len < self.least);
        let kind = part_kind(len, self.wanted.first, self.items);
        let to = match self.wanted.first {
            u64::MAX => start,
            first => number.saturating_mul(first),
        };
        let part = Part { start, to };
        let mut class = 0;
        while class < SHORT_CLASSES {
            let is_one = matches!(kind, PartKind::Short(own) if own == class);
            let place = take_one(self.counters, SHORT + u64::from(class), is_one);
            if is_one && place < most_short(self.count, self.len, class, self.items) {
                self.short.write(short_list(self.count, self.len, class, self.items) + place, number);
            }
            class += 1;
        }
        let is_leaf = matches!(kind, PartKind::Leaf);
        let place = take_one(self.counters, LEAVES, is_leaf);
        if is_leaf && place < self.most_leaves {
            let first = place * LEAF_WORDS;
            self.leaves.write(first, start);
            self.leaves.write(first + 1, len);
            self.leaves.write(first + 2, u64::from(self.bits));
            self.leaves.write(first + 3, 0);
            self.leaves.write(first + 4, 0);
            self.leaves.write(first + 5, part.start);
            self.leaves.write(first + 6, part.to);
        }
        self.add_long(part, len, matches!(kind, PartKind::Long));
    }

    /// Lists the part of each lane that is long, with its tiles.
    ///
    /// Called by: every lane of the warp. Scratch: none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn add_long(self, part: Part, len: u64, is_long: bool) {
        let mut left = warp::ballot(is_long);
        if left == 0 {
            return;
        }
        let tiles = if is_long { len.div_ceil(sort_tile(self.items)) as u32 } else { 0 };
        let number = take_one(self.counters, SEGMENTS, is_long);
        let first_tile = take_each(self.counters, TILES, tiles);
        if is_long && number < self.most_segments {
            let greatest = u128::MAX >> (u128::BITS - self.bits);
            let (start, is_even, least) = (part.start, false, 0);
            Segment { start, len, first_tile, is_even, least, greatest, part }.write(self.segments, number);
        }
        // One part after the other by all lanes, since one may have thousands of tiles.
        while left != 0 {
            let owner = left.trailing_zeros();
            left &= left - 1;
            let (number, tiles) = (warp::of_lane(number, owner), warp::of_lane(tiles, owner));
            let first = warp::of_lane(first_tile, owner);
            let mut tile = lane_id();
            while tile < tiles {
                if first + u64::from(tile) < self.most_tiles {
                    self.of_tiles.write(first + u64::from(tile), number as u32);
                }
                tile += WARP_SIZE;
            }
        }
    }
}
