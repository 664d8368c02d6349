//! Rows of one length that overlap or are apart: windows.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::Rows;
use crate::cpu::Cpu;
use crate::error::Error;

/// `count` rows of `len` elements, whose first elements are `step` apart.
pub(crate) struct Overlapping<'x, T> {
    pub(crate) x: &'x [T],
    pub(crate) count: usize,
    pub(crate) len: usize,
    pub(crate) step: usize,
}

impl<T: Element> Rows<T> for Overlapping<'_, T> {
    const OF_ONE_LENGTH: bool = true;

    fn count(&self) -> usize {
        self.count
    }
    #[inline(always)]
    fn before(&self, row: usize) -> usize {
        row.saturating_mul(self.len)
    }
    #[inline(always)]
    fn longest(&self) -> usize {
        self.len
    }
    #[inline(always)]
    fn elements<'a>(&'a self, row: usize, range: Range<usize>, _: &'a mut Vec<T>) -> &'a [T] {
        let first = row * self.step;
        &self.x[first + range.start..first + range.end]
    }
}

impl Cpu {
    /// Folds each row, for modules that do not see [`Rows`].
    pub(crate) fn reduce_overlapping<T: Element, O: Op<T>>(
        &self,
        op: O,
        rows: &Overlapping<'_, T>,
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_each(op, rows)
    }
}
