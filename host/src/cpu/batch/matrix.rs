//! Columns of one or several matrices, shared between threads.

use std::mem::MaybeUninit;
use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::narrow;
use super::side_by_side::{self, Matrix};
use crate::cpu::unwritten::Unwritten;
use crate::cpu::{Cpu, TASK_BYTES, is_large, neighbours, part_len, processor, share};
use crate::error::Error;
use crate::{float_environment, memory};

/// Bytes of a row that are folded side by side: their accumulators stay in the first-level cache, and memory is read in
/// pieces of this length.
const PIECE_BYTES: usize = 4096;

/// Least columns of a matrix with only one row.
const WIDE: usize = 32;

/// Returns whether columns are folded side by side: if there are several, they are not empty, and their accumulators
/// are not large.
pub(super) fn is<A>(rows: usize, columns: usize) -> bool {
    columns > 1 && (rows > 1 || rows == 1 && columns >= WIDE) && !is_large::<A>()
}

/// Matrices of one shape, with the offset of each.
pub(super) struct Matrices<'x, T, F> {
    pub(super) first: Matrix<'x, T>,
    pub(super) count: usize,
    pub(super) offset: F,
}

impl<'x, T: Element, F: Fn(usize) -> usize + Sync> Matrices<'x, T, F> {
    fn get(&self, number: usize) -> Matrix<'x, T> {
        Matrix { offset: (self.offset)(number), ..self.first }
    }
}

/// Folds the tiles of some rows of a matrix, each into its row of accumulators.
struct Tiles<'a, T: Element, O: Op<T>> {
    op: O,
    matrix: Matrix<'a, T>,
    rows: Range<usize>,
    tile_len: usize,
    /// A row of accumulators for each tile.
    accs: &'a mut [O::Acc],
}

impl<T: Element, O: Op<T>> processor::Job for Tiles<'_, T, O> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, _: impl processor::Processor) -> Result<(), Error> {
        let piece = (PIECE_BYTES / size_of::<T>()).max(1);
        let columns = self.matrix.columns;
        let (mut stack, starts) = (Vec::new(), self.rows.clone().step_by(self.tile_len));
        for (start, accs) in starts.zip(self.accs.chunks_mut(columns)) {
            let tile = start..self.rows.end.min(start.saturating_add(self.tile_len));
            if narrow::is::<T, O>(self.matrix) {
                narrow::fold_tile::<T, O>(self.op, self.matrix, tile, &mut stack, accs)?;
                continue;
            }
            for (first, accs) in (0..columns).step_by(piece).zip(accs.chunks_mut(piece)) {
                let piece = self.matrix.columns(first..first + accs.len());
                side_by_side::fold_tile::<T, O>(self.op, piece, tile.clone(), &mut stack, accs)?;
            }
        }
        Ok(())
    }
}

/// Folds the columns of a matrix of one tile, and finishes.
struct Finished<'a, T: Element, O: Op<T>> {
    op: O,
    matrix: Matrix<'a, T>,
    outs: &'a mut [MaybeUninit<O::Out>],
}

impl<T: Element, O: Op<T>> processor::Job for Finished<'_, T, O> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, on: impl processor::Processor) -> Result<(), Error> {
        let piece = (PIECE_BYTES / size_of::<T>()).max(1);
        let mut accs = memory::filled(O::IDENTITY, piece.min(self.outs.len()))?;
        let rows = self.matrix.rows;
        for (first, outs) in (0..).step_by(piece).zip(self.outs.chunks_mut(piece)) {
            let matrix = self.matrix.columns(first..first + outs.len());
            let accs = &mut accs[..outs.len()];
            on.part(Tiles { op: self.op, matrix, rows: 0..rows, tile_len: usize::MAX, accs })?;
            for (out, &acc) in outs.iter_mut().zip(&*accs) {
                out.write(O::finish(acc, rows as u64));
            }
        }
        Ok(())
    }
}

/// Folds rows of accumulators, one for each tile, in pairs of neighbours.
struct Joined<'a, A> {
    table: &'a mut [A],
    columns: usize,
    combine: fn(A, A) -> A,
}

impl Cpu {
    /// Folds each column of each matrix, and finishes. The matrices are not empty.
    pub(super) fn reduce_matrices<T: Element, O: Op<T>, F: Fn(usize) -> usize + Sync>(
        &self,
        op: O,
        matrices: &Matrices<'_, T, F>,
    ) -> Result<Vec<O::Out>, Error> {
        float_environment::check()?;
        let Matrix { rows, columns, .. } = matrices.first;
        let mut outs = Unwritten::<O::Out>::new(matrices.count * columns)?;
        let bytes = rows.saturating_mul(columns).saturating_mul(size_of::<T>());
        // Counting the threads starts them, so small inputs avoid it.
        let tasks = bytes.saturating_mul(matrices.count) / TASK_BYTES;
        let threads = if tasks < 2 { 1 } else { self.threads().min(tasks) };
        if rows <= part_len::<T>(rows as u64) {
            // A task is several whole matrices or, if they are large, some columns of one.
            let together = (TASK_BYTES / bytes).max(1);
            let wide = if bytes < 2 * TASK_BYTES { columns } else { pieces::<T>(TASK_BYTES / rows, columns) };
            let groups = outs.slots().chunks_mut(together * columns).zip((0..).step_by(together));
            let tasks = groups.flat_map(|(outs, number)| {
                let width = if together == 1 { wide } else { outs.len() };
                outs.chunks_mut(width)
                    .zip((0..).step_by(width))
                    .map(move |(outs, column)| (outs, number, column))
            });
            share(self.pool.as_deref(), threads - 1, tasks, |(outs, number, column)| {
                float_environment::check()?;
                for (outs, number) in outs.chunks_mut(columns).zip(number..) {
                    let matrix = matrices.get(number).columns(column..column + outs.len());
                    processor::widest(Finished::<T, O> { op, matrix, outs })?;
                }
                Ok::<_, Error>(())
            })?;
        } else {
            for (outs, number) in outs.slots().chunks_mut(columns).zip(0..) {
                self.reduce_tiles(op, matrices.get(number), threads, outs)?;
            }
        }
        // SAFETY: all slots were cut into chunks, and the job or call of each chunk wrote all of it.
        Ok(unsafe { outs.written() })
    }

    /// Folds each column of a matrix of several tiles, and finishes.
    fn reduce_tiles<T: Element, O: Op<T>>(
        &self,
        op: O,
        matrix: Matrix<'_, T>,
        threads: usize,
        outs: &mut [MaybeUninit<O::Out>],
    ) -> Result<(), Error> {
        let Matrix { rows, columns, .. } = matrix;
        let mut table = self.fold_tiles_of_columns(op, matrix, part_len::<T>(rows as u64), threads)?;
        processor::widest(Joined { table: &mut table, columns, combine: O::combine });
        for (out, &acc) in outs.iter_mut().zip(&table) {
            out.write(O::finish(acc, rows as u64));
        }
        Ok(())
    }

    /// Folds each `tile_len` rows of a row-major matrix, of at least one column. Returns a row of accumulators for
    /// each.
    pub(crate) fn fold_column_tiles<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        columns: usize,
        tile_len: usize,
    ) -> Result<Vec<O::Acc>, Error> {
        let rows = x.len() / columns;
        if is_large::<O::Acc>() {
            let mut table = memory::filled(O::IDENTITY, rows.div_ceil(tile_len) * columns)?;
            for column in 0..columns {
                let x = memory::collected(x[column..].iter().step_by(columns).copied())?;
                let accs = self.fold_parts(op, &x, tile_len, 0)?;
                for (slot, acc) in table[column..].chunks_mut(columns).zip(accs.chunks(1)) {
                    slot[..1].copy_from_slice(acc);
                }
            }
            return Ok(table);
        }
        let stride = columns.cast_signed();
        let matrix = Matrix { x, offset: 0, rows, columns, stride, inner: rows, outer_stride: 0 };
        self.fold_tiles_of_columns(op, matrix, tile_len, self.threads_for(size_of_val(x)))
    }

    /// Folds the tiles of each column of a matrix. Returns a row of accumulators for each tile.
    fn fold_tiles_of_columns<T: Element, O: Op<T>>(
        &self,
        op: O,
        matrix: Matrix<'_, T>,
        tile_len: usize,
        threads: usize,
    ) -> Result<Vec<O::Acc>, Error> {
        float_environment::check()?;
        let Matrix { rows, columns, .. } = matrix;
        let mut table = memory::filled(O::IDENTITY, rows.div_ceil(tile_len) * columns)?;
        // A task is several whole tiles or, if they are large, some columns of one.
        let bytes = tile_len.saturating_mul(columns).saturating_mul(size_of::<T>());
        let together = (TASK_BYTES / bytes).max(1);
        let wide = if bytes < 2 * TASK_BYTES { columns } else { pieces::<T>(TASK_BYTES / tile_len, columns) };
        let groups =
            table.chunks_mut(together * columns).zip((0_usize..).step_by(together.saturating_mul(tile_len)));
        let tasks = groups.flat_map(|(accs, start)| {
            let width = if together == 1 { wide } else { accs.len() };
            accs.chunks_mut(width).zip((0..).step_by(width)).map(move |(accs, column)| (accs, start, column))
        });
        share(self.pool.as_deref(), threads - 1, tasks, |(accs, start, column)| {
            float_environment::check()?;
            let matrix = matrix.columns(column..column + accs.len().min(columns - column));
            let rows = start..rows.min(start.saturating_add(together.saturating_mul(tile_len)));
            processor::widest(Tiles::<T, O> { op, matrix, rows, tile_len, accs })
        })?;
        Ok(table)
    }
}

/// Returns the number of columns whose row has about `bytes` bytes, in whole pieces.
fn pieces<T>(bytes: usize, columns: usize) -> usize {
    let piece = (PIECE_BYTES / size_of::<T>()).max(1);
    (bytes / PIECE_BYTES).max(1).saturating_mul(piece).min(columns)
}

impl<A: Copy> processor::Job for Joined<'_, A> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl processor::Processor) {
        neighbours::fold_rows(self.table, self.columns, self.combine);
    }
}
