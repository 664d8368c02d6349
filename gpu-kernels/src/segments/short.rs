//! Short segments: a warp takes 32 segments, and folds as many at once as its lanes have room for.

use cuda_std::global::GlobalCells;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::offsets::Segments;
use crate::op::{Element, Op};
use crate::rows::combine::Layout;
use crate::rows::lanes::fold_item;
use crate::rows::loads::Loads;
use crate::warp;

/// Folds the segments of at most `short` elements, each to its place in `out`. `L` and `K` are the parameters of
/// [`rows::lanes`](crate::rows::lanes). The longest among a warp's 32 segments decides how many lanes a segment gets.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: `out`, when the launch has ended. Scratch: none.
/// Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T, O, R, const N: usize, const L: usize, const K: usize>(
    op: O,
    segments: Segments,
    short: u64,
    elements: R,
    out: GlobalCells<O::Acc>,
) where
    T: Element,
    O: Op<T>,
    R: Loads<T, N>,
{
    let step = u64::from(grid_dim_x()) * u64::from(block_dim_x());
    let mut first = index_1d() - u64::from(lane_id());
    while first < segments.count() {
        let own = first + u64::from(lane_id());
        let (start, len) = if own < segments.count() { segments.get(own) } else { (0, u64::MAX) };
        let is_short = len <= short;
        let wanted = warp::ballot(is_short);
        let len = if is_short { len as u32 } else { 0 };
        let item_len = (L * N) as u32;
        let layout = Layout::new(u64::from(longest(len).div_ceil(item_len).max(1)));
        let rows = layout.rows(K as u32);
        let mut from = 0;
        while from < WARP_SIZE {
            // Among long segments few are short.
            if wanted >> from & (u32::MAX >> (WARP_SIZE - rows.min(WARP_SIZE))) == 0 {
                from += rows;
                continue;
            }
            let (mut starts, mut lens) = ([0; K], [0; K]);
            let loaded: [[R::Loaded; L]; K] = core::array::from_fn(|k| {
                let row = from + layout.row(k as u32);
                let of = (warp::of_lane(start, row % WARP_SIZE), warp::of_lane(len, row % WARP_SIZE));
                (starts[k], lens[k]) = (of.0, if row < WARP_SIZE { of.1 } else { 0 });
                let item = layout.item(k as u32) as u32 * item_len;
                core::array::from_fn(|i| {
                    let at = item + (N * i) as u32;
                    // Beyond the end the first elements are loaded again, which are near.
                    elements.load(starts[k] + u64::from(if at < lens[k] { at } else { 0 }))
                })
            });
            let mut values = [O::IDENTITY; K];
            unrolled!(k < K => {
                let item = layout.item(k as u32) * u64::from(item_len);
                values[k] = fold_item::<T, O, R, N, L>(op, elements, loaded[k], starts[k], item, u64::from(lens[k]));
            });
            let (owned, k) = layout.combine::<T, O, K>(&mut values);
            unrolled!(i < K => {
                let row = from + layout.row(k + i as u32);
                if (i as u32) < owned && row < WARP_SIZE && wanted >> row & 1 == 1 {
                    out.write(first + u64::from(row), values[i]);
                }
            });
            from += rows;
        }
        first += step;
    }
}

/// Returns the greatest of the lanes' values.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn longest(mut len: u32) -> u32 {
    let mut distance = 1;
    while distance < WARP_SIZE {
        len = len.max(warp::exchange(len, distance));
        distance *= 2;
    }
    len
}
