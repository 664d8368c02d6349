//! Segments of any lengths, by where they begin and end.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::Rows;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::index_type::{IndexType, longest_segment};

/// Segments whose offsets were found to ascend, within the elements.
pub(super) struct Segments<'x, T, I> {
    x: &'x [T],
    offsets: &'x [I],
    longest: usize,
}

impl<'x, T, I: IndexType> Segments<'x, T, I> {
    /// # Errors
    /// [`Error::Offset`] if an offset is less than the one before it, negative, or more than the number of elements.
    pub(super) fn new(x: &'x [T], offsets: &'x [I]) -> Result<Self, Error> {
        Ok(Self { x, offsets, longest: longest_segment(offsets, x.len())? })
    }

    #[inline(always)]
    fn offset(&self, at: usize) -> usize {
        // Each was found to be an index.
        self.offsets.get(at).and_then(|offset| offset.index()).unwrap_or(0)
    }
}

impl<T: Element, I: IndexType> Rows<T> for Segments<'_, T, I> {
    const OF_ONE_LENGTH: bool = false;

    fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }
    #[inline(always)]
    fn before(&self, row: usize) -> usize {
        self.offset(row) - self.offset(0)
    }
    #[inline(always)]
    fn len(&self, row: usize) -> usize {
        self.offset(row + 1) - self.offset(row)
    }
    #[inline(always)]
    fn longest(&self) -> usize {
        self.longest
    }
    #[inline(always)]
    fn elements<'a>(&'a self, row: usize, range: Range<usize>, _: &'a mut Vec<T>) -> &'a [T] {
        let first = self.offset(row);
        &self.x[first + range.start..first + range.end]
    }
}

impl Cpu {
    /// Folds segments of any lengths, and gives a result for each: segment `s` is `x[offsets[s]..offsets[s + 1]]`, so
    /// there is one segment less than offsets. Elements before the first offset and after the last are left out. Each
    /// result has the bits of [`reduce`](Self::reduce) of that segment alone; an index counts from the segment's first
    /// element.
    ///
    /// # Errors
    /// [`Error::Offset`] if an offset is less than the one before it, negative, or more than the number of elements;
    /// otherwise as [`reduce_rows`](Self::reduce_rows).
    ///
    /// ```
    /// use warpfold::{Cpu, Sum};
    ///
    /// let x = [1, 2, 3, 4, 5];
    /// assert_eq!(Cpu::new().reduce_segments::<i32, Sum, u32>(&x, &[0, 3, 3, 5])?, [6, 0, 9]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_segments<T: Element, O: Op<T> + Default, I: IndexType>(
        &self,
        x: &[T],
        offsets: &[I],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_segments_by(O::default(), x, offsets)
    }

    /// [`reduce_segments`](Self::reduce_segments) with an operator that is a value.
    ///
    /// # Errors
    /// As [`reduce_segments`](Self::reduce_segments).
    pub fn reduce_segments_by<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        x: &[T],
        offsets: &[I],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_each(op, &Segments::new(x, offsets)?)
    }
}
