//! The tiles of long segments that have several, in pairs of neighbours.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::offsets::Segments;
use crate::op::{Element, Op};
use crate::rows::totals::Totals;
use crate::thread::fold_pairs;
use crate::tree::tile_len;
use crate::warp::{self, Unrolling};

/// Tiles of a segment that one lane joins.
const FEW: usize = 8;

/// Loads of each lane at once, where a warp joins a segment of more tiles.
const AT_ONCE: usize = 8;

/// Folds the tiles of each segment in `joins`. Their accumulators are in `partials` from the place in `joins` on. Lanes fold segments
/// of few tiles each; their warp folds others, one after the other. A warp takes no more segments than it must, so that many tiles
/// are folded by many warps.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: `out`, when the launch has ended. Scratch: none.
/// Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T: Element, O: Op<T>>(
    segments: Segments,
    joins: GlobalSlice<[u64; 2]>,
    partials: GlobalSlice<O::Acc>,
    out: GlobalCells<O::Acc>,
) {
    let warps = u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
    let mut log2_each = 0;
    while log2_each < WARP_SIZE.ilog2() && warps << log2_each < joins.len() {
        log2_each = unknown(log2_each + 1);
    }
    let mut from = (index_1d() / u64::from(WARP_SIZE)) << log2_each;
    while from < joins.len() {
        let own = from + u64::from(lane_id());
        let (mut segment, mut first, mut tiles) = (0, 0, 0);
        if lane_id() < 1 << log2_each && own < joins.len() {
            [segment, first] = joins.read(own);
            let (_, len) = segments.get(segment);
            tiles = ((len.max(1) - 1) >> tile_len::<T>(len).ilog2()) as u32 + 1;
        }
        let few = const { if size_of::<O::Acc>() <= 16 { FEW as u32 } else { 0 } };
        if 0 < tiles && tiles <= few {
            let mut accs = [O::IDENTITY; FEW];
            unrolled!(i < FEW, up to 8 => {
                if (i as u32) < tiles {
                    accs[i] = partials.read(first + i as u64);
                }
            });
            out.write(segment, fold_pairs::<T, O, FEW>(accs));
        }
        let mut left = warp::ballot(tiles > few);
        while left != 0 {
            let owner = left.trailing_zeros();
            left &= left - 1;
            let of = (warp::of_lane(first, owner), warp::of_lane(tiles, owner));
            let total = join::<T, O>(partials, of);
            if lane_id() == owner {
                out.write(segment, total);
            }
        }
        from += warps << log2_each;
    }
}

/// Folds the accumulators of `tiles` tiles from `first` on.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn join<T: Element, O: Op<T>>(partials: GlobalSlice<O::Acc>, (first, tiles): (u64, u32)) -> O::Acc {
    let at_once = const { if size_of::<O::Acc>() <= 16 { AT_ONCE } else { 1 } };
    let mut totals = Totals::<T, O>::new();
    let mut from = 0;
    while from < tiles {
        let mut accs = [O::IDENTITY; AT_ONCE];
        unrolled!(i < AT_ONCE, up to 8 => {
            let tile = from + lane_id() + i as u32 * WARP_SIZE;
            if i < at_once && tile < tiles {
                accs[i] = partials.read(first + u64::from(tile));
            }
        });
        // 32 tiles are a whole subtree.
        let mut i = 0;
        while i < at_once as u32 && from < tiles {
            totals.push(warp::of_lane(warp::fold::<T, O>(accs[0], Unrolling::Short), 0));
            // The accumulators move up, since registers cannot be indexed.
            accs = core::array::from_fn(|i| accs[(i + 1).min(AT_ONCE - 1)]);
            from += WARP_SIZE;
            i = unknown(i + 1);
        }
    }
    totals.total()
}
