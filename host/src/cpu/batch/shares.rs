//! How threads share rows: in shares of consecutive rows with similar weights, found by bisection, so no thread walks over another
//! thread's rows. A row that outweighs one share is done by all threads, one such row after another.

use std::ops::Range;

use super::{Rows, weight};
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::Error;
use crate::float_environment;

/// Least shares per thread, so that no thread waits long for the last: at most a sixteenth of its time.
pub(super) const SHARES: usize = 16;

/// What is done with rows. Each has the same number of slots for its results.
pub(in crate::cpu) trait Work<T>: Sync {
    /// A place for a result.
    type Slot: Send;

    /// Does a row: on this thread, or with all threads `by` a backend.
    fn row(&self, row: usize, by: Option<&Cpu>, slots: &mut [Self::Slot]) -> Result<(), Error>;

    /// Does the rows in `numbers` with fewer than `below` elements, on this thread.
    fn rows<R: Rows<T>>(
        &self,
        rows: &R,
        numbers: Range<usize>,
        below: usize,
        slots: &mut [Self::Slot],
    ) -> Result<(), Error> {
        let width = slots.len() / numbers.len();
        let mut short = numbers.zip(slots.chunks_mut(width)).filter(|&(row, _)| rows.len(row) < below);
        short.try_for_each(|(row, slots)| self.row(row, None, slots))
    }
}

impl Cpu {
    /// Does all rows. All slots are written if there is no error.
    ///
    /// # Errors
    /// [`Error::FloatEnvironment`], and the first error of a row.
    #[inline(never)]
    pub(in crate::cpu) fn share_rows<T, R: Rows<T>, W: Work<T>>(
        &self,
        rows: &R,
        work: &W,
        slots: &mut [W::Slot],
    ) -> Result<(), Error> {
        float_environment::check()?;
        let count = rows.count();
        if slots.is_empty() {
            return Ok(());
        }
        let weight = |row| weight::<T, R>(rows, row);
        // Counting the threads starts them, so small inputs avoid it.
        let tasks = weight(count) / TASK_BYTES;
        let threads = if tasks < 2 { 1 } else { self.threads().min(tasks) };
        if threads < 2 {
            return work.rows(rows, 0..count, usize::MAX, slots);
        }
        let width = slots.len() / count;
        let long = (weight(count) / (SHARES * threads)).max(2 * TASK_BYTES) / size_of::<T>();
        if rows.longest() >= long {
            let all = slots.chunks_mut(width).enumerate();
            for (row, slots) in all.filter(|&(row, _)| rows.len(row) >= long) {
                work.row(row, Some(self), slots)?;
            }
        }
        share(
            self.pool.as_deref(),
            threads - 1,
            shares(slots, width, TASK_BYTES, weight),
            |(numbers, slots)| {
                float_environment::check()?;
                work.rows(rows, numbers, long, slots)
            },
        )
    }
}

/// Cuts `outs`, `width` for each row, into shares of weight up to `most`, but at least one row. `weight` returns the weight
/// of all rows before a given one, and never descends.
fn shares<Out>(
    outs: &mut [Out],
    width: usize,
    most: usize,
    weight: impl Fn(usize) -> usize,
) -> impl Iterator<Item = (Range<usize>, &mut [Out])> {
    let count = outs.len() / width;
    let (mut outs, mut start) = (outs, 0);
    std::iter::from_fn(move || {
        if start == count {
            return None;
        }
        let end = last_within(start + 1, count, |row| weight(row) <= weight(start).saturating_add(most));
        let (share, rest) = std::mem::take(&mut outs).split_at_mut((end - start) * width);
        let range = start..end;
        (outs, start) = (rest, end);
        Some((range, share))
    })
}

/// Returns the last number in `first..=last` for which `is` holds, or `first` if it holds for none. `is` must hold for
/// all numbers before the last such one.
fn last_within(first: usize, last: usize, is: impl Fn(usize) -> bool) -> usize {
    let (mut first, mut last) = (first, last);
    while first < last {
        let middle = last - (last - first) / 2;
        if is(middle) { first = middle } else { last = middle - 1 }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn shares_are_full_and_cover_all() {
        let before = [0, 3, 3, 10, 11, 12, 30, 31, 31, 31];
        let mut outs = [0; 9];
        let mut found = Vec::new();
        for (range, share) in shares(&mut outs, 1, 10, |row| before[row]) {
            share.fill(1);
            assert_eq!(share.len(), range.len());
            found.push(range);
        }
        assert_eq!(found, [0..3, 3..5, 5..6, 6..9]);
        assert_eq!(outs, [1; 9]);
        assert_eq!(shares(&mut [0_u8; 0], 1, 10, |_| 0).count(), 0);
        let wide = shares(&mut [0; 27], 3, 10, |row| before[row])
            .map(|(range, share)| (range, share.len()))
            .collect::<Vec<_>>();
        assert_eq!(wide, [(0..3, 9), (3..5, 6), (5..6, 3), (6..9, 9)]);
    }
}
