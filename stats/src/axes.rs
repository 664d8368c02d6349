//! Rows of an array: the elements along some of its axes, one for each index along the others.

use std::path::PathBuf;

use warpfold::{Cpu, Error, Op, View, along};

use crate::failure::Failure;
use crate::npy::{Npy, coordinates, tuple};
use crate::numbers::Numbers;
use crate::numeric::Numeric;
use crate::rows::{All, Folded, Labels, Row, Rows};
use crate::statistics::{Place, timed};

/// The axes of an array, some of which are reduced.
pub(crate) struct Axes {
    path: PathBuf,
    shape: Vec<u64>,
    fortran: bool,
    /// In ascending order.
    pub(crate) reduced: Vec<usize>,
    /// The lengths of the others, which are the shape of the results.
    pub(crate) kept_shape: Vec<u64>,
    reduced_shape: Vec<u64>,
}

impl Axes {
    /// The axes that the user named; from -1 downwards they count from the last.
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

    /// The row as NumPy would take it from the array, such as `[3, :]`.
    pub(crate) fn slice(&self, row: usize) -> String {
        let mut kept = self.of_row(row).into_iter();
        let one = |axis| match self.reduced.contains(&axis) {
            true => String::from(":"),
            false => kept.next().unwrap_or_default().to_string(),
        };
        format!("[{}]", (0..self.shape.len()).map(one).collect::<Vec<_>>().join(", "))
    }

    /// The elements, which lie in memory order, with the array's shape.
    fn view<'a, T>(&self, x: &'a [T]) -> Result<View<'a, T>, Failure> {
        let too_much = |what: String| {
            Failure::Usage(format!("{}: --axis takes no array of {what}", self.path.display()))
        };
        let lengths = self.shape.iter().map(|&length| usize::try_from(length));
        let mut shape: Vec<usize> = lengths
            .collect::<Result<_, _>>()
            .map_err(|_| too_much(format!("shape {}", tuple(&self.shape))))?;
        if self.fortran {
            shape.reverse();
        }
        let view = View::new(x, &shape).map_err(|cause| match cause {
            Error::Dimensions { dimensions, most, .. } => too_much(format!(
                "{dimensions} axes, only of up to {most}: reshape it, so that neighbouring axes are one"
            )),
            cause => cause.into(),
        })?;
        Ok(if self.fortran { view.transposed() } else { view })
    }
}

/// Folds an array along axes.
pub(crate) fn fold(cpu: &Cpu, axes: Axes, numbers: &Numbers<'_>) -> Result<Rows, Failure> {
    match numbers {
        Numbers::I32(x) => fold_elements(cpu, axes, x),
        Numbers::U32(x) => fold_elements(cpu, axes, x),
        Numbers::I64(x) => fold_elements(cpu, axes, x),
        Numbers::U64(x) => fold_elements(cpu, axes, x),
        Numbers::F32(x) => fold_elements(cpu, axes, x),
        Numbers::F64(x) => fold_elements(cpu, axes, x),
    }
}

/// The rows of an array without elements. All are alike, and there may be any number of them: none is kept.
fn of_no_elements<T: Numeric>(cpu: &Cpu, axes: Axes) -> Result<Rows, Failure>
where
    All: Op<T, Out = Folded<T>>,
{
    let lengths = axes.kept_shape.iter();
    let len = lengths
        .map(|&length| usize::try_from(length).ok())
        .try_fold(1, |len: usize, length| length.and_then(|length| len.checked_mul(length)));
    // A length of 0 makes none, whatever the others are.
    let len = if axes.kept_shape.contains(&0) { Some(0) } else { len };
    let len = len.ok_or_else(|| {
        let (path, shape) = (axes.path.display(), tuple(&axes.shape));
        Failure::Usage(format!(
            "{path}: --axis takes no array of shape {shape}, which has more rows than can be counted"
        ))
    })?;
    let folded = timed(|| Ok(cpu.reduce(All::default(), &[] as &[T])?))?;
    let sum = folded.result.0;
    let row = move |_| Row { count: 0, sum: sum.into(), min: None, max: None };
    let (labels, fold) = (Labels::Axes(axes), folded.time);
    Ok(Rows { dtype: T::DTYPE, count: 0, missing: 0, labels, len, row: Box::new(row), fold })
}

fn fold_elements<T: Numeric>(cpu: &Cpu, axes: Axes, x: &[T]) -> Result<Rows, Failure>
where
    All: Op<T, Out = Folded<T>>,
{
    if x.is_empty() {
        return of_no_elements::<T>(cpu, axes);
    }
    let view = axes.view(x)?;
    let folded = timed(|| Ok(cpu.reduce(All::default(), along(view, &axes.reduced))?))?;
    let len = folded.result.len();
    let count = x.len().checked_div(len).unwrap_or(0) as u64;
    let row = move |row: usize| {
        let (sum, extremes) = folded.result[row];
        Row {
            count,
            sum: sum.into(),
            min: extremes.map(|at| Place { index: at.min.index, value: at.min.value.into() }),
            max: extremes.map(|at| Place { index: at.max.index, value: at.max.value.into() }),
        }
    };
    Ok(Rows {
        dtype: T::DTYPE,
        count: x.len() as u64,
        missing: 0,
        labels: Labels::Axes(axes),
        len,
        row: Box::new(row),
        fold: folded.time,
    })
}
