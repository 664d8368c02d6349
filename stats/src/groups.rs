//! Rows of a table in groups: the values beside each key.

use warpfold::{Cpu, Elements, Error, Op, groups};

use crate::column::{Column, Keys, Unreadable};
use crate::failure::Failure;
use crate::numbers::Numbers;
use crate::numeric::Numeric;
use crate::rows::{All, Folded, Labels, Row, Rows};
use crate::statistics::{Place, timed};

/// Folds the values of a column in groups, one for each key of the column `by`.
pub(crate) fn fold(
    cpu: &Cpu,
    column: &Column,
    keys: Keys,
    by: &str,
    numbers: &Numbers<'_>,
) -> Result<Rows, Failure> {
    let rows = match numbers {
        Numbers::I32(x) => fold_elements(cpu, keys, by, x),
        Numbers::U32(x) => fold_elements(cpu, keys, by, x),
        Numbers::I64(x) => fold_elements(cpu, keys, by, x),
        Numbers::U64(x) => fold_elements(cpu, keys, by, x),
        Numbers::F32(x) => fold_elements(cpu, keys, by, x),
        Numbers::F64(x) => fold_elements(cpu, keys, by, x),
    };
    rows.map_err(|cause| match cause {
        // The keys were read before the values.
        Failure::Warpfold(Error::Lengths { .. }) => {
            Failure::Table { path: column.path.clone(), cause: Unreadable::Changed }
        }
        cause => cause,
    })
}

fn fold_elements<T: Numeric>(cpu: &Cpu, keys: Keys, by: &str, x: &Elements<'_, T>) -> Result<Rows, Failure>
where
    All: Op<T, Out = Folded<T>>,
{
    let len = keys.names.len();
    let folded = timed(|| Ok(cpu.reduce(All::default(), groups(&keys.ids, x, len))?))?;
    // An index counts the elements of a group: which rows of the table are those?
    let mut counts = vec![0; len];
    let mut places = vec![[0; 2]; len];
    for (&group, row) in keys.ids.iter().zip(keys.rows()) {
        let count = &mut counts[group];
        if let Some(at) = folded.result[group].1 {
            for (place, index) in places[group].iter_mut().zip([at.min.index, at.max.index]) {
                if index == *count {
                    *place = row;
                }
            }
        }
        *count += 1;
    }
    let row = move |group: usize| {
        let ((sum, extremes), [least, greatest]) = (folded.result[group], places[group]);
        Row {
            count: counts[group],
            sum: sum.into(),
            min: extremes.map(|at| Place { index: least, value: at.min.value.into() }),
            max: extremes.map(|at| Place { index: greatest, value: at.max.value.into() }),
        }
    };
    Ok(Rows {
        dtype: T::DTYPE,
        count: x.len() as u64,
        missing: x.missing(),
        labels: Labels::Keys { column: by.into(), keys: keys.names },
        len,
        row: Box::new(row),
        fold: folded.time,
    })
}
