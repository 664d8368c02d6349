//! Contiguous parts of one array, for verbs whose results lie part after part.

use std::iter;
use std::ops::Range;

use super::sharing::share;
use super::{Cpu, TASK_BYTES};
use crate::arrays::{AsElements, Gaps};
use crate::error::Error;
use crate::index_type::{IndexType, longest_segment};
use crate::input::{Chunks, Rows, Segments};
use crate::layout::len_of;
use crate::memory;

/// Where the parts of an array are.
pub(crate) enum Bounds {
    /// `count` parts of `len` elements. The last one is shorter if there are fewer.
    Equal { len: usize, count: usize, all: usize },
    /// One part between each offset and the next.
    Between(Vec<usize>),
}

/// An input that divides an array `X` into contiguous parts.
pub(super) trait Divided<X>: Sized {
    /// Returns the array.
    fn array(&self) -> &X;

    /// Returns the array, to be changed.
    fn array_mut(&mut self) -> &mut X;

    /// Returns the parts of an array of `len` elements, or of the elements between `gaps`.
    fn bounds(&self, len: usize, gaps: Option<&Gaps<'_>>) -> Result<Bounds, Error>;
}

impl<X> Divided<X> for Rows<X> {
    fn array(&self) -> &X {
        &self.x
    }
    fn array_mut(&mut self) -> &mut X {
        &mut self.x
    }
    fn bounds(&self, len: usize, gaps: Option<&Gaps<'_>>) -> Result<Bounds, Error> {
        let [count, columns] = self.shape;
        match gaps {
            Some(gaps) => gaps.rows(self.shape).map(Bounds::Between),
            None if len_of(&self.shape) == Some(len) => Ok(Bounds::Equal { len: columns, count, all: len }),
            None => Err(Error::Shape { shape: self.shape.into(), given: len as u64 }),
        }
    }
}

impl<X> Divided<X> for Chunks<X> {
    fn array(&self) -> &X {
        &self.x
    }
    fn array_mut(&mut self) -> &mut X {
        &mut self.x
    }
    fn bounds(&self, all: usize, gaps: Option<&Gaps<'_>>) -> Result<Bounds, Error> {
        match gaps {
            Some(gaps) => gaps.chunks(self.len).map(Bounds::Between),
            None if self.len > 0 => Ok(Bounds::Equal { len: self.len, count: all.div_ceil(self.len), all }),
            None => Err(Error::ChunkLength),
        }
    }
}

impl<X, I: AsElements<Element: IndexType> + ?Sized> Divided<X> for Segments<X, &I> {
    fn array(&self) -> &X {
        &self.x
    }
    fn array_mut(&mut self) -> &mut X {
        &mut self.x
    }
    fn bounds(&self, len: usize, gaps: Option<&Gaps<'_>>) -> Result<Bounds, Error> {
        let offsets = self.offsets.try_elements()?;
        let offsets = offsets.as_offsets()?;
        if let Some(gaps) = gaps {
            return gaps.segments(offsets).map(Bounds::Between);
        }
        between(offsets, len)
    }
}

/// Returns the parts between offsets into `len` elements.
pub(crate) fn between<I: IndexType>(offsets: &[I], len: usize) -> Result<Bounds, Error> {
    longest_segment(offsets, len)?;
    // `longest_segment` checked that each is an index.
    memory::collected(offsets.iter().map(|offset| offset.index().unwrap_or(0))).map(Bounds::Between)
}

impl Bounds {
    /// Returns the number of parts.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Equal { count, .. } => *count,
            Self::Between(offsets) => offsets.len().saturating_sub(1),
        }
    }

    /// Returns the start of a part, or the end of the last one.
    #[inline]
    pub(super) fn start(&self, part: usize) -> usize {
        match self {
            Self::Equal { len, all, .. } => part.saturating_mul(*len).min(*all),
            Self::Between(offsets) => offsets.get(part).copied().unwrap_or(0),
        }
    }

    /// Returns where a part is in the array.
    pub(crate) fn part(&self, part: usize) -> Range<usize> {
        self.start(part)..self.start(part + 1)
    }

    /// Returns the offsets of the parts.
    pub(super) fn offsets(self) -> Result<Vec<usize>, Error> {
        match self {
            Self::Equal { count: 0, .. } => Ok(Vec::new()),
            Self::Equal { count, .. } => memory::collected((0..=count).map(|part| self.start(part))),
            Self::Between(offsets) => Ok(offsets),
        }
    }

    /// Fails if a part has fewer than `wanted` elements.
    pub(crate) fn each_has(&self, wanted: usize) -> Result<(), Error> {
        let is_short = |part: &usize| self.part(*part).len() < wanted;
        let short = match self {
            // If any part is shorter than the others, the last one is.
            Self::Equal { count: 0, .. } => None,
            Self::Equal { count, .. } => [0, count - 1].into_iter().find(is_short),
            Self::Between(_) => (0..self.count()).find(is_short),
        };
        short.map_or(Ok(()), |part| Err(Error::PartTooShort { part, wanted, len: self.part(part).len() }))
    }

    /// Returns the end of the parts that a task has that begins with `part`: as many as have the bytes of a task, at
    /// least one.
    fn task_end(&self, part: usize, element_bytes: usize) -> usize {
        let elements = TASK_BYTES / element_bytes.max(1);
        let end = match self {
            Self::Equal { len, .. } => part + elements / (*len).max(1),
            Self::Between(offsets) => {
                let most = self.start(part).saturating_add(elements);
                part + offsets[part..].partition_point(|&offset| offset <= most) - 1
            }
        };
        end.clamp(part + 1, self.count())
    }
}

/// Memory that tasks write, cut into their shares.
pub(super) trait Shares: Send + Sized {
    /// Cuts off the first `len` items.
    fn cut(&mut self, len: usize) -> Self;
}

impl<R: Send> Shares for &mut [R] {
    fn cut(&mut self, len: usize) -> Self {
        let (own, rest) = std::mem::take(self).split_at_mut(len);
        *self = rest;
        own
    }
}

impl<K: Send, V: Send> Shares for (&mut [K], &mut [V]) {
    fn cut(&mut self, len: usize) -> Self {
        (self.0.cut(len), self.1.cut(len))
    }
}

impl Cpu {
    /// Does `work` for all parts: each task has some of them, and their share of `out`. The results of a part begin at
    /// `start(part)`.
    pub(super) fn share_parts<S: Shares>(
        &self,
        bounds: &Bounds,
        element_bytes: usize,
        mut out: S,
        start: impl Fn(usize) -> usize + Send + Sync,
        work: impl Fn(Range<usize>, S) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        let count = bounds.count();
        let (mut part, mut at) = (0, 0);
        let tasks = iter::from_fn(|| {
            if part == count {
                return None;
            }
            let parts = part..bounds.task_end(part, element_bytes);
            let (from, to) = (start(parts.start), start(parts.end));
            out.cut(from - at);
            (part, at) = (parts.end, to);
            Some((parts, out.cut(to - from)))
        });
        let bytes = (bounds.start(count) - bounds.start(0)).saturating_mul(element_bytes);
        let helpers = self.threads_for(bytes) - 1;
        share(self.pool.as_deref(), helpers, tasks, |(parts, out)| work(parts, out))
    }
}
