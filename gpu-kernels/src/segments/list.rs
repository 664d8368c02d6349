//! The first launch: checks offsets, writes them as u64, and lists long segments.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalCells;
use cuda_std::thread::unknown;
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::Counters;
use super::check::{Offsets, check};
use super::offsets::Tile;
use super::take::{take_each, take_one};
use crate::tree::tile_len_of_lanes;
use crate::warp;

/// The lists that the first launch writes.
#[derive(Clone, Copy)]
pub(crate) struct Lists {
    /// The valid offsets.
    pub(crate) offsets: GlobalCells<u64>,
    /// The [`Counters`].
    pub(crate) counters: AtomicCells<u64>,
    /// The tiles, up to `most_tiles`.
    pub(crate) tiles: GlobalCells<u64>,
    pub(crate) most_tiles: u64,
    /// Segments with several tiles, each with the place of its first tile in the list, up to `most_joins`.
    pub(crate) joins: GlobalCells<[u64; 2]>,
    pub(crate) most_joins: u64,
}

/// Checks that `count + 1` offsets ascend up to `len`, and lists the segments of more than `short` elements. A tile has `lanes`
/// lanes.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: the lists, in any order, when the launch has
/// ended. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn list(
    offsets: Offsets,
    is_signed: bool,
    count: u64,
    len: u64,
    short: u64,
    lanes: u64,
    to: Lists,
) {
    check((offsets, is_signed), (count, len), to.counters, |segment, start, elements| {
        if segment < count {
            to.offsets.write(segment, start);
            if segment + 1 == count {
                to.offsets.write(count, start + elements);
            }
        }
        if warp::ballot(elements > short) != 0 {
            let log2_tile = tile_len_of_lanes(lanes, elements).ilog2();
            let tiles = if elements > short { ((elements - 1) >> log2_tile) as u32 + 1 } else { 0 };
            list_tiles(segment, tiles, to);
        }
    });
}

/// Tiles of a segment that one lane lists.
const FEW: u32 = 4;

/// Lists a segment of each lane with its `tiles` tiles. A short segment has no tiles.
///
/// Called by: every lane of the warp. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn list_tiles(segment: u64, tiles: u32, to: Lists) {
    let lane = lane_id();
    let place = take_each(to.counters, Counters::TILES, tiles);
    let write = |place, segment, tile| {
        if place < to.most_tiles {
            to.tiles.write(place, Tile::word(segment, tile));
        }
    };
    let mut tile = 0;
    while tile < tiles && tiles <= FEW {
        write(place + u64::from(tile), segment, tile);
        tile = unknown(tile + 1);
    }
    if warp::ballot(tiles > 1) == 0 {
        return;
    }
    let join = take_one(to.counters, Counters::JOINS, tiles > 1);
    if tiles > 1 && join < to.most_joins {
        to.joins.write(join, [segment, place]);
    }
    // One segment after the other by all lanes, since one may have thousands of tiles.
    let mut left = warp::ballot(tiles > FEW);
    while left != 0 {
        let owner = left.trailing_zeros();
        left &= left - 1;
        let (segment, place, tiles) =
            (warp::of_lane(segment, owner), warp::of_lane(place, owner), warp::of_lane(tiles, owner));
        let mut tile = lane;
        while tile < tiles {
            write(place + u64::from(tile), segment, tile);
            tile += WARP_SIZE;
        }
    }
}
