//! Short rows: a row of up to 32 items is folded by as many lanes of a warp, a longer one by all of them in pieces, and a
//! warp has several rows or pieces under way at once.
//!
//! A row of at most [`lanes`](crate::tree::lanes) elements is a tree of pairs of neighbours and nothing else (of runs of
//! [`RUN`] elements, if the operator does not commute). So the item that a lane loads at once is a subtree, and lanes that
//! are neighbours meet in pairs.

use cuda_std::global::GlobalCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};
use cuda_std::warp::WARP_SIZE;

use super::Rows;
use super::loads::Loads;
use super::meet::Layout;
use crate::op::{Element, Op};
use crate::source::Packed;
use crate::thread::fold_pairs;
use crate::tree::RUN;
use crate::unroll::unrolled;

/// Folds rows of at most `K` pieces of 32 items, each item `L` loads of `N` elements, to their places in `out`. `L` is 1 for
/// an operator that commutes, otherwise [`RUN`]. A row's loads are whole ones.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: `out`, when the launch has ended. Scratch: none.
/// Order: the tree's.
#[inline(always)]
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
    const { assert!(L == if O::COMMUTATIVE { 1 } else { RUN } && R::ARE_WHOLE) }
    let item_len = (L * N) as u64;
    let layout = Layout::new(rows.len.div_ceil(item_len));
    let rows_at_once = u64::from(layout.rows(K as u32));
    let step = u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE) * rows_at_once;
    let mut first = index_1d() / u64::from(WARP_SIZE) * rows_at_once;
    // Every lane of a warp has the same `first`, and so takes as many turns.
    while first < rows.count {
        let loaded: [[R::Loaded; L]; K] = core::array::from_fn(|k| {
            let row = first + u64::from(layout.row(k as u32));
            let start = row * rows.pitch + layout.item(k as u32) * item_len;
            core::array::from_fn(|i| elements.load(start + (N * i) as u64))
        });
        let mut values = [O::IDENTITY; K];
        unrolled!(k < K => {
            if first + u64::from(layout.row(k as u32)) < rows.count {
                let start = layout.item(k as u32) * item_len;
                values[k] = fold_item::<T, O, R, N, L>(op, loaded[k], start, rows.len);
            }
        });
        let (owned, k) = layout.meet::<T, O, K>(&mut values);
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

/// Folds the item of a row of `len` elements that starts at its element `start`: each lane of the tree left to right, then
/// the lanes in pairs of neighbours.
#[inline(always)]
fn fold_item<T, O, R, const N: usize, const L: usize>(
    op: O,
    loaded: [R::Loaded; L],
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
            let elements = loaded[i].elements();
            unrolled!(v < N => {
                let lane = (N * i + v) / L;
                accs[lane] = op.append(accs[lane], elements[v], first + v as u64);
            });
        }
    });
    fold_pairs::<T, O, N>(accs)
}
