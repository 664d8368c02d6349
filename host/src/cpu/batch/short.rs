//! Short rows, many at once: their trees consist of pairs of neighbours, and the rows' elements are side by side.
//!
//! Each row gets as many leaves as the longest of them needs, rounded up to a power of two. Leaves after its end hold
//! the identity, which changes no pair. So all rows are halved at once, as one long array, until each has one leaf
//! left; no row costs its own loop.

use std::ops::Range;

use gpu_kernels::tree::{RUN, lanes};
use gpu_kernels::{Element, Op, is_free};

use super::Rows;
use crate::cpu::tiles::{self, PARTIAL_LANES, STRIPE};
use crate::cpu::{neighbours, processor};
use crate::error::Error;
use crate::memory;

/// Leaves that are filled and halved at once: 8 KiB of f32, which fit the first-level cache.
const LEAVES: usize = 2048;

/// Most elements of a row among rows of different lengths, and the number of such rows that are folded at once. One long
/// row among short ones makes all of them wide.
const RAGGED: usize = WINDOW;
const RAGGED_ROWS: usize = 32;

/// Most elements of such a row if eight are folded before they get a leaf. This is a third faster than to fold rows of
/// more than 32 one by one (docs/tuning/cpu.md).
const RAGGED_EIGHTS: usize = 256;

/// Most elements of a row that get a leaf each.
const WINDOW: usize = 32;

/// Most leaves of a row for a free operator; longer rows are folded left to right. Left to right, rows of 64 take less
/// time than rows of 32 in leaves (docs/tuning/cpu.md).
const FREE: usize = 8;

/// Bytes of the largest accumulator that gets a leaf: a larger one costs more to move than to fold.
const WIDE: usize = 32;

/// Bytes of the largest accumulator for which eight are folded in registers.
const EIGHTS_ACC: usize = 8;

/// Returns the number of elements that are folded left to right into one leaf.
pub(super) const fn leaf_len<T: Element, O: Op<T>>() -> usize {
    if O::COMMUTATIVE { 1 } else { RUN }
}

/// Returns the most leaves of a row that is folded here: up to a tile's number of lanes, a tree consists of pairs of
/// neighbours.
pub(super) fn most<T: Element, O: Op<T>>(of_one_length: bool) -> usize {
    if size_of::<O::Acc>() > WIDE {
        0
    } else if is_free::<T, O>() {
        FREE
    } else if of_one_length {
        lanes::<T>()
    } else if by_eights::<T, O>() {
        RAGGED_EIGHTS
    } else {
        RAGGED
    }
}

/// Returns whether eight elements are folded before they get a leaf, in rows of more than [`WINDOW`].
const fn by_eights<T: Element, O: Op<T>>() -> bool {
    O::COMMUTATIVE && size_of::<O::Acc>() <= EIGHTS_ACC
}

/// Returns the number of rows that are folded at once, if the longest of them needs `leaves` leaves.
pub(super) fn rows_at_once(leaves: usize, of_one_length: bool) -> usize {
    if of_one_length { (LEAVES / leaves.next_power_of_two()).max(1) } else { RAGGED_ROWS }
}

/// Folds rows that need up to `most` leaves, and returns one accumulator for each row, in order. The accumulators of
/// longer rows have no meaning.
///
/// # Errors
/// [`Error::TooManyResults`] if there is not enough memory for the leaves.
#[inline(always)]
pub(super) fn fold<'p, T: Element, O: Op<T>, R: Rows<T>>(
    op: O,
    rows: &R,
    numbers: Range<usize>,
    most: usize,
    leaves: &'p mut Vec<O::Acc>,
    buffer: &mut Vec<T>,
) -> Result<&'p [O::Acc], Error> {
    if const { size_of::<O::Acc>() > WIDE } {
        // Only empty rows are folded here.
        leaves.clear();
        memory::resize(leaves, numbers.len(), O::IDENTITY)?;
        return Ok(leaves);
    }
    let mut longest = 1;
    let of_one_length = if R::OF_ONE_LENGTH { 1 } else { numbers.len() };
    for row in numbers.clone().take(of_one_length) {
        let len = rows.len(row).div_ceil(leaf_len::<T, O>());
        longest = if len > most { longest } else { longest.max(len) };
    }
    let width = longest.next_power_of_two();
    let by_eights = by_eights::<T, O>() && longest > WINDOW;
    let width = if by_eights { width / PARTIAL_LANES } else { width };
    let len = width * numbers.len();
    if leaves.len() < len {
        memory::resize(leaves, len, O::IDENTITY)?;
    }
    let leaves = &mut leaves[..len];
    let matrix = if R::OF_ONE_LENGTH && longest == width { rows.neighbours(numbers.clone()) } else { None };
    if const { !O::COMMUTATIVE } {
        fill_runs(op, rows, numbers, most, width, leaves, buffer);
    } else if const { self::by_eights::<T, O>() } && by_eights {
        fill_eights(op, rows, numbers, most, width, leaves, buffer);
    } else if let Some(x) = matrix.filter(|x| x.len() == leaves.len()) {
        if const { !is_free::<T, O>() } && width > 1 {
            let mut left = fill_halves::<T, O>(op, x, width, leaves);
            for _ in 1..width.trailing_zeros() {
                left = neighbours::halve_all::<T, O>(left);
            }
            return Ok(left);
        }
        for ((leaf, &x), at) in leaves.iter_mut().zip(x).zip(0..) {
            *leaf = op.lift(x, at & (width as u64 - 1));
        }
    } else {
        fill(op, rows, numbers, width, leaves, buffer);
    }
    let mut left = leaves;
    for _ in 0..width.trailing_zeros() {
        left = neighbours::halve_all::<T, O>(left);
    }
    Ok(left)
}

/// Fills half of the leaves, which it returns, with pairs of neighbours of contiguous rows of `width` elements, a power of
/// two. It is faster than a leaf for each element in most cases (docs/tuning/cpu.md).
#[inline(always)]
fn fill_halves<'p, T: Element, O: Op<T>>(
    op: O,
    x: &[T],
    width: usize,
    leaves: &'p mut [O::Acc],
) -> &'p mut [O::Acc] {
    let half = leaves.len() / 2;
    let index = |at: usize| (at & (width - 1)) as u64;
    let ((blocks, rest), whole) = (x.as_chunks::<{ 2 * PARTIAL_LANES }>(), half - half % PARTIAL_LANES);
    for (block, first) in blocks.iter().zip((0..).step_by(PARTIAL_LANES)) {
        let lifted = |k: usize| op.lift(block[k], index(2 * first + k));
        let pairs: [O::Acc; PARTIAL_LANES] =
            std::array::from_fn(|k| O::combine(lifted(2 * k), lifted(2 * k + 1)));
        leaves[first..first + PARTIAL_LANES].copy_from_slice(&pairs);
    }
    for (pair, at) in rest.chunks_exact(2).zip(whole..half) {
        leaves[at] = O::combine(op.lift(pair[0], index(2 * at)), op.lift(pair[1], index(2 * at + 1)));
    }
    &mut leaves[..half]
}

/// Fills the leaves of rows of up to `width` elements, one for each element.
#[inline(always)]
fn fill<T: Element, O: Op<T>, R: Rows<T>>(
    op: O,
    rows: &R,
    numbers: Range<usize>,
    width: usize,
    leaves: &mut [O::Acc],
    buffer: &mut Vec<T>,
) {
    if width == 4 {
        let (leaves, _) = leaves.as_chunks_mut::<4>();
        for (row, leaves) in numbers.zip(leaves) {
            match rows.from(row).first_chunk::<4>() {
                // The length is a constant, so that no loop is left.
                Some(x) => {
                    let len = rows.len(row);
                    for index in 0..4 {
                        leaves[index] =
                            if index < len { op.lift(x[index], index as u64) } else { O::IDENTITY };
                    }
                }
                None => {
                    leaves.fill(O::IDENTITY);
                    fill_row(op, rows, row, leaves, buffer);
                }
            }
        }
        return;
    }
    if const { size_of::<O::Acc>() > EIGHTS_ACC } || width < PARTIAL_LANES {
        leaves.fill(O::IDENTITY);
        for (row, leaves) in numbers.zip(leaves.chunks_exact_mut(width)) {
            fill_row(op, rows, row, leaves, buffer);
        }
        return;
    }
    for (row, leaves) in numbers.zip(leaves.chunks_exact_mut(width)) {
        let Some(x) = rows.from(row).get(..width) else {
            leaves.fill(O::IDENTITY);
            fill_row(op, rows, row, leaves, buffer);
            continue;
        };
        fill_window(op, leaves, x, 0, rows.len(row).min(width) as u32);
    }
}

/// Fills the leaves of a row's elements, if there are enough. The leaves hold the identity.
#[inline(always)]
fn fill_row<T: Element, O: Op<T>, R: Rows<T>>(
    op: O,
    rows: &R,
    row: usize,
    leaves: &mut [O::Acc],
    buffer: &mut Vec<T>,
) {
    let len = rows.len(row);
    if len <= leaves.len() {
        for ((leaf, &x), index) in leaves.iter_mut().zip(rows.elements(row, 0..len, buffer)).zip(0..) {
            *leaf = op.lift(x, index);
        }
    }
}

/// Fills the leaves of rows of up to `most` elements with folds of [`PARTIAL_LANES`] elements each.
#[inline(always)]
fn fill_eights<T: Element, O: Op<T>, R: Rows<T>>(
    op: O,
    rows: &R,
    numbers: Range<usize>,
    most: usize,
    width: usize,
    leaves: &mut [O::Acc],
    buffer: &mut Vec<T>,
) {
    for (row, leaves) in numbers.zip(leaves.chunks_exact_mut(width)) {
        let len = rows.len(row);
        if len > most {
            continue;
        }
        let x = rows.elements(row, 0..len, buffer);
        let (leaves, _) = leaves.as_chunks_mut::<{ STRIPE / PARTIAL_LANES }>();
        let (whole, rest) = x.as_chunks::<STRIPE>();
        for ((leaf, x), base) in leaves.iter_mut().zip(whole).zip((0..).step_by(STRIPE)) {
            // This also keeps the compiler from folding several of these at once, element by element.
            processor::touch_after(x);
            let accs = tiles::append_rows::<T, O, 1>(op, [O::IDENTITY; STRIPE], x, 0, base);
            tiles::fold_lanes::<T, O>(leaf, &accs);
        }
        if let Some((leaf, behind)) = leaves[whole.len()..].split_first_mut() {
            let mut accs = [O::IDENTITY; STRIPE];
            let base = STRIPE * whole.len();
            let window = if R::OF_ONE_LENGTH { None } else { rows.from(row).get(base..base + STRIPE) };
            if let Some(x) = window {
                fill_window(op, &mut accs, x, base as u32, len as u32);
            } else {
                for ((acc, &x), index) in accs.iter_mut().zip(rest).zip(base as u64..) {
                    *acc = op.lift(x, index);
                }
            }
            tiles::fold_lanes::<T, O>(leaf, &accs);
            behind.fill([O::IDENTITY; STRIPE / PARTIAL_LANES]);
        }
    }
}

/// Fills leaves with the elements of a row of `len` elements from index `base` on. `x` has as many elements as there are
/// leaves; the last ones may belong to other rows.
///
/// Lifts all of them, and then replaces the leaves after the row's end: a loop without a branch, which is vectorised. No
/// index exceeds the row's length, because an operator may use it to look up a table. It takes half the time of a loop
/// over each segment's elements (docs/tuning/cpu.md).
#[inline(always)]
fn fill_window<T: Element, O: Op<T>>(op: O, leaves: &mut [O::Acc], x: &[T], base: u32, len: u32) {
    let last = len.saturating_sub(1);
    for ((leaf, &x), index) in leaves.iter_mut().zip(x).zip(base..) {
        let lifted = op.lift(x, u64::from(index.min(last)));
        *leaf = if index < len { lifted } else { O::IDENTITY };
    }
}

/// Fills the leaves of rows with folds of runs of [`RUN`] elements, each left to right.
#[inline(always)]
fn fill_runs<T: Element, O: Op<T>, R: Rows<T>>(
    op: O,
    rows: &R,
    numbers: Range<usize>,
    most: usize,
    width: usize,
    leaves: &mut [O::Acc],
    buffer: &mut Vec<T>,
) {
    leaves.fill(O::IDENTITY);
    for (row, leaves) in numbers.zip(leaves.chunks_exact_mut(width)) {
        let len = rows.len(row);
        if len.div_ceil(RUN) > most {
            continue;
        }
        let runs = rows.elements(row, 0..len, buffer).chunks(RUN).zip((0..).step_by(RUN));
        for (leaf, (run, base)) in leaves.iter_mut().zip(runs) {
            for (&x, index) in run.iter().zip(base..) {
                *leaf = op.append(*leaf, x, index);
            }
        }
    }
}
