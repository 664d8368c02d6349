//! Rows of any length: a block folds a whole row, or one of several parts of it.

use cuda_std::global::GlobalCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_idx_x, grid_dim_x};

use super::Rows;
use super::parts::{Parts, RowParts};
use crate::block::groups::Groups;
use crate::grid::Input;
use crate::op::{Element, Op, is_free};
use crate::row;

/// Folds `2^log2_parts` parts of each row, each to its own place in `out`. The parts of row `r` are at `r * 2^log2_parts ..`,
/// and their fold in pairs of neighbours is the accumulator of the row. With one part it is the row's itself.
///
/// A part is an aligned power of two of the row's tiles, so it is a whole subtree. Parts beyond a row's end are the identity.
/// Rows and their parts are dealt round-robin.
///
/// Called by: every thread of every block. Valid in: `out`, when the launch has ended. Scratch: the block's. Order: the
/// tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T: Element, O: Op<T>, const V: usize>(
    block: Groups,
    op: O,
    rows: Rows<T>,
    log2_parts: u32,
    out: GlobalCells<O::Acc>,
) {
    let parts = RowParts::new(rows, log2_parts);
    let mut item = u64::from(block_idx_x());
    let mut turn = false;
    while item < parts.count() {
        let part = parts.part(item);
        let elements = rows.elements.window(part.row + part.start, part.end.saturating_sub(part.start));
        let part = Input { elements, base: part.start, log2_tile: part.log2_tile };
        let mut acc = row::fold::<T, O, _, V>(block, op, part, &mut turn);
        if is_free::<T, O>() {
            acc = block.reduce::<T, O>(acc, turn);
            turn = !turn;
        }
        if block.thread == 0 {
            out.write(item, acc);
        }
        item += u64::from(grid_dim_x());
    }
    let_next_launch_start();
}
