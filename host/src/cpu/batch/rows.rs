//! Rows of a matrix, and other pieces of one length.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::Rows;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::layout::len_of;

/// Rows of one length, one after the other.
struct Chunks<'x, T> {
    x: &'x [T],
    count: usize,
    len: usize,
}

impl<T: Element> Rows<T> for Chunks<'_, T> {
    const OF_ONE_LENGTH: bool = true;

    fn count(&self) -> usize {
        self.count
    }
    #[inline(always)]
    fn before(&self, row: usize) -> usize {
        row * self.len
    }
    #[inline(always)]
    fn longest(&self) -> usize {
        self.len
    }
    #[inline(always)]
    fn elements<'a>(&'a self, row: usize, range: Range<usize>, _: &'a mut Vec<T>) -> &'a [T] {
        let first = self.before(row);
        &self.x[first + range.start..first + range.end]
    }
    #[inline(always)]
    fn neighbours(&self, rows: Range<usize>) -> Option<&[T]> {
        self.x.get(self.before(rows.start)..self.before(rows.end))
    }
}

impl Cpu {
    /// Folds each row of a row-major matrix, and gives a result for each. Each has the bits of
    /// [`reduce`](Self::reduce) of that row alone, and an index in it counts from the row's first element.
    ///
    /// # Errors
    /// [`Error::Shape`] if rows times columns is not the number of elements; [`Error::TooManyResults`] if there is no
    /// memory for the results; [`Error::FloatEnvironment`] as for [`reduce`](Self::reduce).
    ///
    /// ```
    /// use warpfold::{ArgMin, Cpu, Sum};
    ///
    /// let x = [1.0, 2.0, 4.0, 0.5, 0.25, 0.125];
    /// assert_eq!(Cpu::new().reduce_rows::<f32, Sum>(&x, [2, 3])?, [7.0, 0.875]);
    /// let least = Cpu::new().reduce_rows::<f32, ArgMin>(&x, [2, 3])?;
    /// assert_eq!(least.iter().flatten().map(|at| at.index).collect::<Vec<_>>(), [0, 2]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_rows<T: Element, O: Op<T> + Default>(
        &self,
        x: &[T],
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_rows_by(O::default(), x, shape)
    }

    /// [`reduce_rows`](Self::reduce_rows) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_rows`](Self::reduce_rows).
    pub fn reduce_rows_by<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        let [rows, columns] = shape;
        if len_of(&shape) != Some(x.len()) {
            return Err(Error::Shape { shape: shape.into(), given: x.len() as u64 });
        }
        self.reduce_each(op, &Chunks { x, count: rows, len: columns })
    }

    /// Folds each `len` elements of `x`, and at its end what is left, and gives a result for each: those of the chunks
    /// of [`slice::chunks`], each with the bits of [`reduce`](Self::reduce) of that chunk alone.
    ///
    /// # Errors
    /// [`Error::ChunkLength`] if `len` is 0; otherwise as [`reduce_rows`](Self::reduce_rows).
    ///
    /// ```
    /// use warpfold::{Cpu, Sum};
    ///
    /// assert_eq!(Cpu::new().reduce_chunks::<i32, Sum>(&[1, 2, 3, 4, 5], 2)?, [3, 7, 5]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_chunks<T: Element, O: Op<T> + Default>(
        &self,
        x: &[T],
        len: usize,
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_chunks_by(O::default(), x, len)
    }

    /// [`reduce_chunks`](Self::reduce_chunks) with an operator that is a value.
    ///
    /// # Errors
    /// As [`reduce_chunks`](Self::reduce_chunks).
    pub fn reduce_chunks_by<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        len: usize,
    ) -> Result<Vec<O::Out>, Error> {
        if len == 0 {
            return Err(Error::ChunkLength);
        }
        let (count, rest) = (x.len() / len, x.len() % len);
        let (whole, rest) = x.split_at(x.len() - rest);
        let mut outs = self.reduce_each(op, &Chunks { x: whole, count, len })?;
        if !rest.is_empty() {
            outs.push(self.reduce_by(op, rest)?);
        }
        Ok(outs)
    }
}
