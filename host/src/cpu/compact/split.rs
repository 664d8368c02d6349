//! How elements come to those that are selected, or to the others: parts are counted, and each then has its places.

use std::ops::Range;

use gpu_kernels::Element;

use super::selection::Selection;
use crate::cpu::processor::{self, Job};
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::Error;
use crate::float_environment;

/// Elements of a part.
fn part_len<T>() -> usize {
    (TASK_BYTES / size_of::<T>().max(1)).max(1)
}

/// Where each part's elements are.
fn parts<T>(x: &[T]) -> impl Iterator<Item = Range<usize>> {
    (0..x.len()).step_by(part_len::<T>()).map(|start| start..x.len().min(start + part_len::<T>()))
}

impl Cpu {
    /// How many elements of each part are selected.
    pub(super) fn count_selected<T: Element>(
        &self,
        x: &[T],
        selection: &impl Selection,
    ) -> Result<Vec<usize>, Error> {
        let mut counts = vec![0; x.len().div_ceil(part_len::<T>())];
        let helpers = self.threads_for(size_of_val(x)) - 1;
        share(self.pool.as_deref(), helpers, parts(x).zip(&mut counts), |(range, count)| {
            float_environment::check()?;
            processor::widest(Counting { selection, range, count });
            Ok::<_, Error>(())
        })?;
        Ok(counts)
    }

    /// Copies the selected elements to `selected`, which has room for them alone, and the others to `rejected`, or as many
    /// as it has room for.
    pub(super) fn split<T: Element>(
        &self,
        x: &[T],
        selection: &impl Selection,
        counts: &[usize],
        selected: &mut [T],
        rejected: &mut [T],
    ) -> Result<(), Error> {
        let (mut all_selected, mut all_rejected) = (selected, rejected);
        let tasks = parts(x).zip(counts).map(|(range, &count)| Splitting {
            x,
            selection,
            selected: take(&mut all_selected, count),
            rejected: take(&mut all_rejected, range.len() - count),
            range,
        });
        let helpers = self.threads_for(size_of_val(x)) - 1;
        share(self.pool.as_deref(), helpers, tasks, |task| {
            float_environment::check()?;
            processor::widest(task);
            Ok::<_, Error>(())
        })
    }
}

/// Cuts the first `len` off, or all.
fn take<'a, T>(rest: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let len = len.min(rest.len());
    rest.split_off_mut(..len).unwrap_or_default()
}

/// How many are selected.
struct Counting<'a, S> {
    selection: &'a S,
    range: Range<usize>,
    count: &'a mut usize,
}

impl<S: Selection> Job for Counting<'_, S> {
    #[inline(always)]
    fn run(self) {
        *self.count = self.selection.of(self.range).map(usize::from).sum();
    }
}

/// Elements to places that are counted.
struct Splitting<'a, T, S> {
    x: &'a [T],
    selection: &'a S,
    range: Range<usize>,
    selected: &'a mut [T],
    rejected: &'a mut [T],
}

impl<T: Element, S: Selection> Job for Splitting<'_, T, S> {
    /// Writes each element to both next places, so that nothing depends on a guess of which: the place that was not its
    /// own is written again, or there is none.
    #[inline(always)]
    fn run(self) {
        let Self { x, selection, range, selected, rejected } = self;
        let (mut s, mut r) = (0, 0);
        let elements = x[range.clone()].iter();
        selection.of(range).zip(elements).for_each(|(is_selected, &x)| {
            if let Some(place) = selected.get_mut(s) {
                *place = x;
            }
            if let Some(place) = rejected.get_mut(r) {
                *place = x;
            }
            s += usize::from(is_selected);
            r += usize::from(!is_selected);
        });
    }
}
