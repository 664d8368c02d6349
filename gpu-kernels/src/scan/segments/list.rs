//! The first launch: checks offsets, and lists long and medium segments.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalCells;
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::Counters;
use crate::scan::tree::{STRETCH_TILES, TILE_ROWS};
use crate::segments::check::{Offsets, check};
use crate::segments::take::{take_each, take_one};
use crate::warp;

/// The lists that the first launch writes, each up to its `most_`.
#[derive(Clone, Copy)]
pub(crate) struct Lists {
    /// The [`Counters`].
    pub(crate) counters: AtomicCells<u64>,
    /// The start and the length of each segment of more than a row and at most a tile.
    pub(crate) medium: GlobalCells<[u64; 2]>,
    pub(crate) most_medium: u64,
    /// Of each segment of more than a tile the start, the length, its first tile's place in the list of tiles, and the number
    /// of its first stretch.
    pub(crate) long: GlobalCells<[u64; 4]>,
    pub(crate) most_long: u64,
    /// For each tile the place of its segment in `long`. The tiles of a segment are neighbours, in order.
    pub(crate) tiles: GlobalCells<u64>,
    pub(crate) most_tiles: u64,
}

/// Stores of a lane that are in flight at once.
const AT_ONCE: usize = 8;

/// Checks that `count + 1` offsets ascend up to `len`, and lists the segments of more than a row of `2^log2_row` elements.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: the lists, with segments in any order, when the
/// launch has ended. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn list(offsets: (Offsets, bool), (count, len): (u64, u64), log2_row: u32, to: Lists) {
    let log2_tile = log2_row + const { TILE_ROWS.ilog2() };
    check(offsets, (count, len), to.counters, |_, start, elements| {
        let (is_long, is_listed) = (elements > 1 << log2_tile, elements > 1 << log2_row);
        if warp::ballot(is_listed) == 0 {
            return;
        }
        let number = take_one(to.counters, Counters::MEDIUM, is_listed && !is_long);
        if is_listed && !is_long && number < to.most_medium {
            to.medium.write(number, [start, elements]);
        }
        let tiles = if is_long { ((elements - 1) >> log2_tile) as u32 + 1 } else { 0 };
        list_tiles((start, elements), tiles, to);
    });
}

/// Lists a segment of each lane with its `tiles` tiles. A segment that is not long has no tiles.
///
/// Called by: every lane of the warp. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn list_tiles((start, elements): (u64, u64), tiles: u32, to: Lists) {
    let mut left = warp::ballot(tiles > 0);
    if left == 0 {
        return;
    }
    let number = take_one(to.counters, Counters::LONG, tiles > 0);
    let place = take_each(to.counters, Counters::TILES, tiles);
    let stretch = take_each(to.counters, Counters::STRETCHES, tiles.div_ceil(STRETCH_TILES as u32));
    if tiles > 0 && number < to.most_long {
        to.long.write(number, [start, elements, place, stretch]);
    }
    // One segment after the other by all lanes, since one may have thousands of tiles.
    while left != 0 {
        let owner = left.trailing_zeros();
        left &= left - 1;
        let (number, place, tiles) =
            (warp::of_lane(number, owner), warp::of_lane(place, owner), warp::of_lane(tiles, owner));
        let end = to.most_tiles.saturating_sub(place).min(u64::from(tiles)) as u32;
        let mut tile = lane_id();
        while tile < end {
            unrolled!(i < AT_ONCE => {
                let tile = tile + i as u32 * WARP_SIZE;
                if tile < end {
                    to.tiles.write(place + u64::from(tile), number);
                }
            });
            tile += AT_ONCE as u32 * WARP_SIZE;
        }
    }
}
