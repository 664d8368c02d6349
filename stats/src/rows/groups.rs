//! The rows of a table in groups: the values for each key.

use warpfold::{Cpu, Interpolation, segments};

use crate::failure::Failure;
use crate::memory::{with_room, zeroed};
use crate::numbers::numeric::Numeric;
use crate::numbers::{Array, Numbers, Rounded, each_type};
use crate::rows::each::{Found, statistics};
use crate::rows::results::{Labels, Row, Rows};
use crate::source::column::{Column, Keys};
use crate::statistics::fold::Statistics;
use crate::timed::timed;

/// Folds the values of a column in groups, one per key in the column `by`, and selects the quantiles `qs` of
/// each.
pub(crate) fn fold(
    cpu: &Cpu,
    column: &Column,
    keys: Keys,
    by: &str,
    numbers: &Numbers<'_>,
    qs: &[f64],
) -> Result<Rows, Failure> {
    // The keys were read earlier than the values.
    if numbers.len() != keys.ids.len() {
        return Err(Failure::Changed { path: column.path.clone() });
    }
    each_type!(numbers, x => fold_elements(cpu, keys, by, x, qs))
}

/// Returns the values sorted by group, in table order within each group, and the start of each group and the end of the last.
fn sorted<T: Numeric>(x: &[T], ids: &[usize], groups: usize) -> Result<(Vec<T>, Vec<usize>), Failure> {
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
    Ok((sorted, starts))
}

/// Folds each group, and selects its quantiles `qs`.
fn fold_each<T: Numeric>(
    cpu: &Cpu,
    (x, mut starts): (Vec<T>, Vec<usize>),
    qs: &[f64],
) -> Result<Vec<Found<T>>, Failure> {
    let folded = statistics(cpu, segments(&x, &starts))?;
    let quantiles = if qs.is_empty() || x.is_empty() {
        Vec::new()
    } else {
        // An empty group has none.
        starts.dedup();
        cpu.quantiles(segments(&x, &starts), qs, Interpolation::Linear)?
    };
    let (mut found, mut rest) = (with_room(folded.len(), "there are so many groups")?, &quantiles[..]);
    found.extend(folded.into_iter().map(|statistics: Statistics<T>| {
        let own = statistics.extremes.and_then(|_| rest.split_off(..qs.len()));
        Found { statistics, quantiles: own.unwrap_or_default().to_vec() }
    }));
    Ok(found)
}

fn fold_elements<T: Numeric>(
    cpu: &Cpu,
    keys: Keys,
    by: &str,
    x: &Array<'_, T>,
    qs: &[f64],
) -> Result<Rows, Failure> {
    let len = keys.names.len();
    // Columns are read into memory.
    let values = x.in_memory().unwrap_or_default();
    let folded = timed(|| fold_each(cpu, sorted(values, &keys.ids, len)?, qs))?;
    // Indices count within a group: find their rows of the table.
    let what = "the rows of the table are counted for each group";
    let mut counts: Vec<u64> = zeroed(len, what)?;
    let mut places: Vec<[u64; 2]> = zeroed(len, what)?;
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
        count: values.len() as u64,
        missing: x.missing(),
        rounded: Rounded::default(),
        labels: Labels::Keys { column: by.into(), keys: keys.names },
        len,
        row: Box::new(row),
        fold: folded.time,
    })
}
