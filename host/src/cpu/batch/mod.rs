//! Many rows, each folded on its own: along the tree of its own length, from index 0.

mod along;
mod by_key;
mod columns;
mod constant;
mod few;
mod groups;
mod matrix;
mod narrow;
mod overlapping;
pub(super) mod row;
mod rows;
mod runs;
mod segments;
mod shares;
mod short;
mod side_by_side;
mod strided;

use std::ops::Range;

use gpu_kernels::{Element, Op};

pub(crate) use self::groups::group_of;
pub(crate) use self::overlapping::Overlapping;
pub(super) use self::rows::{Chunks, chunked, rows_of};
pub(super) use self::segments::Segments;
use self::shares::SHARES;
pub(super) use self::shares::Work;
pub(super) use self::strided::Strided;
pub(crate) use self::strided::in_order;
use super::unwritten::Unwritten;
use super::{Cpu, TASK_BYTES, identities, large, processor};
use crate::error::Error;
use crate::float_environment;
use crate::memory::with_room;

/// The elements of many rows.
pub(super) trait Rows<T>: Sync {
    /// Returns the number of rows.
    fn count(&self) -> usize;

    /// Returns the number of elements of all rows before this one, or of all rows for [`count`](Rows::count).
    fn before(&self, row: usize) -> usize;

    /// Returns the number of elements of a row.
    #[inline(always)]
    fn len(&self, row: usize) -> usize {
        if Self::OF_ONE_LENGTH { self.longest() } else { self.before(row + 1) - self.before(row) }
    }

    /// Returns a length that no row exceeds.
    fn longest(&self) -> usize;

    /// Whether all rows are as long as the longest.
    const OF_ONE_LENGTH: bool;

    /// Returns a buffer for up to `len` elements of a row.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if the elements are copied, and there is not enough memory.
    fn buffer(&self, _len: usize) -> Result<Vec<T>, Error> {
        Ok(Vec::new())
    }

    /// Returns some elements of a row, in order: in place, or copied to the buffer, which has room for them.
    fn elements<'a>(&'a self, row: usize, range: Range<usize>, buffer: &'a mut Vec<T>) -> &'a [T];

    /// Returns the memory from a row's first element on, including the rows after it, which follow each other. Empty if a row's elements
    /// are not contiguous.
    #[inline(always)]
    fn from(&self, _row: usize) -> &[T] {
        &[]
    }

    /// Returns some rows as one slice, if they are contiguous.
    #[inline(always)]
    fn neighbours(&self, _rows: Range<usize>) -> Option<&[T]> {
        None
    }
}

/// The cost of a row besides its elements, in bytes. A row of 3 takes as long as 130 bytes of long rows
/// (docs/tuning/cpu.md).
const ROW_BYTES: usize = 128;

impl Cpu {
    /// Folds each row and finishes.
    fn reduce_each<T: Element, O: Op<T>, R: Rows<T>>(&self, op: O, rows: &R) -> Result<Vec<O::Out>, Error> {
        float_environment::check()?;
        let count = rows.count();
        let mut outs = Unwritten::<O::Out>::new(count)?;
        if few::fold(op, rows, outs.slots()) {
            // SAFETY: the line above wrote the results of all rows.
            return Ok(unsafe { outs.written() });
        }
        self.share_rows(rows, &row::Finished { op, rows }, outs.slots())?;
        // SAFETY: without an error each row has written its only slot: see `row::Finished`.
        Ok(unsafe { outs.written() })
    }

    /// Folds the parts of one row with all threads. Returns their accumulators.
    fn fold_together<T: Element, O: Op<T>, R: Rows<T>>(
        &self,
        op: O,
        rows: &R,
        row: usize,
    ) -> Result<Vec<O::Acc>, Error> {
        let len = rows.len(row);
        let part_len = row::part_len::<T, O>(len);
        let mut accs = identities::<T, O>(len.div_ceil(part_len))?;
        let parts = (TASK_BYTES / size_of::<T>() / part_len).max(1);
        let task_len = parts.saturating_mul(part_len);
        let tasks = (0..len).step_by(task_len).zip(accs.chunks_mut(parts));
        super::share(self.pool.as_deref(), self.threads() - 1, tasks, |(start, accs)| {
            large::reducing::<O::Acc, _>(|| {
                float_environment::check()?;
                let range = start..len.min(start.saturating_add(task_len));
                let mut buffer = rows.buffer(range.len())?;
                let x = rows.elements(row, range, &mut buffer);
                processor::fold_tiles::<T, O>(op, x, part_len, start as u64, accs)
            })?
        })?;
        Ok(accs)
    }
}

/// Returns the cost of all rows before this one, in bytes.
fn weight<T, R: Rows<T>>(rows: &R, row: usize) -> usize {
    let elements = rows.before(row).saturating_mul(size_of::<T>());
    elements.saturating_add(row.saturating_mul(ROW_BYTES))
}

/// Returns `count` results of empty input, to be overwritten.
pub(crate) fn empty_results<T: Element, O: Op<T>>(count: usize) -> Result<Vec<O::Out>, Error> {
    let mut outs = with_room(count)?;
    large::reducing::<O::Acc, _>(|| outs.extend((0..count).map(|_| O::finish(O::IDENTITY, 0))))?;
    Ok(outs)
}
