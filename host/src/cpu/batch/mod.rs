//! Many rows, each folded as if it were alone: along the tree of its own length, from index 0.
//!
//! Threads share the rows by weight. A row that outweighs its share of the whole is folded by all of them instead, one
//! such row after another.

mod along;
mod columns;
mod groups;
mod matrix;
mod narrow;
mod row;
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
pub(crate) use self::narrow::fold_row_pairs;
pub(crate) use self::strided::in_order;
use super::memory::Unwritten;
use super::{Cpu, TASK_BYTES, large, memory, processor};
use crate::error::Error;
use crate::float_environment;

/// Where the elements of many rows lie.
trait Rows<T>: Sync {
    /// Number of rows.
    fn count(&self) -> usize;

    /// Elements of all rows before this one; of all, for [`count`](Rows::count).
    fn before(&self, row: usize) -> usize;

    /// Elements of a row.
    #[inline(always)]
    fn len(&self, row: usize) -> usize {
        if Self::OF_ONE_LENGTH { self.longest() } else { self.before(row + 1) - self.before(row) }
    }

    /// As many elements as no row has more of.
    fn longest(&self) -> usize;

    /// Whether all rows are as long as the longest.
    const OF_ONE_LENGTH: bool;

    /// Some elements of a row, in order: where they lie, or brought together in the buffer.
    fn elements<'a>(&'a self, row: usize, range: Range<usize>, buffer: &'a mut Vec<T>) -> &'a [T];

    /// What lies in memory from a row's first element on, elements of other rows too; empty where elements are brought together.
    #[inline(always)]
    fn from(&self, _row: usize) -> &[T] {
        &[]
    }

    /// Some rows as one slice, if they lie in memory one after the other.
    #[inline(always)]
    fn neighbours(&self, _rows: Range<usize>) -> Option<&[T]> {
        None
    }
}

/// What a row costs besides its elements, in bytes.
/// [2-core EPYC, one thread, f32 Sum of 2^25: rows of 3 5.3 ns each, segments of 3 8 ns, in which time 130 and 200 bytes of
/// long rows are read.]
const ROW_BYTES: usize = 128;

/// The least shares that each thread gets, so that none waits long for the last: at most a sixteenth of its time.
const SHARES: usize = 16;

impl Cpu {
    /// Folds each row and finishes.
    fn reduce_each<T: Element, O: Op<T>, R: Rows<T>>(&self, op: O, rows: &R) -> Result<Vec<O::Out>, Error> {
        float_environment::check()?;
        let count = rows.count();
        let mut outs = unwritten::<O::Out>(count)?;
        let weight = |row| weight::<T, R>(rows, row);
        // To count the threads is to start them.
        let tasks = weight(count) / TASK_BYTES;
        let threads = if tasks < 2 { 1 } else { self.threads().min(tasks) };
        if threads < 2 {
            large::reducing::<O::Acc, _>(|| {
                processor::widest(row::Each {
                    op,
                    rows,
                    numbers: 0..count,
                    below: usize::MAX,
                    outs: outs.places(),
                });
            })?;
            // SAFETY: a job writes the results of all its rows that are shorter than `below`, as every row is.
            return Ok(unsafe { outs.written() });
        }
        let long = (weight(count) / (SHARES * threads)).max(2 * TASK_BYTES) / size_of::<T>();
        if rows.longest() >= long {
            for (row, out) in outs.places().iter_mut().enumerate().filter(|&(row, _)| rows.len(row) >= long) {
                let accs = self.fold_together(op, rows, row)?;
                out.write(super::finish_results::<T, O>(accs, rows.len(row) as u64)?);
            }
        }
        let shares = shares::of(outs.places(), TASK_BYTES, weight);
        super::share(self.pool.as_deref(), threads - 1, shares, |(numbers, outs)| {
            large::reducing::<O::Acc, _>(|| {
                float_environment::check()?;
                processor::widest(row::Each { op, rows, numbers, below: long, outs });
                Ok::<_, Error>(())
            })?
        })?;
        // SAFETY: rows of `long` elements and more were written first, and the others by the jobs of their shares.
        Ok(unsafe { outs.written() })
    }

    /// Folds the parts of one row with all threads.
    fn fold_together<T: Element, O: Op<T>, R: Rows<T>>(
        &self,
        op: O,
        rows: &R,
        row: usize,
    ) -> Result<Vec<O::Acc>, Error> {
        let len = rows.len(row);
        let part_len = row::part_len::<T, O>(len);
        let mut accs = large::reducing::<O::Acc, _>(|| vec![O::IDENTITY; len.div_ceil(part_len)])?;
        let parts = (TASK_BYTES / size_of::<T>() / part_len).max(1);
        let task_len = parts.saturating_mul(part_len);
        let tasks = (0..len).step_by(task_len).zip(accs.chunks_mut(parts));
        super::share(self.pool.as_deref(), self.threads() - 1, tasks, |(start, accs)| {
            large::reducing::<O::Acc, _>(|| {
                float_environment::check()?;
                let mut buffer = Vec::new();
                let x = rows.elements(row, start..len.min(start.saturating_add(task_len)), &mut buffer);
                processor::fold_tiles::<T, O>(op, x, part_len, start as u64, accs);
                Ok::<_, Error>(())
            })?
        })?;
        Ok(accs)
    }
}

/// What all rows before this one cost, in bytes.
fn weight<T, R: Rows<T>>(rows: &R, row: usize) -> usize {
    let elements = rows.before(row).saturating_mul(size_of::<T>());
    elements.saturating_add(row.saturating_mul(ROW_BYTES))
}

/// As many results of nothing, in whose places others will be.
pub(crate) fn empty_results<T: Element, O: Op<T>>(count: usize) -> Result<Vec<O::Out>, Error> {
    let mut outs = with_room(count)?;
    large::reducing::<O::Acc, _>(|| outs.extend((0..count).map(|_| O::finish(O::IDENTITY, 0))))?;
    Ok(outs)
}

/// Room for as many results, each of which is written in its place.
fn unwritten<R>(results: usize) -> Result<Unwritten<R>, Error> {
    Unwritten::new(results).ok_or(Error::TooManyResults { results })
}

/// Room for so many entries, of each row, group or element.
fn with_room<N>(entries: usize) -> Result<Vec<N>, Error> {
    memory::with_room(entries).ok_or(Error::TooManyResults { results: entries })
}
