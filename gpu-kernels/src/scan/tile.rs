//! The scan of a tile by a block: it reads each element once, folds, finds the tile's prefix, and writes each output once.

use bytemuck::Zeroable;
use cuda_std::atomic::AtomicCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedArray;
use cuda_std::thread::{sync_threads, thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::each_piece::each_piece;
use super::input::{Input, row_of};
use super::output::Output;
use super::shapes::{WARP_ROWS, tiles};
use super::tree::{TILE_ROWS, quad_len, row_len, run_len};
use crate::hand_over::in_order::{Board, Positions};
use crate::hand_over::ticket;
use crate::op::{Accumulator, Element, Op};
use crate::stored::{Storable, StoredOf};
use crate::warp;

cuda_std::shared_bytes! {
    /// The block's ticket.
    fn warpfold_scan_ticket: 16
}

cuda_std::shared_bytes! {
    /// A total per row, of up to 64 bytes, and the prefix of each row.
    fn warpfold_scan_rows: 1024
}

cuda_std::shared_bytes! {
    /// The prefix of the tile.
    fn warpfold_scan_prefix: 64
}

/// The wanted outputs, and the initial value, which stands for `before` elements.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<A> {
    pub(crate) is_inclusive: bool,
    pub(crate) init: A,
    pub(crate) before: u64,
}

/// Scans the tile of the block's ticket.
///
/// Called by: every thread of every block; there are as many blocks as tiles. Valid in: the outputs' places, when the launch
/// has ended. Scratch: the board, the exchange's and its own. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn scan<
    T: Element,
    O: Op<T, Out: Storable>,
    const R: usize,
    const Q: usize,
    const N: usize,
    const U: usize,
    const K: usize,
    const W: usize,
>(
    op: O,
    wanted: Wanted<O::Acc>,
    (input, out): (Input<T>, Output<StoredOf<T, O>>),
    tickets: AtomicCells<u32>,
    board: Board<O::Acc>,
) {
    let tile = draw(tickets);
    if tile >= tiles::<T>(input.len()) {
        return;
    }
    scan_tile::<T, O, _, R, Q, N, U, K, W>(op, wanted, (input, out), board, tile);
    let_next_launch_start();
}

/// Scans a tile, which must exist.
///
/// Called by: every thread of the block; again only after a barrier, such as [`draw`]'s. Otherwise as [`scan`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn scan_tile<
    T: Element,
    O: Op<T, Out: Storable>,
    P: Positions,
    const R: usize,
    const Q: usize,
    const N: usize,
    const U: usize,
    const K: usize,
    const W: usize,
>(
    op: O,
    wanted: Wanted<O::Acc>,
    (input, out): (Input<T>, Output<StoredOf<T, O>>),
    board: Board<O::Acc, P>,
    tile: u64,
) {
    const { assert!(R == run_len::<T>() && Q == quad_len::<T>() && N * Q == R && R.is_multiple_of(K)) }
    let is_whole = input.is_whole(tile);
    let runs = input.runs::<R, U>(tile);
    let first_of = |row| row_of(tile, row) * row_len::<T>() as u64 + u64::from(lane_id()) * R as u64;

    let rows = rows::<O::Acc>();
    let first_row = (thread_idx_x() / WARP_SIZE) as usize * WARP_ROWS % TILE_ROWS;
    let mut in_row = [O::IDENTITY; WARP_ROWS];
    unrolled!(row < WARP_ROWS, up to 2 => {
        let x = Input::kept::<R, U>(row, runs);
        let quads = fold_quads::<T, O, R, Q, N>(op, x, first_of(row));
        let mut run = quads[0];
        unrolled!(quad < N, up to 4 => { if quad > 0 { run = O::combine(run, quads[quad]) } });
        let inclusive = warp::inclusive_by_steps::<T, O>(run);
        in_row[row] = warp::exclusive::<T, O>(inclusive);
        if lane_id() == WARP_SIZE - 1 {
            rows.write(first_row + row, inclusive);
        }
    });
    sync_threads();

    let prefix: SharedArray<O::Acc, 1> = warpfold_scan_prefix().array();
    if thread_idx_x() < WARP_SIZE {
        let total = fold_rows::<T, O>();
        if lane_id() == 0 && is_whole {
            board.post_tile(tile, total);
        }
        let is_next = tile + 1 < tiles::<T>(input.len());
        let before = board.before::<T, O>(tile, total, wanted.init, is_next);
        if lane_id() == 0 {
            prefix.write(0, before);
        }
    }
    sync_threads();

    // While the block waited, only the runs' own prefixes took registers; everything else is read and folded again.
    unrolled!(row < WARP_ROWS, up to 2 => {
        let before_row = rows.read(TILE_ROWS + unknown(first_row as u32) as usize % TILE_ROWS + row);
        let start = O::combine(prefix.read(0), O::combine(before_row, in_row[row]));
        let x = Input::kept::<R, U>(row, runs);
        let first = first_of(row);
        let quads = fold_quads::<T, O, R, Q, N>(op, x, first);
        each_piece!(op, wanted, (x, quads), start, first, |piece, outs| {
            out.write_piece::<T, K, W>((tile, is_whole), row, piece, outs);
        });
    });
}

/// Draws the block's ticket, which is the number of its tile.
///
/// Called by: every thread of the block. Valid in: every thread.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn draw(tickets: AtomicCells<u32>) -> u64 {
    u64::from(ticket::draw(tickets, warpfold_scan_ticket().array::<u32, 1>()))
}

/// Returns the total of each quad of a run, whose first element has the index `first`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fold_quads<T: Element, O: Op<T>, const R: usize, const Q: usize, const N: usize>(
    op: O,
    x: [T; R],
    first: u64,
) -> [O::Acc; N] {
    let mut quads = [O::IDENTITY; N];
    unrolled!(quad < N, up to 4 => {
        let mut acc = op.lift(x[quad * Q], first + (quad * Q) as u64);
        unrolled!(k < Q, up to 4 => {
            if k > 0 {
                acc = op.append(acc, x[quad * Q + k], first + (quad * Q + k) as u64);
            }
        });
        quads[quad] = acc;
    });
    quads
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn rows<A: Accumulator>() -> SharedArray<A, { 2 * TILE_ROWS }> {
    warpfold_scan_rows().array()
}

/// Returns the total of all rows, given the rows' totals. The prefixes of the rows are stored behind the totals; in a register,
/// the compiler would keep all totals instead until the prefix is used.
///
/// Called by: every lane of one warp, after a barrier that follows the totals. Valid in: every lane. Order: row after row.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_rows<T: Element, O: Op<T>>() -> O::Acc {
    let (rows, lane) = (rows::<O::Acc>(), lane_id());
    let (mut before, mut all) = (O::IDENTITY, O::IDENTITY);
    if size_of::<O::Acc>() <= 8 {
        // Two chains: with one, all of its prefixes would be kept until the right one is chosen.
        unrolled!(row < TILE_ROWS, up to 8 => {
            let total = rows.read(row);
            before = if (row as u32) < lane { O::combine(before, total) } else { before };
            all = O::combine(all, total);
        });
    } else {
        let (mut row, end) = (0, unknown(TILE_ROWS as u32));
        while row < end {
            before = if row == lane { all } else { before };
            all = O::combine(all, rows.read(row as usize));
            row += 1;
        }
    }
    if lane < TILE_ROWS as u32 {
        rows.write(TILE_ROWS + lane as usize, before);
    }
    all
}
