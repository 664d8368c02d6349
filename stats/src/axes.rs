//! The rows of an array: the elements along some axes, for each index along the others.

mod lines;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use warpfold::Cpu;

use self::lines::{Axis, Strided};
use crate::each::fold_each;
use crate::failure::Failure;
use crate::npy::{Npy, coordinates, tuple};
use crate::numbers::{Numbers, Rounded};
use crate::numeric::Numeric;
use crate::rows::{Labels, Row, Rows};
use crate::statistics::timed;

/// The axes of an array, some of which are reduced.
pub(crate) struct Axes {
    path: PathBuf,
    shape: Vec<u64>,
    fortran: bool,
    /// In ascending order.
    pub(crate) reduced: Vec<usize>,
    /// The lengths of the other axes, which are the shape of the results.
    pub(crate) kept_shape: Vec<u64>,
    reduced_shape: Vec<u64>,
}

impl Axes {
    /// Checks the axes that the user named; negative ones count from the end, -1 being the last.
    pub(crate) fn new(npy: &Npy, named: &[i64]) -> Result<Self, Failure> {
        let (shape, fortran) = (npy.layout.shape.clone(), npy.layout.fortran);
        let wrong = |axis: i64, why: &str| {
            let (path, shape) = (npy.path.display(), tuple(&shape));
            Failure::Usage(format!("{path}: --axis {axis}, but the array has shape {shape}: {why}"))
        };
        let last = match shape.len() {
            0 => "it is one element and has no axes: leave --axis out".into(),
            1 => "its only axis is 0, or -1".into(),
            axes => format!("its axes are 0 to {}, or -{axes} to -1 from the last", axes - 1),
        };
        let mut reduced = Vec::new();
        for &axis in named {
            let from_first = if axis < 0 { axis.saturating_add_unsigned(shape.len() as u64) } else { axis };
            match usize::try_from(from_first) {
                Ok(found) if found >= shape.len() => return Err(wrong(axis, &last)),
                Ok(found) if reduced.contains(&found) => {
                    return Err(wrong(axis, &format!("axis {found} was named before, name it once")));
                }
                Ok(found) => reduced.push(found),
                Err(_) => return Err(wrong(axis, &last)),
            }
        }
        reduced.sort_unstable();
        let lengths = |wanted: bool| {
            let axes = shape.iter().enumerate();
            axes.filter(|(axis, _)| reduced.contains(axis) == wanted).map(|(_, &length)| length).collect()
        };
        let (kept_shape, reduced_shape) = (lengths(false), lengths(true));
        Ok(Self { path: npy.path.clone(), shape, fortran, reduced, kept_shape, reduced_shape })
    }

    /// The index along the axes that are kept.
    pub(crate) fn of_row(&self, row: usize) -> Vec<u64> {
        coordinates(&self.kept_shape, row as u64)
    }

    /// The index along the axes that are reduced.
    pub(crate) fn in_row(&self, index: u64) -> Vec<u64> {
        coordinates(&self.reduced_shape, index)
    }

    /// The row in NumPy's index notation, such as `[3, :]`.
    pub(crate) fn slice(&self, row: usize) -> String {
        let mut kept = self.of_row(row).into_iter();
        let one = |axis| match self.reduced.contains(&axis) {
            true => String::from(":"),
            false => kept.next().unwrap_or_default().to_string(),
        };
        format!("[{}]", (0..self.shape.len()).map(one).collect::<Vec<_>>().join(", "))
    }

    /// The rows of the elements, which are in memory order and not empty.
    fn lines<'a, T>(&self, x: &'a [T]) -> Strided<'a, T> {
        let mut axes: Vec<(usize, Axis)> = Vec::new();
        let in_memory: Vec<usize> = match self.fortran {
            true => (0..self.shape.len()).collect(),
            false => (0..self.shape.len()).rev().collect(),
        };
        let mut stride = 1;
        for axis in in_memory {
            // Not longer than `x`.
            let length = self.shape[axis] as usize;
            axes.push((axis, (length, stride)));
            stride *= length;
        }
        axes.sort_unstable();
        let (reduced, kept): (Vec<_>, Vec<_>) =
            axes.into_iter().partition(|(axis, _)| self.reduced.contains(axis));
        let strides = |axes: Vec<(usize, Axis)>| axes.into_iter().map(|(_, axis)| axis).collect();
        Strided::new(x, strides(kept), strides(reduced))
    }
}

/// Folds an array along axes, on the CPU, and selects the quantiles `qs` of each row.
pub(crate) fn fold(
    cpu: &Cpu,
    threads: NonZeroUsize,
    axes: Axes,
    numbers: &Numbers<'_>,
    qs: &[f64],
) -> Result<Rows, Failure> {
    match numbers {
        Numbers::I32(x) => fold_elements(cpu, threads, axes, x, qs),
        Numbers::U32(x) => fold_elements(cpu, threads, axes, x, qs),
        Numbers::I64(x) => fold_elements(cpu, threads, axes, x, qs),
        Numbers::U64(x) => fold_elements(cpu, threads, axes, x, qs),
        Numbers::F32(x) => fold_elements(cpu, threads, axes, x, qs),
        Numbers::F64(x) => fold_elements(cpu, threads, axes, x, qs),
    }
}

/// The rows of an empty array. All are equal, and there may be any number of them, so none is stored.
fn of_no_elements<T: Numeric>(cpu: &Cpu, axes: Axes) -> Result<Rows, Failure> {
    let lengths = axes.kept_shape.iter();
    let len = lengths
        .map(|&length| usize::try_from(length).ok())
        .try_fold(1, |len: usize, length| length.and_then(|length| len.checked_mul(length)));
    // A length of 0 makes the product 0, whatever the others are.
    let len = if axes.kept_shape.contains(&0) { Some(0) } else { len };
    let len = len.ok_or_else(|| {
        let (path, shape) = (axes.path.display(), tuple(&axes.shape));
        Failure::Usage(format!(
            "{path}: --axis takes no array of shape {shape}, which has more rows than can be counted"
        ))
    })?;
    let folded = timed(|| Ok(crate::fold::fold::<T>(cpu, &[])?))?;
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
    x: &[T],
    qs: &[f64],
) -> Result<Rows, Failure> {
    if x.is_empty() {
        return of_no_elements::<T>(cpu, axes);
    }
    let folded = timed(|| fold_each(cpu, threads, &axes.lines(x), qs))?;
    let len = folded.result.len();
    let count = x.len().checked_div(len).unwrap_or(0) as u64;
    let row = move |row: usize| {
        let found = &folded.result[row];
        Row::new(count, &found.statistics, &found.quantiles)
    };
    Ok(Rows {
        dtype: T::DTYPE,
        count: x.len() as u64,
        missing: 0,
        rounded: Rounded::default(),
        labels: Labels::Axes(axes),
        len,
        row: Box::new(row),
        fold: folded.time,
    })
}
