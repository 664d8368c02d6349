//! Rows of a matrix, and chunks.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::Rows;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::layout::len_of;
use crate::memory;

/// Contiguous rows of one length.
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
    fn from(&self, row: usize) -> &[T] {
        &self.x[self.before(row)..]
    }
    #[inline(always)]
    fn neighbours(&self, rows: Range<usize>) -> Option<&[T]> {
        self.x.get(self.before(rows.start)..self.before(rows.end))
    }
}

impl Cpu {
    /// Folds each row: see [`crate::rows`].
    pub(crate) fn rows<T: Element, O: Op<T>>(
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

    /// Folds each chunk: see [`crate::chunks`].
    pub(crate) fn chunks<T: Element, O: Op<T>>(
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
        let chunks = Chunks { x: whole, count, len };
        if rest.is_empty() {
            return self.reduce_each(op, &chunks);
        }
        let mut outs = self.reduce_each(op, &chunks)?;
        memory::push(&mut outs, self.reduce_slice(op, rest)?)?;
        Ok(outs)
    }
}
