//! Rows of up to the smallest tile: a warp folds one, without shared memory or a barrier.
//!
//! The 256 lanes times `V` of a tile are eight pieces of 32 threads times `V`. The warp does in eight turns what eight warps
//! of a block do at once: in each, a thread folds its `V` lanes over the tile's four rows, and then those in pairs. The
//! pieces' values meet as the warps' totals do.

use cuda_std::global::GlobalCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::Rows;
use super::loads::Loads;
use super::meet::Layout;
use crate::grid::loads_ahead;
use crate::op::{Element, Op};
use crate::source::Packed;
use crate::thread::fold_pairs;
use crate::tree::{RUN, THREADS, lanes};
use crate::unroll::unrolled;

/// Pieces of a tile.
const PIECES: usize = THREADS / WARP_SIZE as usize;

/// Folds rows of at most one tile of the smallest length to their places in `out`.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: `out`, when the launch has ended. Scratch: none.
/// Order: the tree's.
#[inline(always)]
pub(crate) fn reduce<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    rows: Rows<T>,
    elements: R,
    out: GlobalCells<O::Acc>,
) {
    let layout = Layout::new(THREADS as u64);
    let is_ahead = R::ARE_WHOLE && loads_ahead::<T, O>();
    let warps = u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
    let mut row = index_1d() / u64::from(WARP_SIZE);
    // Every lane of a warp has the same `row`, and so takes as many turns.
    while row < rows.count {
        let mut values = [O::IDENTITY; PIECES];
        let row_start = row * rows.pitch;
        let mut piece = 0;
        let mut ahead =
            if is_ahead { Some(load::<T, O, R, V>(elements, row_start, rows.len, 0)) } else { None };
        while piece < PIECES as u32 {
            let next = unknown(piece + 1);
            let value = match ahead {
                Some(loaded) => {
                    if next < PIECES as u32 {
                        ahead = Some(load::<T, O, R, V>(elements, row_start, rows.len, next));
                    }
                    fold::<T, O, R, V>(op, loaded, rows.len, piece)
                }
                None if R::ARE_WHOLE => {
                    let loaded = load::<T, O, R, V>(elements, row_start, rows.len, piece);
                    fold::<T, O, R, V>(op, loaded, rows.len, piece)
                }
                None => fold_singly::<T, O, R, V>(op, elements, row_start, rows.len, piece),
            };
            // They move up instead of being found by a number: registers have none.
            values = core::array::from_fn(|i| if i + 1 < PIECES { values[i + 1] } else { value });
            piece = next;
        }
        let (owned, _) = layout.meet::<T, O, PIECES>(&mut values);
        if owned > 0 {
            out.write(row, values[0]);
        }
        row += warps;
    }
    let_next_launch_start();
}

/// Where load `i` of this thread in a piece begins within the row.
#[inline(always)]
fn start<T: Element, O: Op<T>, const V: usize>(piece: u32, i: usize) -> u64 {
    let thread = u64::from(piece * WARP_SIZE + lane_id());
    if O::COMMUTATIVE {
        thread * V as u64 + (i * lanes::<T>()) as u64
    } else {
        (thread * RUN as u64 + i as u64) * V as u64
    }
}

/// A piece's loads, as far as the row goes.
#[inline(always)]
fn load<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    elements: R,
    row_start: u64,
    len: u64,
    piece: u32,
) -> [R::Loaded; RUN] {
    let any = elements.load(row_start + start::<T, O, V>(piece, 0));
    core::array::from_fn(|i| {
        // The same for all lanes, so that rows of half a tile cost half.
        if i > 0 && (!O::COMMUTATIVE || ((i * lanes::<T>()) as u64) < len) {
            elements.load(row_start + start::<T, O, V>(piece, i))
        } else {
            any
        }
    })
}

/// Folds a piece's loads: each lane of the tree left to right, then this thread's lanes in pairs.
#[inline(always)]
fn fold<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    loaded: [R::Loaded; RUN],
    len: u64,
    piece: u32,
) -> O::Acc {
    let mut accs = [O::IDENTITY; V];
    unrolled!(i < RUN => {
        append::<T, O, R, V>(op, &mut accs, loaded[i], start::<T, O, V>(piece, i), len, i);
    });
    fold_pairs::<T, O, V>(accs)
}

/// [`load`] and [`fold`] of elements that are loaded one by one: those of a whole piece would be too many registers.
#[inline(always)]
fn fold_singly<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    elements: R,
    row_start: u64,
    len: u64,
    piece: u32,
) -> O::Acc {
    let mut accs = [O::IDENTITY; V];
    if O::COMMUTATIVE {
        // One place for all four: what is in it is long.
        let mut i = 0;
        while i < RUN as u32 {
            let first = start::<T, O, V>(piece, i as usize);
            append::<T, O, R, V>(op, &mut accs, elements.load(row_start + first), first, len, 0);
            i = unknown(i + 1);
        }
    } else {
        unrolled!(i < RUN => {
            let first = start::<T, O, V>(piece, i);
            append::<T, O, R, V>(op, &mut accs, elements.load(row_start + first), first, len, i);
        });
    }
    fold_pairs::<T, O, V>(accs)
}

/// Folds load `i` of a piece, which begins at place `first` of a row of `len` elements, to this thread's lanes.
#[inline(always)]
fn append<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    accs: &mut [O::Acc; V],
    loaded: R::Loaded,
    first: u64,
    len: u64,
    i: usize,
) {
    if first >= len {
        return;
    }
    let elements = loaded.elements();
    unrolled!(v < V => {
        let lane = if O::COMMUTATIVE { v } else { (V * i + v) / RUN };
        let at = first + v as u64;
        if R::ARE_WHOLE || at < len {
            accs[lane] = op.append(accs[lane], elements[v], at);
        }
    });
}
