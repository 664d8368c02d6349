//! Short rows: up to 32 items of a row are folded by as many lanes of a warp, longer rows by all lanes in pieces. A warp folds
//! several rows or pieces at once.
//!
//! The tree of a row of at most [`lanes`](crate::tree::lanes) elements consists of pairs of neighbours only (of runs of `RUN`
//! elements, if the operator does not commute). So an item, which a lane loads at once, is a subtree, and neighbouring lanes
//! are folded in pairs.

use cuda_std::global::GlobalCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::Rows;
use super::combine::Layout;
use super::loads::Loads;
use crate::op::{Element, Op, is_free};
use crate::shapes::loads_of_item;
use crate::source::Packed;
use crate::thread::fold_pairs;

/// Folds rows of at most `K` pieces of 32 items, each item `L` loads of `N` elements, to their places in `out`. `L` is 1 for an
/// operator that commutes, otherwise [`RUN`](crate::tree::RUN).
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: `out`, when the launch has ended. Scratch: none.
/// Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T, O, R, const N: usize, const L: usize, const K: usize>(
    op: O,
    rows: Rows<T>,
    elements: R,
    out: GlobalCells<O::Acc>,
) where
    T: Element,
    O: Op<T>,
    R: Loads<T, N>,
{
    const { assert!(L == loads_of_item::<T, O>()) }
    let item_len = (L * N) as u64;
    let layout = Layout::new(rows.len.div_ceil(item_len));
    let rows_at_once = u64::from(layout.rows(K as u32));
    let step = u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE) * rows_at_once;
    let mut first = index_1d() / u64::from(WARP_SIZE) * rows_at_once;
    // Every lane of a warp has the same `first`, so all lanes run as many iterations.
    while first < rows.count {
        let place = |k: usize| {
            let row = first + u64::from(layout.row(k as u32));
            (row, layout.item(k as u32) * item_len)
        };
        let loaded: [[R::Loaded; L]; K] = core::array::from_fn(|k| {
            let (row, start) = place(k);
            core::array::from_fn(|i| elements.load(row * rows.pitch + start + (N * i) as u64))
        });
        let mut values = [O::IDENTITY; K];
        unrolled!(k < K => {
            let (row, start) = place(k);
            if row < rows.count {
                values[k] = fold_item::<T, O, R, N, L>(op, elements, loaded[k], row * rows.pitch, start, rows.len);
            }
        });
        let (owned, k) = layout.combine::<T, O, K>(&mut values);
        unrolled!(i < K => {
            let row = first + u64::from(layout.row(k + i as u32));
            if (i as u32) < owned && row < rows.count {
                out.write(row, values[i]);
            }
        });
        first += step;
    }
    let_next_launch_start();
}

/// Folds the item at `start` of a row of `len` elements, which begins at `row`: each lane of the tree left to right, then the
/// lanes in pairs of neighbours.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fold_item<T, O, R, const N: usize, const L: usize>(
    op: O,
    elements: R,
    loaded: [R::Loaded; L],
    row: u64,
    start: u64,
    len: u64,
) -> O::Acc
where
    T: Element,
    O: Op<T>,
    R: Loads<T, N>,
{
    let mut accs = [O::IDENTITY; N];
    unrolled!(i < L => {
        let first = start + (N * i) as u64;
        if first < len {
            let elements = elements.elements(loaded[i], row + first).elements();
            if is_free::<T, O>() && first + N as u64 <= len {
                accs[0] = op.append_rows(accs[0], [elements], first, 0);
            } else {
                unrolled!(v < N => {
                    let lane = (N * i + v) / L;
                    if R::ARE_WHOLE || first + (v as u64) < len {
                        accs[lane] = op.append(accs[lane], elements[v], first + v as u64);
                    }
                });
            }
        }
    });
    fold_pairs::<T, O, N>(accs)
}
