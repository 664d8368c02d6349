//! A rank's part of an array, as it is folded: one sequence, or several side by side.

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::Pod;
use gpu_kernels::{Element, Op, tree};

use crate::cpu::Cpu;
use crate::error::Error;
use crate::memory;
use crate::unfinished::Unfinished;

/// Sequences side by side that are divided at the same rows, for an operator that can fold them. A row has an element
/// of each.
pub(crate) trait Part<T: Element, O: Op<T>> {
    /// Returns the number of rows on this rank.
    fn rows(&self) -> usize;

    /// Returns the number of sequences.
    fn width(&self) -> usize;

    /// Folds some rows of `n` in all. The first begins a tile and has the index `first`. Returns a row of totals for
    /// each tile.
    fn tiles(&self, cpu: &Cpu, op: O, rows: Range<usize>, first: u64, n: u64) -> Result<Vec<O::Acc>, Error>;

    /// Folds all rows with a free operator. The first row has the index `first`.
    fn in_any_order(&self, cpu: &Cpu, op: O, first: u64) -> Result<Vec<O::Acc>, Error>;

    /// Returns some rows, one after the other.
    fn elements(&self, rows: Range<usize>) -> Result<Cow<'_, [T]>, Error>;
}

/// One sequence, whose pieces can be folded too.
pub(crate) trait Sequence<T: Element, O: Op<T>>: Part<T, O> + Sized {
    /// Returns the elements of `range`.
    fn within(&self, range: Range<usize>) -> Result<Self, Error>;

    /// Folds the elements between offsets, which ascend within the sequence.
    fn segments(&self, cpu: &Cpu, op: O, offsets: &[u64]) -> Result<Vec<O::Acc>, Error>;
}

/// Returns the length of a tile of `n` elements.
fn tile_len<T>(n: u64) -> usize {
    usize::try_from(tree::tile_len::<T>(n)).unwrap_or(usize::MAX)
}

impl<T: Element, O: Op<T>> Part<T, O> for &[T] {
    fn rows(&self) -> usize {
        self.len()
    }
    fn width(&self) -> usize {
        1
    }
    fn tiles(&self, cpu: &Cpu, op: O, rows: Range<usize>, first: u64, n: u64) -> Result<Vec<O::Acc>, Error> {
        cpu.fold_parts(op, &self[rows], tile_len::<T>(n), first)
    }
    fn in_any_order(&self, cpu: &Cpu, op: O, first: u64) -> Result<Vec<O::Acc>, Error> {
        Ok(vec![cpu.reduce_slice(Unfinished { op, first }, self)?])
    }
    fn elements(&self, rows: Range<usize>) -> Result<Cow<'_, [T]>, Error> {
        Ok(Cow::Borrowed(&self[rows]))
    }
}

impl<T: Element, O: Op<T>> Sequence<T, O> for &[T] {
    fn within(&self, range: Range<usize>) -> Result<Self, Error> {
        Ok(&self[range])
    }
    fn segments(&self, cpu: &Cpu, op: O, offsets: &[u64]) -> Result<Vec<O::Acc>, Error> {
        cpu.segments(Unfinished { op, first: 0 }, self, offsets)
    }
}

/// Two arrays of equal length, as pairs of their elements.
pub(super) struct Pairs<'a, T>(pub(super) &'a [T], pub(super) &'a [T]);

impl<T: Element + Pod, O: Op<[T; 2]>> Part<[T; 2], O> for Pairs<'_, T> {
    fn rows(&self) -> usize {
        self.0.len()
    }
    fn width(&self) -> usize {
        1
    }
    fn tiles(&self, cpu: &Cpu, op: O, rows: Range<usize>, first: u64, n: u64) -> Result<Vec<O::Acc>, Error> {
        let tile_len = tile_len::<[T; 2]>(n);
        cpu.fold_pair_tiles(op, &self.0[rows.clone()], &self.1[rows], tile_len, first)
    }
    fn in_any_order(&self, cpu: &Cpu, op: O, first: u64) -> Result<Vec<O::Acc>, Error> {
        Ok(vec![cpu.pairs(Unfinished { op, first }, self.0, self.1)?])
    }
    fn elements(&self, rows: Range<usize>) -> Result<Cow<'_, [[T; 2]]>, Error> {
        let pairs = self.0[rows.clone()].iter().zip(&self.1[rows.clone()]).map(|(&x, &y)| [x, y]);
        memory::collected(pairs).map(Cow::Owned)
    }
}

/// Rows of a matrix, whose columns are the sequences.
pub(super) struct Matrix<'a, T> {
    pub(super) x: &'a [T],
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl<T: Element, O: Op<T>> Part<T, O> for Matrix<'_, T> {
    fn rows(&self) -> usize {
        self.rows
    }
    fn width(&self) -> usize {
        self.columns
    }
    fn tiles(&self, cpu: &Cpu, op: O, rows: Range<usize>, first: u64, n: u64) -> Result<Vec<O::Acc>, Error> {
        let x = &self.x[rows.start * self.columns..rows.end * self.columns];
        cpu.fold_column_tiles(Unfinished { op, first }, x, self.columns, tile_len::<T>(n))
    }
    fn in_any_order(&self, cpu: &Cpu, op: O, first: u64) -> Result<Vec<O::Acc>, Error> {
        cpu.columns(Unfinished { op, first }, self.x, [self.rows, self.columns])
    }
    fn elements(&self, rows: Range<usize>) -> Result<Cow<'_, [T]>, Error> {
        Ok(Cow::Borrowed(&self.x[rows.start * self.columns..rows.end * self.columns]))
    }
}
