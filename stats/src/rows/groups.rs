//! The rows of a table in groups: the values for each key.

use std::num::NonZeroUsize;
use std::ops::Range;

use warpfold::Cpu;

use crate::failure::Failure;
use crate::memory::zeroed;
use crate::numbers::numeric::Numeric;
use crate::numbers::{Array, Numbers, Rounded, each_type};
use crate::rows::each::{Asked, Lines, fold_each};
use crate::rows::results::{Labels, Row, Rows};
use crate::source::column::{Column, Groups};
use crate::timed::timed;

/// Folds the values of a column in groups, one per key in the columns `by`.
pub(crate) fn fold(
    (cpu, threads): (&Cpu, NonZeroUsize),
    column: &Column,
    groups: Groups,
    by: &[String],
    numbers: &Numbers<'_>,
    asked: Asked<'_>,
) -> Result<Rows, Failure> {
    // The keys were read earlier than the values.
    if numbers.len() != groups.ids.len() {
        return Err(Failure::Changed { path: column.path.clone() });
    }
    each_type!(numbers, x => fold_elements((cpu, threads), groups, by, x, asked))
}

/// Values sorted by group, in table order within each group.
struct Sorted<T> {
    x: Vec<T>,
    /// The start of each group, and the end of the last.
    starts: Vec<usize>,
}

impl<T: Numeric> Sorted<T> {
    fn new(x: &[T], ids: &[usize], groups: usize) -> Result<Self, Failure> {
        let what = "values are sorted by group";
        let mut starts: Vec<usize> = zeroed(groups + 1, what)?;
        ids.iter().for_each(|&group| starts[group + 1] += 1);
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next: Vec<usize> = zeroed(groups + 1, what)?;
        next.copy_from_slice(&starts);
        let mut sorted: Vec<T> = zeroed(x.len(), what)?;
        for (&x, &group) in x.iter().zip(ids) {
            sorted[next[group]] = x;
            next[group] += 1;
        }
        Ok(Self { x: sorted, starts })
    }
}

impl<T: Numeric> Lines<T> for Sorted<T> {
    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn len(&self, row: usize) -> usize {
        self.starts[row + 1] - self.starts[row]
    }

    fn each(
        &self,
        mut rows: Range<usize>,
        with: &mut dyn FnMut(&[T]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        rows.try_for_each(|row| with(&self.x[self.starts[row]..self.starts[row + 1]]))
    }
}

fn fold_elements<T: Numeric>(
    (cpu, threads): (&Cpu, NonZeroUsize),
    groups: Groups,
    by: &[String],
    x: &Array<'_, T>,
    asked: Asked<'_>,
) -> Result<Rows, Failure> {
    let len = groups.keys.len();
    // Columns are read into memory.
    let values = x.in_memory().unwrap_or_default();
    let folded = timed(|| fold_each(cpu, threads, &Sorted::new(values, &groups.ids, len)?, asked))?;
    let skipped: u64 = folded.result.iter().map(|found| found.skipped).sum();
    // Indices count within a group: find their rows of the table.
    let what = "the rows of the table are counted for each group";
    let mut counts: Vec<u64> = zeroed(len, what)?;
    let mut places: Vec<[u64; 2]> = zeroed(len, what)?;
    for (&group, row) in groups.ids.iter().zip(groups.rows()) {
        let count = &mut counts[group];
        if let Some(at) = folded.result[group].statistics.extremes {
            for (place, index) in places[group].iter_mut().zip([at.min.index, at.max.index]) {
                if index == *count {
                    *place = row;
                }
            }
        }
        *count += 1;
    }
    let row = move |group: usize| {
        let (found, [least, greatest]) = (&folded.result[group], places[group]);
        let mut row = Row::new(counts[group] - found.skipped, &found.statistics, &found.quantiles);
        row.min.iter_mut().for_each(|place| place.index = least);
        row.max.iter_mut().for_each(|place| place.index = greatest);
        row
    };
    Ok(Rows {
        dtype: T::DTYPE,
        count: values.len() as u64 - skipped,
        missing: x.missing() + skipped,
        rounded: Rounded::default(),
        labels: Labels::Keys { columns: by.into(), keys: groups.keys },
        len,
        row: Box::new(row),
        fold: folded.time,
    })
}
