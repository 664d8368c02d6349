//! A rank's part of an array, as it is folded: one sequence, or several side by side.

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::Pod;
use gpu_kernels::{Element, Op};

use super::unfinished::Unfinished;
use crate::{Cpu, Error};

/// Sequences side by side that are divided at the same rows. A row has an element of each.
pub(super) trait Part<T: Element> {
    /// Returns the number of rows on this rank.
    fn rows(&self) -> usize;

    /// Returns the number of sequences.
    fn width(&self) -> usize;

    /// Folds some rows, the first of which begins a tile and has the index `first`. Returns a row of totals for each
    /// tile.
    fn tiles<O: Op<T>>(
        &self,
        cpu: &Cpu,
        op: O,
        rows: Range<usize>,
        tile_len: usize,
        first: u64,
    ) -> Result<Vec<O::Acc>, Error>;

    /// Folds all rows with a free operator.
    fn in_any_order<O: Op<T>>(&self, cpu: &Cpu, op: Unfinished<O>) -> Result<Vec<O::Acc>, Error>;

    /// Returns some rows, one after the other.
    fn elements(&self, rows: Range<usize>) -> Cow<'_, [T]>;
}

impl<T: Element> Part<T> for &[T] {
    fn rows(&self) -> usize {
        self.len()
    }
    fn width(&self) -> usize {
        1
    }
    fn tiles<O: Op<T>>(
        &self,
        cpu: &Cpu,
        op: O,
        rows: Range<usize>,
        tile_len: usize,
        first: u64,
    ) -> Result<Vec<O::Acc>, Error> {
        cpu.fold_parts(op, &self[rows], tile_len, first)
    }
    fn in_any_order<O: Op<T>>(&self, cpu: &Cpu, op: Unfinished<O>) -> Result<Vec<O::Acc>, Error> {
        Ok(vec![cpu.reduce_slice(op, self)?])
    }
    fn elements(&self, rows: Range<usize>) -> Cow<'_, [T]> {
        Cow::Borrowed(&self[rows])
    }
}

/// Two arrays of equal length, as pairs of their elements.
pub(super) struct Pairs<'a, T>(pub(super) &'a [T], pub(super) &'a [T]);

impl<T: Element + Pod> Part<[T; 2]> for Pairs<'_, T> {
    fn rows(&self) -> usize {
        self.0.len()
    }
    fn width(&self) -> usize {
        1
    }
    fn tiles<O: Op<[T; 2]>>(
        &self,
        cpu: &Cpu,
        op: O,
        rows: Range<usize>,
        tile_len: usize,
        first: u64,
    ) -> Result<Vec<O::Acc>, Error> {
        cpu.fold_pair_tiles(op, &self.0[rows.clone()], &self.1[rows], tile_len, first)
    }
    fn in_any_order<O: Op<[T; 2]>>(&self, cpu: &Cpu, op: Unfinished<O>) -> Result<Vec<O::Acc>, Error> {
        Ok(vec![cpu.pairs(op, self.0, self.1)?])
    }
    fn elements(&self, rows: Range<usize>) -> Cow<'_, [[T; 2]]> {
        self.0[rows.clone()].iter().zip(&self.1[rows]).map(|(&x, &y)| [x, y]).collect()
    }
}

/// Rows of a matrix, whose columns are the sequences.
pub(super) struct Matrix<'a, T> {
    pub(super) x: &'a [T],
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl<T: Element> Part<T> for Matrix<'_, T> {
    fn rows(&self) -> usize {
        self.rows
    }
    fn width(&self) -> usize {
        self.columns
    }
    fn tiles<O: Op<T>>(
        &self,
        cpu: &Cpu,
        op: O,
        rows: Range<usize>,
        tile_len: usize,
        first: u64,
    ) -> Result<Vec<O::Acc>, Error> {
        cpu.fold_column_tiles(Unfinished { op, first }, &self.elements(rows), self.columns, tile_len)
    }
    fn in_any_order<O: Op<T>>(&self, cpu: &Cpu, op: Unfinished<O>) -> Result<Vec<O::Acc>, Error> {
        cpu.columns(op, self.x, [self.rows, self.columns])
    }
    fn elements(&self, rows: Range<usize>) -> Cow<'_, [T]> {
        Cow::Borrowed(&self.x[rows.start * self.columns..rows.end * self.columns])
    }
}
