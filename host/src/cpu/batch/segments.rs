//! Segments of any lengths, given by offsets.

use std::convert::Infallible;
use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::Rows;
use crate::cpu::{Cpu, share};
use crate::error::Error;
use crate::index_type::{IndexType, longest_segment, longest_segment_at};
use crate::memory;

/// Segments whose offsets ascend and are within the elements, as `new` checked.
pub(in crate::cpu) struct Segments<'x, T, I> {
    x: &'x [T],
    offsets: &'x [I],
    longest: usize,
}

/// Offsets that a thread checks at once.
const CHECKED: usize = 1 << 16;

impl<'x, T, I: IndexType> Segments<'x, T, I> {
    /// # Errors
    /// [`Error::Offset`] if an offset is less than the one before it, negative, or more than the number of elements.
    pub(super) fn new(x: &'x [T], offsets: &'x [I]) -> Result<Self, Error> {
        Ok(Self { x, offsets, longest: longest_segment(offsets, x.len())? })
    }

    /// Does [`new`](Self::new) with several threads.
    pub(in crate::cpu) fn by_threads(cpu: &Cpu, x: &'x [T], offsets: &'x [I]) -> Result<Self, Error> {
        let helpers = cpu.threads_for(size_of_val(offsets)) - 1;
        if helpers == 0 {
            return Self::new(x, offsets);
        }
        let mut longest = memory::collected((0..offsets.len().div_ceil(CHECKED)).map(|_| Ok(0)))?;
        let (tasks, len) = (longest.iter_mut().zip((0..).step_by(CHECKED)), x.len());
        let Ok(()) = share(cpu.pool.as_deref(), helpers, tasks, |(longest, start)| {
            *longest = longest_segment_at(offsets, start..offsets.len().min(start + CHECKED), len);
            Ok::<_, Infallible>(())
        });
        // Of several wrong offsets, the first is reported.
        let longest = longest.into_iter().try_fold(0, |longest, of| of.map(|of| longest.max(of)))?;
        Ok(Self { x, offsets, longest })
    }

    #[inline(always)]
    fn offset(&self, at: usize) -> usize {
        // `new` checked that each is an index.
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
    #[inline(always)]
    fn from(&self, row: usize) -> &[T] {
        &self.x[self.offset(row)..self.offset(self.count())]
    }
}

impl Cpu {
    /// Folds each segment: see [`crate::segments`].
    pub(crate) fn segments<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        x: &[T],
        offsets: &[I],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_each(op, &Segments::by_threads(self, x, offsets)?)
    }
}
