//! Counting and selecting elements by digits of their ranks.

use std::convert::Infallible;

use crate::cpu::{Cpu, TASK_BYTES, processor, share};
use crate::error::Error;
use crate::memory;

impl Cpu {
    /// Counts the elements of each of `kinds` kinds; elements without a kind are not counted.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory.
    pub(crate) fn count_kinds<T: Copy + Sync>(
        &self,
        x: &[T],
        kinds: usize,
        kind: impl Fn(T) -> Option<usize> + Sync,
    ) -> Result<Vec<u64>, Error> {
        let len = task_len::<T>();
        let mut counts = memory::filled(0_u64, x.len().div_ceil(len).max(1).saturating_mul(kinds))?;
        let tasks = x.chunks(len).zip(counts.chunks_mut(kinds.max(1)));
        let helpers = self.threads_for(size_of_val(x)) - 1;
        let Ok(()) = share(self.pool.as_deref(), helpers, tasks, |(x, counts)| {
            processor::widest(Counting { x, counts, kind: &kind });
            Ok::<_, Infallible>(())
        });
        let (all, parts) = counts.split_at_mut(kinds);
        for part in parts.chunks(kinds.max(1)) {
            all.iter_mut().zip(part).for_each(|(all, part)| *all += part);
        }
        counts.truncate(kinds);
        Ok(counts)
    }

    /// Maps elements, and returns in order those that map to something.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory.
    pub(crate) fn filter_map<T: Copy + Sync, R: Copy + Send>(
        &self,
        x: &[T],
        map: impl Fn(T) -> Option<R> + Sync,
    ) -> Result<Vec<R>, Error> {
        let len = task_len::<T>();
        let mut parts = memory::filled(Vec::new(), x.len().div_ceil(len))?;
        let helpers = self.threads_for(size_of_val(x)) - 1;
        share(self.pool.as_deref(), helpers, x.chunks(len).zip(&mut parts), |(x, kept)| {
            *kept = memory::collected(x.iter().filter_map(|&x| map(x)))?;
            Ok::<_, Error>(())
        })?;
        memory::joined(&parts)
    }
}

/// Returns the number of elements of a task.
fn task_len<T>() -> usize {
    (TASK_BYTES / size_of::<T>().max(1)).max(1)
}

/// Counts the kinds of a task's elements.
struct Counting<'a, T, F> {
    x: &'a [T],
    counts: &'a mut [u64],
    kind: &'a F,
}

impl<T: Copy, F: Fn(T) -> Option<usize>> processor::Job for Counting<'_, T, F> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl processor::Processor) {
        for &x in self.x {
            if let Some(count) = (self.kind)(x).and_then(|kind| self.counts.get_mut(kind)) {
                *count += 1;
            }
        }
    }
}
