//! Groups whose elements stand anywhere: sorted by group, in order, they are segments.
//!
//! Each thread sorts a portion of the elements by counting. A group is then one piece of each portion, in order.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::{Rows, with_room};
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::{Error, check_lengths};
use crate::index_type::IndexType;

/// A portion of the elements, sorted by group.
struct Portion<T> {
    x: Vec<T>,
    /// Where each group ends.
    ends: Vec<u32>,
}

impl<T: Element> Portion<T> {
    /// # Errors
    /// [`Error::Group`] if an id is not of a group; the first element stands at `base`.
    fn new<I: IndexType>(ids: &[I], x: &[T], groups: usize, base: usize) -> Result<Self, Error> {
        let group_of = |(at, id): (usize, &I)| {
            let group = id.index().filter(|&group| group < groups);
            group.ok_or_else(|| Error::Group { at: base + at, group: id.value(), groups })
        };
        let mut ends: Vec<u32> = with_room(groups)?;
        ends.resize(groups, 0);
        for id in ids.iter().enumerate() {
            ends[group_of(id)?] += 1;
        }
        // First where each begins, and as its elements come, where the next one goes.
        let mut all = 0;
        for end in &mut ends {
            (*end, all) = (all, all + *end);
        }
        let mut sorted = x.to_vec();
        for (id, &x) in ids.iter().enumerate().zip(x) {
            let place = &mut ends[group_of(id)?];
            sorted[*place as usize] = x;
            *place += 1;
        }
        Ok(Self { x: sorted, ends })
    }

    #[inline(always)]
    fn group(&self, group: usize) -> &[T] {
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.x[start as usize..self.ends[group] as usize]
    }
}

/// The groups of all portions.
struct Groups<T> {
    portions: Vec<Portion<T>>,
    /// Elements of all groups before each, and of all.
    before: Vec<usize>,
    longest: usize,
}

impl<T: Element> Rows<T> for Groups<T> {
    const OF_ONE_LENGTH: bool = false;

    fn count(&self) -> usize {
        self.before.len() - 1
    }
    #[inline(always)]
    fn before(&self, row: usize) -> usize {
        self.before[row]
    }
    #[inline(always)]
    fn longest(&self) -> usize {
        self.longest
    }
    #[inline(always)]
    fn elements<'a>(&'a self, row: usize, range: Range<usize>, buffer: &'a mut Vec<T>) -> &'a [T] {
        let mut before = 0;
        buffer.clear();
        for portion in &self.portions {
            let piece = portion.group(row);
            let start = range.start.saturating_sub(before).min(piece.len());
            let end = range.end.saturating_sub(before).min(piece.len());
            before += piece.len();
            if end - start == range.len() {
                return &piece[start..end];
            }
            buffer.extend_from_slice(&piece[start..end]);
        }
        buffer
    }
}

impl Cpu {
    /// Folds each group: see [`crate::groups`].
    pub(crate) fn groups<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        ids: &[I],
        x: &[T],
        groups: usize,
    ) -> Result<Vec<O::Out>, Error> {
        check_lengths(ids.len(), x.len())?;
        let rows = self.sort_by_group(ids, x, groups)?;
        self.reduce_each(op, &rows)
    }

    fn sort_by_group<T: Element, I: IndexType>(
        &self,
        ids: &[I],
        x: &[T],
        groups: usize,
    ) -> Result<Groups<T>, Error> {
        // To count the threads is to start them. A portion with fewer elements than groups would be mostly its table.
        let tasks = (size_of_val(x) / TASK_BYTES).min(x.len() / groups.max(1));
        let threads = if tasks < 2 { 1 } else { self.threads().min(tasks) };
        let portion_len = x.len().div_ceil(threads).clamp(1, u32::MAX as usize);
        let mut places: Vec<_> = (0..x.len().div_ceil(portion_len)).map(|_| None).collect();
        let portions = ids.chunks(portion_len).zip(x.chunks(portion_len)).zip((0..).step_by(portion_len));
        let tasks = places.iter_mut().zip(portions);
        share(self.pool.as_deref(), threads - 1, tasks, |(place, ((ids, x), base))| {
            *place = Some(Portion::new(ids, x, groups, base));
            Ok::<_, Error>(())
        })?;
        // Of several mistakes the first in order.
        let portions = places.into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
        let mut before = with_room(groups.saturating_add(1))?;
        let (mut all, mut longest) = (0, 0);
        before.push(0);
        for group in 0..groups {
            let len = portions.iter().map(|portion| portion.group(group).len()).sum();
            all += len;
            longest = longest.max(len);
            before.push(all);
        }
        Ok(Groups { portions, before, longest })
    }
}
