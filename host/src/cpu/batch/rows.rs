//! Rows of a matrix, and chunks.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::Rows;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::layout::len_of;
use crate::memory;

/// Contiguous rows of one length.
pub(in crate::cpu) struct Chunks<'x, T> {
    pub(in crate::cpu) x: &'x [T],
    pub(in crate::cpu) count: usize,
    pub(in crate::cpu) len: usize,
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

/// Returns the rows of a matrix.
///
/// # Errors
/// [`Error::Shape`] if it has another number of elements.
pub(in crate::cpu) fn rows_of<T>(x: &[T], shape: [usize; 2]) -> Result<Chunks<'_, T>, Error> {
    let [count, len] = shape;
    if len_of(&shape) != Some(x.len()) {
        return Err(Error::Shape { shape: shape.into(), given: x.len() as u64 });
    }
    Ok(Chunks { x, count, len })
}

/// Returns the whole chunks, and the elements after the last.
///
/// # Errors
/// [`Error::ChunkLength`] if the length is zero.
pub(in crate::cpu) fn chunked<T>(x: &[T], len: usize) -> Result<(Chunks<'_, T>, &[T]), Error> {
    if len == 0 {
        return Err(Error::ChunkLength);
    }
    let (count, rest) = (x.len() / len, x.len() % len);
    let (whole, rest) = x.split_at(x.len() - rest);
    Ok((Chunks { x: whole, count, len }, rest))
}

impl Cpu {
    /// Folds each row: see [`crate::rows`].
    pub(crate) fn rows<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_each(op, &rows_of(x, shape)?)
    }

    /// Folds each chunk: see [`crate::chunks`].
    pub(crate) fn chunks<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        len: usize,
    ) -> Result<Vec<O::Out>, Error> {
        let (chunks, rest) = chunked(x, len)?;
        if rest.is_empty() {
            return self.reduce_each(op, &chunks);
        }
        let mut outs = self.reduce_each(op, &chunks)?;
        memory::push(&mut outs, self.reduce_slice(op, rest)?)?;
        Ok(outs)
    }
}
