//! Folds consecutive tiles on one thread. Neighbouring lanes are side by side in memory, so the compiler folds many at
//! once without changing the order within a lane.
//!
//! A tile is folded four rows at a time, in stripes of lanes whose accumulators fit registers. A stripe jumps from row
//! to row, which is fast in a cache but not in memory, because hardware prefetchers expect consecutive bytes. So the
//! next four rows are prefetched in memory order while these are folded. Folding in stripes is faster than folding
//! whole rows, one at a time (docs/tuning/cpu.md).

use gpu_kernels::tree::{RUN, lanes};
use gpu_kernels::{Element, Op, is_free};

use super::words::{self, Lanes};
use super::{any_order, large, neighbours, processor};
use crate::error::Error;
use crate::memory;

/// Rows that are folded at once, as many as the smallest tile has.
pub(super) const ROWS: usize = RUN;

/// Lanes of a stripe. This is the fastest for f64; f32 differs little from 32 to 128 (docs/tuning/cpu.md).
pub(super) const STRIPE: usize = 32;

/// Lanes per partial result of a stripe. This is the fastest for f32; f64 is a little faster with 16
/// (docs/tuning/cpu.md).
pub(super) const PARTIAL_LANES: usize = 8;

/// The partial results of a stripe.
pub(super) type Partials<A> = [A; STRIPE / PARTIAL_LANES];

/// Folds each tile of `x`, whose first element has index `base`, into its element of `results`.
///
/// # Errors
/// [`Error::TooManyResults`] if there is not enough memory for the lanes.
///
/// Inlined, so that it is compiled for its caller's processor features.
#[inline(always)]
pub(super) fn fold<T: Element, O: Op<T>>(
    op: O,
    x: &[T],
    tile_len: usize,
    base: u64,
    results: &mut [O::Acc],
) -> Result<(), Error> {
    // `if const`, so that only the operator's own branch is compiled.
    if const { large::is_wide::<O::Acc>() } {
        return large::fold::<T, O>(op, x, tile_len, base, results);
    }
    // Hot code is in loops, not closures: a closure that is not inlined is compiled without its caller's processor
    // features.
    let tiles = x.chunks(tile_len).zip((base..).step_by(tile_len)).zip(results);
    if const { is_free::<T, O>() } {
        for ((tile, base), result) in tiles {
            *result = any_order::fold::<T, O>(op, tile, base);
        }
        return Ok(());
    }
    if const { words::bytes::<T, O>() > 0 } {
        let is_short = x.len().min(tile_len) <= ROWS * lanes::<T>();
        let mut kept = memory::filled(Lanes::new(), if is_short { 0 } else { lanes::<T>() / words::STRIPE })?;
        for ((tile, base), result) in tiles {
            *result = if const { words::bytes::<T, O>() == 4 } {
                words::fold_tile::<T, O, u32>(op, &mut kept, tile, base)
            } else {
                words::fold_tile::<T, O, u64>(op, &mut kept, tile, base)
            };
        }
        return Ok(());
    }
    // The accumulators of lanes, kept from row to row, with room to fold them in pairs; or the accumulators of a
    // band.
    let is_short = O::COMMUTATIVE && x.len().min(tile_len) <= ROWS * lanes::<T>();
    let mut kept = memory::filled(O::IDENTITY, if is_short { 0 } else { lanes::<T>() / 2 * 3 })?;
    for ((tile, base), result) in tiles {
        *result = if const { !O::COMMUTATIVE } {
            fold_bands::<T, O>(op, &mut kept, tile, base)
        } else {
            const { assert!(lanes::<T>() <= 512 * PARTIAL_LANES) }
            if const { lanes::<T>() / PARTIAL_LANES <= 128 } {
                fold_rows::<T, O, 128>(op, &mut kept, tile, base)
            } else {
                fold_rows::<T, O, 512>(op, &mut kept, tile, base)
            }
        };
    }
    Ok(())
}

/// Returns whether tiles are folded in rows of lanes, with one accumulator per lane in a register.
pub(super) const fn is_by_rows<T: Element, O: Op<T>>() -> bool {
    O::COMMUTATIVE && !is_free::<T, O>() && !large::is_wide::<O::Acc>() && words::bytes::<T, O>() == 0
}

/// Folds a tile of an operator that commutes, in stripes, with up to `P` partial results in all.
#[inline(always)]
fn fold_rows<T: Element, O: Op<T>, const P: usize>(
    op: O,
    kept: &mut [O::Acc],
    tile: &[T],
    base: u64,
) -> O::Acc {
    const { assert!(lanes::<T>().is_multiple_of(STRIPE)) }
    if tile.len() > ROWS * lanes::<T>() {
        // A tile this long comes from memory, which is read fastest row after row.
        let (kept, other) = kept.split_at_mut(lanes::<T>());
        for (row, at) in tile.chunks(lanes::<T>()).zip((0..).step_by(lanes::<T>())) {
            processor::touch_after(row);
            if at == 0 {
                append_row::<T, O, true>(op, kept, row, base);
            } else {
                append_row::<T, O, false>(op, kept, row, base + at);
            }
        }
        return neighbours::fold_through::<T, O>(kept, other);
    }
    let width = lanes::<T>().min(tile.len());
    let mut partials = [O::IDENTITY; P];
    let (stripes, _) = partials.as_chunks_mut::<{ STRIPE / PARTIAL_LANES }>();
    for (stripe, first) in stripes.iter_mut().zip((0..width).step_by(STRIPE)) {
        ask_for_next(tile, first, STRIPE);
        fold_stripe::<T, O>(op, stripe, tile, first, base);
    }
    // Partial results without lanes hold the identity, which changes no pair. Halves of a power of two are vectorised whole.
    neighbours::fold::<T, O>(&mut partials[..width.div_ceil(PARTIAL_LANES).next_power_of_two().min(P)])
}

/// Prefetches this stripe's share of the rows after `rows`, if they will probably be folded.
#[inline(always)]
pub(super) fn ask_for_next<T: Element>(rows: &[T], first: usize, stripe: usize) {
    if rows.len() == ROWS * lanes::<T>() {
        processor::prefetch_after(rows, ROWS * first..ROWS * (first + stripe));
    }
}

/// Folds up to [`ROWS`] rows of the stripe that begins with lane `first` into its partial results.
#[inline(always)]
fn fold_stripe<T: Element, O: Op<T>>(
    op: O,
    partials: &mut Partials<O::Acc>,
    rows: &[T],
    first: usize,
    base: u64,
) {
    let mut accs = [O::IDENTITY; STRIPE];
    // Each case ends on its own: accumulators that several branches share would not stay in registers.
    match whole_rows(rows, first) {
        Some(ROWS) => fold_lanes::<T, O>(partials, &append_rows::<T, O, ROWS>(op, accs, rows, first, base)),
        Some(3) => fold_lanes::<T, O>(partials, &append_rows::<T, O, 3>(op, accs, rows, first, base)),
        Some(2) => fold_lanes::<T, O>(partials, &append_rows::<T, O, 2>(op, accs, rows, first, base)),
        Some(1) => fold_lanes::<T, O>(partials, &append_rows::<T, O, 1>(op, accs, rows, first, base)),
        _ => {
            append_there::<T, O>(op, &mut accs, rows, first, base);
            fold_lanes::<T, O>(partials, &accs);
        }
    }
}

/// Folds a row, which may be partial unless it is the first one, into the accumulators of its lanes.
#[inline(always)]
fn append_row<T: Element, O: Op<T>, const IS_FIRST: bool>(op: O, kept: &mut [O::Acc], row: &[T], base: u64) {
    if row.len() == lanes::<T>() {
        // Slices of a constant length, so that the loop has no checks and is vectorised.
        let (kept, row) = (&mut kept[..lanes::<T>()], &row[..lanes::<T>()]);
        for j in 0..lanes::<T>() {
            kept[j] = op.append(if IS_FIRST { O::IDENTITY } else { kept[j] }, row[j], base + j as u64);
        }
    } else {
        for ((acc, &x), index) in kept.iter_mut().zip(row).zip(base..) {
            *acc = op.append(*acc, x, index);
        }
    }
}

/// Returns the number of rows of the stripe that begins with lane `first`, if none is partial.
#[inline(always)]
fn whole_rows<T: Element>(rows: &[T], first: usize) -> Option<usize> {
    let (whole, rest) = (rows.len() / lanes::<T>(), rows.len() % lanes::<T>());
    if rest >= first + STRIPE { Some(whole + 1) } else { (rest <= first).then_some(whole) }
}

/// Folds the first `R` rows of a stripe, which are complete.
#[inline(always)]
pub(super) fn append_rows<T: Element, O: Op<T>, const R: usize>(
    op: O,
    mut accs: [O::Acc; STRIPE],
    rows: &[T],
    first: usize,
    base: u64,
) -> [O::Acc; STRIPE] {
    // A slice of a constant length, so that the loops have no checks and are vectorised.
    let rows = &rows[first..(R - 1) * lanes::<T>() + first + STRIPE];
    for row in 0..R {
        let at = row * lanes::<T>();
        let (row, base) = (&rows[at..at + STRIPE], base + (first + at) as u64);
        for j in 0..STRIPE {
            accs[j] = op.append(accs[j], row[j], base + j as u64);
        }
    }
    accs
}

/// Folds the elements of a stripe with partial rows.
#[inline(always)]
fn append_there<T: Element, O: Op<T>>(
    op: O,
    accs: &mut [O::Acc; STRIPE],
    rows: &[T],
    first: usize,
    base: u64,
) {
    for at in (first..rows.len()).step_by(lanes::<T>()) {
        for ((acc, &x), index) in accs.iter_mut().zip(&rows[at..]).zip(base + at as u64..) {
            *acc = op.append(*acc, x, index);
        }
    }
}

/// Folds a stripe's lanes in pairs of neighbours, [`PARTIAL_LANES`] lanes into each partial result. Writes to memory,
/// because a returned value of eight bytes would go through a register that is not a float register.
#[inline(always)]
pub(super) fn fold_lanes<T: Element, O: Op<T>>(partials: &mut Partials<O::Acc>, accs: &[O::Acc; STRIPE]) {
    let accs: [O::Acc; STRIPE / 2] = neighbours::halve::<T, O, STRIPE, { STRIPE / 2 }>(accs);
    let accs: [O::Acc; STRIPE / 4] = neighbours::halve::<T, O, { STRIPE / 2 }, { STRIPE / 4 }>(&accs);
    *partials = neighbours::halve::<T, O, { STRIPE / 4 }, { STRIPE / PARTIAL_LANES }>(&accs);
}

/// Folds a tile of an operator that does not commute.
#[inline(always)]
fn fold_bands<T: Element, O: Op<T>>(op: O, accs: &mut [O::Acc], tile: &[T], base: u64) -> O::Acc {
    let bands = tile.chunks(RUN * lanes::<T>()).zip((base..).step_by(RUN * lanes::<T>()));
    bands.fold(O::IDENTITY, |left, (band, base)| {
        let runs = band.chunks(RUN).zip((base..).step_by(RUN));
        for (acc, (run, base)) in accs.iter_mut().zip(runs) {
            *acc = run.iter().zip(base..).fold(O::IDENTITY, |acc, (&x, i)| op.append(acc, x, i));
        }
        O::combine(left, neighbours::fold::<T, O>(&mut accs[..band.len().div_ceil(RUN)]))
    })
}
