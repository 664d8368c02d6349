//! Rows of any length: a warp folds a row, or a part of it, without shared memory or a barrier.
//!
//! The `256 V` lanes of a tile are eight pieces of `32 V`. The warp does in eight steps what eight warps of a block do at once.
//! In each step, a thread folds its `V` lanes over the tile's rows, then the lanes in pairs. The values of the pieces are then
//! folded as the warps' totals are. For an operator that does not commute the eight steps are of a band.

use cuda_std::global::GlobalCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::Rows;
use super::append::{append, append_free};
use super::combine::Layout;
use super::loads::Loads;
use super::parts::{Part, Parts, RowParts};
use super::pieces::{Pieces, Tiles};
use super::waves::{PIECES, Wave, stride, unit_len};
use crate::grid::loads_ahead;
use crate::op::{Element, Op, is_free};
use crate::source::Packed;
use crate::thread::fold_pairs;
use crate::tree::{RUN, THREADS, lanes};
use crate::warp::{self, Unrolling};

/// Folds `2^log2_parts` parts of each row, each to its own place in `out`, as [`blocks`](super::blocks) does.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: `out`, when the launch has ended. Scratch: none.
/// Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    rows: Rows<T>,
    log2_parts: u32,
    elements: R,
    out: GlobalCells<O::Acc>,
) {
    let parts = RowParts::new(rows, log2_parts);
    reduce_parts::<T, O, R, _, V>(op, parts, elements, |item, total| out.write(item, total));
    let_next_launch_start();
}

/// Folds parts, dealt to the launch's warps round-robin, and passes each part's number and accumulator to `write`.
///
/// Called by: every thread of every block; blocks are whole warps. `write` is called by lane 0. Scratch: none. Order: the
/// tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce_parts<T: Element, O: Op<T>, R: Loads<T, V>, P: Parts, const V: usize>(
    op: O,
    parts: P,
    elements: R,
    write: impl Fn(u64, O::Acc),
) {
    let warps = u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
    let mut item = index_1d() / u64::from(WARP_SIZE);
    // Every lane of a warp has the same `item`, so all lanes run as many iterations.
    while item < parts.count() {
        let part = parts.part(item);
        let total = if part.is_empty() {
            O::IDENTITY
        } else if is_one_row::<T, O>(part) {
            fold_one_row::<T, O, R, V>(op, part, elements)
        } else {
            fold_part::<T, O, R, V>(op, part, elements)
        };
        if lane_id() == 0 {
            write(item, total);
        }
        item += warps;
    }
}

/// Returns whether a part is within the first row of a tile's lanes, so that each lane has one element at most.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn is_one_row<T: Element, O: Op<T>>(part: Part) -> bool {
    O::COMMUTATIVE && size_of::<O::Acc>() <= 8 && part.end - part.start <= lanes::<T>() as u64
}

/// Folds a part within one row: all its pieces are loaded at once (docs/tuning/gpu.md).
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_one_row<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    part: Part,
    elements: R,
) -> O::Acc {
    let wave = Wave::first_of::<T, O>(part, part.start);
    let (own, row) = (wave.own::<T, O>(), part.row + part.start);
    let mut loaded = [elements.load(row + u64::from(own)); PIECES];
    unrolled!(piece < PIECES, up to 8 => {
        let first = own + (piece * WARP_SIZE as usize * V) as u32;
        if piece > 0 && first < wave.len {
            loaded[piece] = elements.load(row + u64::from(first));
        }
    });
    let mut values = [O::IDENTITY; PIECES];
    unrolled!(piece < PIECES, up to 8 => {
        let first = own + (piece * WARP_SIZE as usize * V) as u32;
        if first < wave.len {
            let elements = elements.elements(loaded[piece], row + u64::from(first)).elements();
            let mut accs = [O::IDENTITY; V];
            unrolled!(v < V => {
                let at = first + v as u32;
                if R::ARE_WHOLE || at < wave.len {
                    accs[v] = op.append(accs[v], elements[v], part.start + u64::from(at));
                }
            });
            values[piece] = fold_pairs::<T, O, V>(accs);
        }
    });
    Layout::new(THREADS as u64).combine::<T, O, PIECES>(&mut values);
    values[0]
}

/// Folds one part that has elements, tile by tile.
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_part<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(op: O, part: Part, elements: R) -> O::Acc {
    let load = |wave: Wave| {
        let own = part.row + wave.unit + u64::from(wave.own::<T, O>());
        let any = elements.load(own);
        let mut loaded: [R::Loaded; RUN] = [any, any, any, any];
        unrolled!(i < RUN, up to 4 => {
            // The condition is the same for all lanes, so half a tile costs half.
            if i > 0 && wave.has_load::<T, O>(i as u32) {
                loaded[i] = elements.load(own + u64::from(stride::<T, O>()) * i as u64);
            }
        });
        loaded
    };
    let mut free = O::IDENTITY;
    let mut tiles = Tiles::<T, O>::new();
    let mut unit = part.start;
    while unit < part.end {
        let mut wave = Wave::first_of::<T, O>(part, unit);
        let mut pieces = Pieces::<T, O>::new();
        let mut accs = [O::IDENTITY; V];
        // The next wave is loaded while one is folded, but not across units: when the pieces are folded together, loads ahead
        // would take the registers that this needs.
        let mut loaded = load(wave);
        loop {
            let next = wave.next::<T, O>();
            let ahead = match next {
                Some(next) if loads_ahead::<T, O>() => load(next),
                _ => loaded,
            };
            let begin = part.row + unit + u64::from(wave.own::<T, O>());
            let settled = settle::<T, O, R, V>(elements, loaded, begin);
            if is_free::<T, O>() {
                free = append_free::<T, O, R, V>(op, free, settled, wave);
            } else {
                append::<T, O, R, V>(op, &mut accs, settled, wave);
                if next.is_none_or(|next| next.piece != wave.piece) {
                    pieces.push(fold_pairs::<T, O, V>(accs));
                    accs = [O::IDENTITY; V];
                }
            }
            let Some(next) = next else {
                break;
            };
            wave = next;
            loaded = if loads_ahead::<T, O>() { ahead } else { load(wave) };
        }
        unit += u64::from(unit_len::<T, O>(part));
        if !is_free::<T, O>() {
            let is_last = unit >= part.end || unit & ((1 << part.log2_tile) - 1) == 0;
            tiles.push(pieces.total(wave.piece), is_last);
        }
    }
    if is_free::<T, O>() { warp::fold::<T, O>(free, Unrolling::Fast) } else { tiles.totals.total() }
}

/// Returns the loads as registers of elements, when they are unpacked.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn settle<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    elements: R,
    loaded: [R::Loaded; RUN],
    begin: u64,
) -> [R::Elements; RUN] {
    let one = |i: usize| elements.elements(loaded[i], begin + u64::from(stride::<T, O>()) * i as u64);
    // One by one: a loop over them would keep some of them in memory.
    [one(0), one(1), one(2), one(3)]
}
