//! The first launch: checks offsets, writes them as u64, and lists what is long.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::places::Tile;
use crate::tree::tile_len_of_lanes;
use crate::warp;

/// Offsets as they are given.
#[derive(Clone, Copy)]
pub(crate) enum Offsets {
    /// i32, if negative ones are wrong, or u32.
    Narrow(GlobalSlice<u32>),
    /// i64 or u64.
    Wide(GlobalSlice<u64>),
}

impl Offsets {
    /// The offset, and u64::MAX in place of a negative one.
    #[inline(always)]
    fn get(self, at: u64, is_signed: bool) -> u64 {
        let (value, top) = match self {
            Self::Narrow(offsets) => {
                let offset = offsets.read(at);
                (u64::from(offset), offset >> 31)
            }
            Self::Wide(offsets) => {
                let offset = offsets.read(at);
                (offset, (offset >> 63) as u32)
            }
        };
        if is_signed && top == 1 { u64::MAX } else { value }
    }
}

/// What is listed, and for whom.
#[derive(Clone, Copy)]
pub(crate) struct Lists {
    /// The offsets, as far as they are places.
    pub(crate) offsets: GlobalCells<u64>,
    /// Wrong offsets; tiles of long segments; segments of several tiles.
    pub(crate) counters: AtomicCells<u64>,
    /// The tiles, up to as many as this has room for.
    pub(crate) tiles: GlobalCells<u64>,
    pub(crate) most_tiles: u64,
    /// Segments of several tiles, each with the place of its first tile in the list; again up to so many.
    pub(crate) joins: GlobalCells<[u64; 2]>,
    pub(crate) most_joins: u64,
}

/// Checks that `count + 1` offsets ascend up to `len`, and lists the segments of more than `short` elements. A tile has so many
/// `lanes`.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: the lists, when the launch has ended; in which
/// order they are is open. Scratch: none.
#[inline(always)]
pub(crate) fn list(
    offsets: Offsets,
    is_signed: bool,
    count: u64,
    len: u64,
    short: u64,
    lanes: u64,
    to: Lists,
) {
    let step = u64::from(grid_dim_x()) * u64::from(block_dim_x());
    let lane = lane_id();
    // The warp's first segment, the same for all lanes.
    let mut first = index_1d() - u64::from(lane);
    while first < count {
        let segment = first + u64::from(lane);
        let (mut start, mut end) = (0, 0);
        if segment < count {
            (start, end) = (offsets.get(segment, is_signed), offsets.get(segment + 1, is_signed));
            if start > end || end > len {
                let _before = to.counters.fetch_add(0, 1);
            }
            (start, end) = (start.min(len), end.min(len));
            to.offsets.write(segment, start);
            if segment + 1 == count {
                to.offsets.write(count, end);
            }
        }
        let elements = end.saturating_sub(start);
        if warp::ballot(elements > short) != 0 {
            let log2_tile = tile_len_of_lanes(lanes, elements).ilog2();
            let tiles = if elements > short { ((elements - 1) >> log2_tile) as u32 + 1 } else { 0 };
            list_tiles(segment, tiles, to);
        }
        first += step;
    }
}

/// Lists a segment of each lane, with so many tiles: none of a short one.
///
/// Called by: every lane of the warp. Scratch: none.
#[inline(always)]
fn list_tiles(segment: u64, tiles: u32, to: Lists) {
    let lane = lane_id();
    let sum = warp::sum_up_to_here(tiles);
    let place = take(to.counters, 1, warp::of_lane(sum, WARP_SIZE - 1)) + u64::from(sum - tiles);
    let joined = warp::ballot(tiles > 1);
    if tiles == 1 && place < to.most_tiles {
        to.tiles.write(place, Tile::word(segment, 0));
    }
    if joined == 0 {
        return;
    }
    let first_join = take(to.counters, 2, joined.count_ones());
    if tiles > 1 {
        let join = first_join + u64::from((joined & ((1 << lane) - 1)).count_ones());
        if join < to.most_joins {
            to.joins.write(join, [segment, place]);
        }
    }
    // One after the other by all lanes: one may have thousands.
    let mut left = joined;
    while left != 0 {
        let owner = left.trailing_zeros();
        left &= left - 1;
        let (segment, place, tiles) =
            (warp::of_lane(segment, owner), warp::of_lane(place, owner), warp::of_lane(tiles, owner));
        let mut tile = lane;
        while tile < tiles {
            if place + u64::from(tile) < to.most_tiles {
                to.tiles.write(place + u64::from(tile), Tile::word(segment, tile));
            }
            tile += WARP_SIZE;
        }
    }
}

/// Takes so many places in a list for the warp: the first of them.
#[inline(always)]
fn take(counters: AtomicCells<u64>, counter: u64, places: u32) -> u64 {
    let first = if lane_id() == 0 && places > 0 { counters.fetch_add(counter, u64::from(places)) } else { 0 };
    warp::of_lane(first, 0)
}
