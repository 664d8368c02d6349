//! The rows of an array along its axes.

use std::num::NonZeroUsize;

use warpfold::Cpu;

use super::axes::Axes;
use super::each::Asked;
use super::results::{Labels, Row, Rows};
use crate::failure::Failure;
use crate::numbers::array::Ranges;
use crate::numbers::numeric::Numeric;
use crate::numbers::{Array, Numbers, Rounded, each_type};
use crate::source::npy::tuple;
use crate::statistics::fold::Tiles;
use crate::terminal;
use crate::timed::timed;

/// Folds an array along axes, on the CPU.
pub(crate) fn fold(
    cpu: &Cpu,
    threads: NonZeroUsize,
    axes: Axes,
    numbers: &Numbers<'_>,
    asked: Asked<'_>,
) -> Result<Rows, Failure> {
    each_type!(numbers, x => fold_elements(cpu, threads, axes, x, asked))
}

/// The rows of an empty array. All are equal, and there may be any number of them, so none is stored.
fn of_no_elements<T: Numeric>(axes: Axes) -> Result<Rows, Failure> {
    let lengths = axes.kept_shape.iter();
    let len = lengths
        .map(|&length| usize::try_from(length).ok())
        .try_fold(1, |len: usize, length| length.and_then(|length| len.checked_mul(length)));
    // A length of 0 makes the product 0, whatever the others are.
    let len = if axes.kept_shape.contains(&0) { Some(0) } else { len };
    let len = len.ok_or_else(|| {
        let (path, shape) = (terminal::line(&axes.path.to_string_lossy()), tuple(&axes.shape));
        Failure::Usage(format!(
            "{path}: --axis takes no array of shape {shape}, which has more rows than can be counted"
        ))
    })?;
    let folded = timed(|| Ok(Tiles::<T>::of(0)?.finish(0)?))?;
    let row = move |_| Row::new(0, &folded.result, &[] as &[T]);
    let (labels, fold) = (Labels::Axes(axes), folded.time);
    Ok(Rows {
        dtype: T::DTYPE,
        count: 0,
        missing: 0,
        rounded: Rounded::default(),
        labels,
        len,
        row: Box::new(row),
        fold,
    })
}

fn fold_elements<T: Numeric>(
    cpu: &Cpu,
    threads: NonZeroUsize,
    axes: Axes,
    x: &Array<'_, T>,
    asked: Asked<'_>,
) -> Result<Rows, Failure> {
    if x.len() == 0 {
        return of_no_elements::<T>(axes);
    }
    let folded = timed(|| axes.slabs().fold(cpu, threads, x, asked))?;
    x.unchanged()?;
    let len = folded.result.len();
    let count = x.len().checked_div(len).unwrap_or(0) as u64;
    let order = axes.order();
    let skipped = folded.result.iter().map(|found| found.skipped).sum();
    let row = move |row: usize| {
        let found = &folded.result[order(row)];
        Row::new(count - found.skipped, &found.statistics, &found.quantiles)
    };
    Ok(Rows {
        dtype: T::DTYPE,
        count: x.len() as u64 - skipped,
        missing: skipped,
        rounded: Rounded::default(),
        labels: Labels::Axes(axes),
        len,
        row: Box::new(row),
        fold: folded.time,
    })
}
