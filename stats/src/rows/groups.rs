//! The rows of a table in groups: the values for each key.

use warpfold::Cpu;

use crate::failure::Failure;
use crate::memory::zeroed;
use crate::numbers::numeric::Numeric;
use crate::numbers::{Array, Numbers, Rounded, each_type};
use crate::rows::each::{Asked, fold_each};
use crate::rows::results::{Labels, Row, Rows};
use crate::source::column::{Column, Groups};
use crate::timed::timed;

/// Folds the values of a column in groups, one per key in the columns `by`.
pub(crate) fn fold(
    cpu: &Cpu,
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
    each_type!(numbers, x => fold_elements(cpu, groups, by, x, asked))
}

/// Sorts the values of `groups` groups that are elements by group, in table order within each group. Also returns the start of each
/// group, and the end of the last.
fn sorted<T: Numeric>(
    x: &[T],
    ids: &[usize],
    groups: usize,
    asked: Asked<'_>,
) -> Result<(Vec<T>, Vec<usize>), Failure> {
    let what = "values are sorted by group";
    let elements = || x.iter().zip(ids).filter(|(x, _)| !(asked.skip_nan && x.is_nan()));
    let mut starts: Vec<usize> = zeroed(groups + 1, what)?;
    elements().for_each(|(_, &group)| starts[group + 1] += 1);
    for group in 0..groups {
        starts[group + 1] += starts[group];
    }
    let mut next: Vec<usize> = zeroed(groups + 1, what)?;
    next.copy_from_slice(&starts);
    let mut sorted: Vec<T> = zeroed(starts[groups], what)?;
    for (&x, &group) in elements() {
        sorted[next[group]] = x;
        next[group] += 1;
    }
    Ok((sorted, starts))
}

fn fold_elements<T: Numeric>(
    cpu: &Cpu,
    groups: Groups,
    by: &[String],
    x: &Array<'_, T>,
    asked: Asked<'_>,
) -> Result<Rows, Failure> {
    let len = groups.keys.len();
    // Columns are read into memory.
    let values = x.in_memory().unwrap_or_default();
    let folded = timed(|| {
        let (sorted, starts) = sorted(values, &groups.ids, len, asked)?;
        fold_each(cpu, &sorted, starts, asked.qs)
    })?;
    // Indices count within a group: find their rows of the table.
    let what = "the rows of the table are counted for each group";
    let mut counts: Vec<u64> = zeroed(len, what)?;
    let mut places: Vec<[u64; 2]> = zeroed(len, what)?;
    let rows = values.iter().zip(&groups.ids).zip(groups.rows());
    for ((_, &group), row) in rows.filter(|((x, _), _)| !(asked.skip_nan && x.is_nan())) {
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
    let elements = counts.iter().sum();
    let row = move |group: usize| {
        let (found, [least, greatest]) = (&folded.result[group], places[group]);
        let mut row = Row::new(counts[group], &found.statistics, &found.quantiles);
        row.min.iter_mut().for_each(|place| place.index = least);
        row.max.iter_mut().for_each(|place| place.index = greatest);
        row
    };
    Ok(Rows {
        dtype: T::DTYPE,
        count: elements,
        missing: x.missing() + values.len() as u64 - elements,
        rounded: Rounded::default(),
        labels: Labels::Keys { columns: by.into(), keys: groups.keys },
        len,
        row: Box::new(row),
        fold: folded.time,
    })
}
