//! The rows of a table in groups: the values for each key.

use std::num::NonZeroUsize;
use std::ops::Range;

use bytemuck::allocation::try_zeroed_vec;
use warpfold::{Cpu, Elements};

use crate::failure::Failure;
use crate::numbers::numeric::Numeric;
use crate::numbers::{Numbers, Rounded};
use crate::rows::each::{Lines, fold_each};
use crate::rows::results::{Labels, Row, Rows};
use crate::source::column::{Column, Keys, Unreadable};
use crate::timed::timed;

/// Folds the values of a column in groups, one per key in the column `by`, and selects the quantiles `qs` of
/// each.
pub(crate) fn fold(
    (cpu, threads): (&Cpu, NonZeroUsize),
    column: &Column,
    keys: Keys,
    by: &str,
    numbers: &Numbers<'_>,
    qs: &[f64],
) -> Result<Rows, Failure> {
    // The keys were read earlier than the values; the file may have changed.
    if numbers.len() != keys.ids.len() {
        return Err(Failure::content(&column.path, Unreadable::Changed));
    }
    match numbers {
        Numbers::I32(x) => fold_elements((cpu, threads), keys, by, x, qs),
        Numbers::U32(x) => fold_elements((cpu, threads), keys, by, x, qs),
        Numbers::I64(x) => fold_elements((cpu, threads), keys, by, x, qs),
        Numbers::U64(x) => fold_elements((cpu, threads), keys, by, x, qs),
        Numbers::F32(x) => fold_elements((cpu, threads), keys, by, x, qs),
        Numbers::F64(x) => fold_elements((cpu, threads), keys, by, x, qs),
    }
}

/// Values sorted by group, in table order within each group.
struct Sorted<T> {
    x: Vec<T>,
    /// The start of each group, and the end of the last.
    starts: Vec<usize>,
}

impl<T: Numeric> Sorted<T> {
    fn new(x: &[T], ids: &[usize], groups: usize) -> Result<Self, Failure> {
        let mut starts = vec![0; groups + 1];
        ids.iter().for_each(|&group| starts[group + 1] += 1);
        for group in 0..groups {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut sorted: Vec<T> = try_zeroed_vec(x.len()).map_err(|()| Failure::Memory {
            bytes: size_of_val(x) as u128,
            what: "values are sorted by group",
        })?;
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
    keys: Keys,
    by: &str,
    x: &Elements<'_, T>,
    qs: &[f64],
) -> Result<Rows, Failure> {
    let len = keys.names.len();
    let folded = timed(|| fold_each(cpu, threads, &Sorted::new(x, &keys.ids, len)?, qs))?;
    // Indices count within a group: find their rows of the table.
    let mut counts = vec![0; len];
    let mut places = vec![[0; 2]; len];
    for (&group, row) in keys.ids.iter().zip(keys.rows()) {
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
        let mut row = Row::new(counts[group], &found.statistics, &found.quantiles);
        row.min.iter_mut().for_each(|place| place.index = least);
        row.max.iter_mut().for_each(|place| place.index = greatest);
        row
    };
    Ok(Rows {
        dtype: T::DTYPE,
        count: x.len() as u64,
        missing: x.missing(),
        rounded: Rounded::default(),
        labels: Labels::Keys { column: by.into(), keys: keys.names },
        len,
        row: Box::new(row),
        fold: folded.time,
    })
}
