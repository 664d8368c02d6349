//! Columns of few rows, which a thread folds alone. Each lane of the tree has one load at most, so nothing is accumulated over
//! rows, and no other thread has a share. The registers that this saves leave room for more threads.

use cuda_std::global::GlobalCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{index_1d, thread_idx_x, unknown};

use super::lanes::{fold_loaded, waiting};
use super::strips::Strips;
use super::{Columns, Place, Strip, free};
use crate::op::{Element, Op, is_free};
use crate::shapes::column_groups;

/// Folds each column of at most [`few_rows`](crate::shapes::few_rows) elements to its place in `out`. The place of
/// column `c` of matrix `b` is `b * columns + c`.
///
/// `N` and `LANES` are as in [`reduce`](super::reduce).
///
/// Called by: every thread of every block, of at most 256 threads; there is a thread for each strip. Valid in: `out`,
/// when the launch has ended. Scratch: each thread's own slots. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T, O, R, const W: usize, const N: usize, const LANES: usize>(
    op: O,
    columns: Columns<R>,
    out: GlobalCells<O::Acc>,
) where
    T: Element,
    O: Op<T>,
    R: Strips<T, W>,
{
    let own = index_1d();
    if own < columns.strips::<W>() {
        let strip = columns.strip::<T, W>(own);
        let accs = fold::<T, O, R, W, N, LANES>(op, strip, columns.rows);
        strip.write::<T, _, W>(out, accs, (0, 0));
    }
    let_next_launch_start();
}

/// Folds the columns of a strip, one group of lanes after the other.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold<T, O, R, const W: usize, const N: usize, const LANES: usize>(
    op: O,
    strip: Strip<R>,
    rows: u64,
) -> [O::Acc; W]
where
    T: Element,
    O: Op<T>,
    R: Strips<T, W>,
{
    if is_free::<T, O>() {
        let alone = Place { thread: thread_idx_x(), log2_down: 0 };
        return free::fold::<T, O, R, W, N>(op, |row| strip.load_present(row, rows), (0, rows), alone);
    }
    let last = column_groups::<T, O>(rows) - 1;
    let mut groups = waiting::<T, O, W>(thread_idx_x());
    let mut group = 0;
    loop {
        let first = u64::from(group * N as u32);
        let mut total = [O::IDENTITY; W];
        // Groups beyond the last row fill up a power of two.
        if first < rows {
            let loaded = strip.load_present::<T, W, N>(first, rows);
            total = fold_loaded::<T, O, R, W, N, LANES>(op, loaded, (first, rows));
        }
        if group == last {
            return groups.complete(total);
        }
        groups.push(total);
        group = unknown(group + 1);
    }
}
