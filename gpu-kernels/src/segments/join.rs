//! The third launch: the tiles of segments that have several, in pairs of neighbours.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::offsets::Segments;
use crate::op::{Element, Op};
use crate::rows::totals::Totals;
use crate::tree::tile_len_of_lanes;
use crate::warp::{self, Unrolling};

/// Folds the tiles of each segment in `joins`, one warp each. The tiles' accumulators are in `partials` from the place in
/// `joins` on.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: `out`, when the launch has ended. Scratch: none.
/// Order: the tree's.
#[inline(always)]
pub(crate) fn reduce<T: Element, O: Op<T>>(
    segments: Segments,
    joins: GlobalSlice<[u64; 2]>,
    lanes: u64,
    partials: GlobalSlice<O::Acc>,
    out: GlobalCells<O::Acc>,
) {
    let warps = u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
    let mut join = index_1d() / u64::from(WARP_SIZE);
    while join < joins.len() {
        let [segment, first] = joins.read(join);
        let (_, len) = segments.get(segment);
        let tiles = ((len.max(1) - 1) >> tile_len_of_lanes(lanes, len).ilog2()) + 1;
        let mut totals = Totals::<T, O>::new();
        let mut from = 0;
        while from < tiles {
            let tile = from + u64::from(lane_id());
            let acc = if tile < tiles { partials.read(first + tile) } else { O::IDENTITY };
            // 32 tiles are a whole subtree.
            totals.push(warp::of_lane(warp::fold::<T, O>(acc, Unrolling::Short), 0));
            from += u64::from(WARP_SIZE);
        }
        let total = totals.total();
        if lane_id() == 0 {
            out.write(segment, total);
        }
        join += warps;
    }
}
