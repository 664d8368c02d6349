//! Columns side by side on one thread: neighbouring elements of a row are folded at once, each into its own column.
//!
//! The lanes of a tile are folded in pairs of neighbours: eight lanes in registers, and the results on a stack with one
//! entry for each bit of the number of eights so far, like a binary counter that carries. So memory is read row by row,
//! and little is kept. Missing lanes are the identity.

use std::ops::Range;

use gpu_kernels::tree::{RUN, lanes};
use gpu_kernels::{Element, Op};

use crate::cpu::processor;
use crate::error::Error;
use crate::memory;

/// Columns whose accumulators stay in registers.
const CHUNK: usize = 32;

/// Lanes that are folded in registers.
const EIGHT: usize = 8;

/// Contiguous rows of one length, at equal distances.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'x, T> {
    pub(super) x: &'x [T],
    /// The start of the first row.
    pub(super) offset: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) stride: isize,
    /// Number of rows of each of several such matrices, whose rows follow each other.
    pub(super) inner: usize,
    pub(super) outer_stride: isize,
}

impl<'x, T> Matrix<'x, T> {
    #[inline(always)]
    fn row(&self, row: usize) -> &'x [T] {
        let (outer, row) = if row < self.inner { (0, row) } else { (row / self.inner, row % self.inner) };
        let outer = self.outer_stride.wrapping_mul(outer.cast_signed());
        let first =
            self.offset.wrapping_add_signed(self.stride.wrapping_mul(row.cast_signed()).wrapping_add(outer));
        &self.x[first..first + self.columns]
    }

    /// Returns some of the columns.
    pub(super) fn columns(self, columns: Range<usize>) -> Self {
        Self { offset: self.offset + columns.start, columns: columns.len(), ..self }
    }
}

/// The rows of one tree of lanes: lane `j` folds row `start + j * apart` and every `step`th row after it, up to `run`
/// rows, before `end`.
struct Lanes {
    start: usize,
    end: usize,
    count: usize,
    apart: usize,
    step: usize,
    run: usize,
}

impl Lanes {
    /// Returns the rows of eight lanes, if the lanes are neighbours and each has one row of at least a
    /// chunk.
    #[inline(always)]
    fn eight_rows<'x, T>(&self, matrix: Matrix<'x, T>, first: usize) -> Option<[&'x [T]; EIGHT]> {
        let have_one = self.apart == 1 && self.end - self.start <= self.step;
        if !have_one || first + EIGHT > self.count || matrix.columns < CHUNK {
            return None;
        }
        Some(std::array::from_fn(|lane| matrix.row(self.start + first + lane)))
    }
}

/// Folds the rows of one tile of each column into its element of `accs`. The stack is a reused buffer.
#[inline(always)]
pub(super) fn fold_tile<T: Element, O: Op<T>>(
    op: O,
    matrix: Matrix<'_, T>,
    tile: Range<usize>,
    stack: &mut Vec<O::Acc>,
    accs: &mut [O::Acc],
) -> Result<(), Error> {
    let lanes = lanes::<T>();
    if const { O::COMMUTATIVE } {
        let count = tile.len().min(lanes);
        let lanes = Lanes { start: tile.start, end: tile.end, count, apart: 1, step: lanes, run: usize::MAX };
        return fold_lanes::<T, O>(op, matrix, &lanes, stack, accs);
    }
    accs.fill(O::IDENTITY);
    let mut band_accs = memory::filled(O::IDENTITY, accs.len())?;
    for start in tile.clone().step_by(RUN * lanes) {
        let end = tile.end.min(start + RUN * lanes);
        let count = (end - start).div_ceil(RUN);
        let lanes = Lanes { start, end, count, apart: RUN, step: 1, run: RUN };
        fold_lanes::<T, O>(op, matrix, &lanes, stack, &mut band_accs)?;
        for (acc, &band) in accs.iter_mut().zip(&band_accs) {
            *acc = O::combine(*acc, band);
        }
    }
    Ok(())
}

/// Folds one tree of lanes for each column.
#[inline(always)]
fn fold_lanes<T: Element, O: Op<T>>(
    op: O,
    matrix: Matrix<'_, T>,
    lanes: &Lanes,
    stack: &mut Vec<O::Acc>,
    accs: &mut [O::Acc],
) -> Result<(), Error> {
    let width = matrix.columns.max(CHUNK);
    let eights = lanes.count.div_ceil(EIGHT);
    // The last chunk overlaps the one before it, and computes the same results for the shared columns.
    let last = width - CHUNK;
    let chunks = || (0..last).step_by(CHUNK).chain(std::iter::once(last));
    if eights == 1 {
        let rows = lanes.eight_rows(matrix, 0);
        for column in chunks() {
            let acc = match &rows {
                Some(rows) => fold_rows::<T, O>(op, rows, rows, lanes.start, column),
                None => fold_eight::<T, O>(op, matrix, lanes, 0, column),
            };
            put(accs, column, &acc);
        }
        return Ok(());
    }
    let levels = (usize::BITS - eights.leading_zeros()) as usize;
    if stack.len() < levels * width {
        memory::resize(stack, levels * width, O::IDENTITY)?;
    }
    for eight in 0..eights {
        let rows = lanes.eight_rows(matrix, eight * EIGHT);
        let ahead = lanes.eight_rows(matrix, (eight + 1) * EIGHT).or(rows);
        for column in chunks() {
            let mut acc = match (&rows, &ahead) {
                (Some(rows), Some(ahead)) => {
                    fold_rows::<T, O>(op, rows, ahead, lanes.start + eight * EIGHT, column)
                }
                _ => fold_eight::<T, O>(op, matrix, lanes, eight * EIGHT, column),
            };
            let mut level = 0;
            while eight >> level & 1 == 1 {
                join_before::<T, O>(&stack[level * width + column..], &mut acc);
                level += 1;
            }
            stack[level * width + column..][..CHUNK].copy_from_slice(&acc);
        }
    }
    for column in chunks() {
        let mut acc = [O::IDENTITY; CHUNK];
        for level in (0..levels).filter(|level| eights >> level & 1 == 1) {
            join_before::<T, O>(&stack[level * width + column..], &mut acc);
        }
        put(accs, column, &acc);
    }
    Ok(())
}

/// Writes the accumulators of a chunk of columns, up to the last column.
#[inline(always)]
fn put<A: Copy>(accs: &mut [A], column: usize, acc: &[A; CHUNK]) {
    match accs[column..].first_chunk_mut() {
        Some(outs) => *outs = *acc,
        None => put_few(&mut accs[column..], acc),
    }
}

/// Writes the accumulators of less than a chunk. Apart, because the compiler would make one call of `memmove` of this and of
/// whole chunks, which are in registers.
#[cold]
#[inline(never)]
fn put_few<A: Copy>(places: &mut [A], acc: &[A; CHUNK]) {
    places.copy_from_slice(&acc[..places.len()]);
}

/// Folds eight rows of a chunk of columns in pairs of neighbours. Each row is a lane; the first one has the index `first`.
/// Prefetches the same chunk of the rows `ahead`.
#[inline(always)]
fn fold_rows<T: Element, O: Op<T>>(
    op: O,
    rows: &[&[T]; EIGHT],
    ahead: &[&[T]; EIGHT],
    first: usize,
    column: usize,
) -> [O::Acc; CHUNK] {
    let mut accs = [O::IDENTITY; CHUNK];
    let [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g), Some(h)] =
        rows.map(|row| row[column..].first_chunk::<CHUNK>())
    else {
        return accs;
    };
    for row in ahead {
        processor::prefetch_after(&row[..column], 0..CHUNK);
    }
    for j in 0..CHUNK {
        let two = |left: T, right: T, at: usize| {
            let at = (first + at) as u64;
            O::combine(op.append(O::IDENTITY, left, at), op.append(O::IDENTITY, right, at + 1))
        };
        let left = O::combine(two(a[j], b[j], 0), two(c[j], d[j], 2));
        let right = O::combine(two(e[j], f[j], 4), two(g[j], h[j], 6));
        accs[j] = O::combine(left, right);
    }
    accs
}

/// Folds eight lanes of a chunk of columns, and combines them in pairs of neighbours.
#[inline(always)]
fn fold_eight<T: Element, O: Op<T>>(
    op: O,
    matrix: Matrix<'_, T>,
    lanes: &Lanes,
    first: usize,
    column: usize,
) -> [O::Acc; CHUNK] {
    let mut left = [O::IDENTITY; CHUNK];
    fold_four::<T, O>(op, matrix, lanes, first, column, &mut left);
    let mut right = [O::IDENTITY; CHUNK];
    if first + EIGHT / 2 < lanes.count {
        fold_four::<T, O>(op, matrix, lanes, first + EIGHT / 2, column, &mut right);
        join::<T, O>(&mut left, &right);
    }
    left
}

#[inline(always)]
fn fold_four<T: Element, O: Op<T>>(
    op: O,
    matrix: Matrix<'_, T>,
    lanes: &Lanes,
    first: usize,
    column: usize,
    accs: &mut [O::Acc; CHUNK],
) {
    fold_two::<T, O>(op, matrix, lanes, first, column, accs);
    let mut right = [O::IDENTITY; CHUNK];
    if first + 2 < lanes.count {
        fold_two::<T, O>(op, matrix, lanes, first + 2, column, &mut right);
        join::<T, O>(accs, &right);
    }
}

#[inline(always)]
fn fold_two<T: Element, O: Op<T>>(
    op: O,
    matrix: Matrix<'_, T>,
    lanes: &Lanes,
    first: usize,
    column: usize,
    accs: &mut [O::Acc; CHUNK],
) {
    fold_lane::<T, O>(op, matrix, lanes, first, column, accs);
    let mut right = [O::IDENTITY; CHUNK];
    if first + 1 < lanes.count {
        fold_lane::<T, O>(op, matrix, lanes, first + 1, column, &mut right);
        join::<T, O>(accs, &right);
    }
}

/// Folds one lane, left to right, into accumulators that hold the identity.
#[inline(always)]
fn fold_lane<T: Element, O: Op<T>>(
    op: O,
    matrix: Matrix<'_, T>,
    lanes: &Lanes,
    lane: usize,
    column: usize,
    accs: &mut [O::Acc; CHUNK],
) {
    let first = lanes.start + lane * lanes.apart;
    let mut row = first;
    while row < lanes.end && row - first < lanes.run {
        // The next eight lanes: hardware prefetchers do not detect rows of eight at a time. It saves at least a fifth
        // of the time (docs/tuning/cpu.md).
        let ahead = row + EIGHT * lanes.apart;
        if ahead < lanes.end {
            processor::prefetch_after(&matrix.row(ahead)[..column], 0..CHUNK);
        }
        let x = chunk(matrix.row(row), column);
        for j in 0..CHUNK {
            accs[j] = op.append(accs[j], x[j], row as u64);
        }
        row += lanes.step;
    }
}

/// Returns a chunk of a row. If there are too few columns, the last one is repeated.
#[inline(always)]
fn chunk<T: Element>(row: &[T], column: usize) -> [T; CHUNK] {
    match row[column..].first_chunk() {
        Some(x) => *x,
        None => std::array::from_fn(|j| row[(column + j).min(row.len() - 1)]),
    }
}

/// Combines two chunks, column by column, into the left one.
#[inline(always)]
fn join<T: Element, O: Op<T>>(left: &mut [O::Acc; CHUNK], right: &[O::Acc; CHUNK]) {
    for j in 0..CHUNK {
        left[j] = O::combine(left[j], right[j]);
    }
}

/// Combines earlier accumulators of a chunk with it, column by column.
#[inline(always)]
fn join_before<T: Element, O: Op<T>>(left: &[O::Acc], right: &mut [O::Acc; CHUNK]) {
    let left = &left[..CHUNK];
    for j in 0..CHUNK {
        right[j] = O::combine(left[j], right[j]);
    }
}
