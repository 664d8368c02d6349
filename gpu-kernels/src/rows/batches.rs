//! Long rows: a block folds a batch of tiles, with eight warps per tile and one piece of it per warp. The warps go from tile to
//! tile without waiting for each other, reading side by side, and meet once per batch.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_dim_x, block_idx_x, grid_dim_x, sync_threads, thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::Rows;
use super::across::{self, Tile};
use super::parts::{Parts, RowParts};
use super::totals::Totals;
use super::waves::PIECES;
use crate::op::{Element, Op};
use crate::shapes::MAX_BATCH;
use crate::thread::fold_pairs;
use crate::tree::THREADS;
use crate::warp::{self, Unrolling};

/// Binary logarithm of the tiles of the largest batch.
const LOG2_BATCH: u32 = MAX_BATCH.ilog2();

/// Pieces of two batches: one is read while the next is written.
const PLACES: usize = 2 * PIECES * WARP_SIZE as usize;

cuda_std::shared_bytes! {
    /// The totals of the pieces of two batches, of up to 16 bytes each.
    fn warpfold_batches: 8192
}

const _: () = assert!(PLACES * 16 == 8192);

/// Folds `2^log2_parts` parts of each row, each to its own place in `out`, as [`blocks`](super::blocks) does.
///
/// Called by: every thread of every block; blocks are of 256, 512 or 1024 threads. Valid in: `out`, when the launch has
/// ended. Scratch: the block's. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T: Element, O: Op<T>, const V: usize>(
    op: O,
    rows: Rows<T>,
    log2_parts: u32,
    out: GlobalCells<O::Acc>,
) {
    let parts = RowParts::new(rows, log2_parts);
    let log2_tiles = parts.log2_tiles();
    reduce_parts::<T, O, _, V>(op, parts, log2_tiles, rows.elements, |item, total| out.write(item, total));
    let_next_launch_start();
}

/// Folds parts of `2^log2_tiles` tiles each, and passes each part's number and accumulator to `write`. Batches are dealt to the
/// blocks round-robin, the last first, since its last tile takes longest where the input does not end with a vector. They
/// have as few tiles as take one turn, a power of two, but at most [`MAX_BATCH`].
///
/// Called by: every thread of every block; blocks are of 256, 512 or 1024 threads. `write` is called by lanes of the first
/// warp. Scratch: the block's. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce_parts<T: Element, O: Op<T>, P: Parts, const V: usize>(
    op: O,
    parts: P,
    log2_tiles: u32,
    elements: GlobalSlice<T>,
    write: impl Fn(u64, O::Acc),
) {
    let (tiles, any) = (parts.count() << log2_tiles, elements.read(0));
    let mut log2_batch = LOG2_BATCH;
    while log2_batch > 0 && u64::from(grid_dim_x()) << (log2_batch - 1) >= tiles {
        log2_batch -= 1;
    }
    // A block takes several batches of one part at once, or one batch of several parts.
    let log2_turn = log2_batch.max(log2_tiles);
    let turns = (tiles + (1 << log2_turn) - 1) >> log2_turn;
    let mut start = turns.wrapping_sub(1 + u64::from(block_idx_x())) << log2_turn;
    let mut is_odd = false;
    while start < tiles {
        let mut totals = Totals::<T, O>::new();
        let mut first = start;
        while first < start + (1 << log2_turn) {
            let total =
                fold_batch::<T, O, P, V>(op, parts, (first, log2_batch), log2_tiles, (elements, any), is_odd);
            is_odd = !is_odd;
            if thread_idx_x() < WARP_SIZE {
                if log2_tiles < log2_batch {
                    let total = warp::fold_neighbours::<T, O>(total, log2_tiles);
                    let own = first + u64::from(lane_id());
                    let is_first = own & ((1 << log2_tiles) - 1) == 0;
                    if is_first && lane_id() < 1 << log2_batch && own < tiles {
                        write(own >> log2_tiles, total);
                    }
                } else {
                    totals.push(warp::of_lane(warp::fold::<T, O>(total, Unrolling::Short), 0));
                }
            }
            first += 1 << log2_batch;
        }
        if log2_tiles >= log2_batch && thread_idx_x() < WARP_SIZE {
            let total = totals.total();
            if lane_id() == 0 {
                write(start >> log2_tiles, total);
            }
        }
        start = start.wrapping_sub(u64::from(grid_dim_x()) << log2_turn);
    }
}

/// Folds the `2^log2_batch` tiles from `first` on, or as many as there are.
///
/// Called by: every thread of the block. Valid in: the first warp, each tile's total in the lane of its number, the identity in
/// other lanes. Scratch: one half of the block's, free after the next batch's barrier. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_batch<T: Element, O: Op<T>, P: Parts, const V: usize>(
    op: O,
    parts: P,
    (first, log2_batch): (u64, u32),
    log2_tiles: u32,
    (elements, any): (GlobalSlice<T>, T),
    is_odd: bool,
) -> O::Acc {
    // Larger accumulators are folded in another way; for them this code is never compiled.
    let Some(places) = warpfold_batches().array_if_fits::<O::Acc, PLACES>() else {
        return O::IDENTITY;
    };
    let batch = 1 << log2_batch;
    let half = if is_odd { PLACES / 2 } else { 0 };
    let warp = thread_idx_x() / WARP_SIZE;
    let (piece, groups) = (warp % PIECES as u32, block_dim_x() / THREADS as u32);
    // Each lane looks up one tile for the whole warp.
    let (mut row, mut from, mut len) = (0, 0, 0);
    let own = first + u64::from(lane_id());
    if lane_id() < batch && own >> log2_tiles < parts.count() {
        let part = parts.part(own >> log2_tiles);
        row = part.row;
        from = part.start + ((own & ((1 << log2_tiles) - 1)) << part.log2_tile);
        len = part.end.saturating_sub(from).min(1 << part.log2_tile) as u32;
    }
    let mut tile = warp / PIECES as u32;
    while tile < batch {
        let (row, first, len) =
            (warp::of_lane(row, tile), warp::of_lane(from, tile), warp::of_lane(len, tile));
        let mut total = O::IDENTITY;
        if len > 0 {
            let value = match elements.across::<V>(row + first, len) {
                Some(elements) => across::fold_piece::<T, O, V>(op, Tile { elements, first, any }, piece),
                None => across::fold_piece_singly::<T, O, V>(op, elements, (row, first, len), piece),
            };
            total = warp::fold::<T, O>(value, Unrolling::Fast);
        }
        if lane_id() == 0 {
            places.write(half + tile as usize * PIECES + piece as usize, total);
        }
        tile = unknown(tile + groups);
    }
    sync_threads();
    if warp > 0 || lane_id() >= batch {
        return O::IDENTITY;
    }
    let mut totals = [O::IDENTITY; PIECES];
    unrolled!(piece < PIECES, up to 8 => { totals[piece] = places.read(half + lane_id() as usize * PIECES + piece) });
    fold_pairs::<T, O, PIECES>(totals)
}
