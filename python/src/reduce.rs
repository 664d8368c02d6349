//! Reductions along axes, and dot products.

use pyo3::prelude::*;
use warpfold::{Dot, Op, along, zip};

use crate::array::{Array, Integers};
use crate::axes::{Axes, axes};
use crate::dispatch::{Kind, Number, OfOperator, integers_of, reduction};
use crate::failure::{raise, type_error};
use crate::results::{Missing, Outcome, Values};
use crate::threads::cpu;
use crate::unfinished::{Finish, Unfinished};

/// A reduction along axes.
struct Along<'a, 'py> {
    py: Python<'py>,
    x: &'a Array<'py>,
    axes: &'a [usize],
    missing: Missing<'a>,
}

impl OfOperator for Along<'_, '_> {
    fn call<T, F, E>(self) -> PyResult<Values>
    where
        T: Number,
        F: Op<T> + Default,
        E: Op<T, Acc = F::Acc, Out: Outcome> + Default,
    {
        let Self { py, x, axes, missing } = self;
        let view = x.view::<T>(py)?;
        let run = || Finish::<T, E>::all(cpu().reduce(Unfinished::<F>::default(), along(view, axes))?);
        E::Out::values(py.detach(run).map_err(raise(py))?, missing)
    }
}

/// Returns NaN for the means and the like of no elements, as NumPy does.
pub(crate) fn missing(op: &str) -> Missing<'_> {
    match op {
        "mean" | "variance" | "sample_variance" | "std_dev" | "sample_std_dev" => Missing::Nan,
        _ => Missing::Refused(op),
    }
}

/// Reduces along axes.
#[pyfunction]
pub(crate) fn reduce<'py>(
    op: &str,
    x: &Bound<'py, PyAny>,
    axis: Option<Axes>,
    keepdims: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let folds = if let "any" | "all" = op { "count" } else { op };
    let x = Array::new(x, integers_of(folds))?;
    let axes = axes(py, axis.as_ref(), x.shape.len())?;
    let results = reduction(folds, x.kind, Along { py, x: &x, axes: &axes, missing: missing(folds) })?;
    let len: u64 = axes.iter().map(|&axis| x.shape[axis] as u64).product();
    let results = match (op, results) {
        ("any", Values::U64(counts)) => counts.into_iter().map(|count| count > 0).collect::<Vec<_>>().into(),
        ("all", Values::U64(counts)) => {
            counts.into_iter().map(|count| count == len).collect::<Vec<_>>().into()
        }
        (_, Values::U64(values)) => values.into_iter().map(u64::cast_signed).collect::<Vec<_>>().into(),
        (_, results) => results,
    };
    let results = results.present(py, &x.reduced_shape(&axes, keepdims))?;
    if let "minimum" | "maximum" = op { x.restored(results) } else { Ok(results) }
}

/// Returns the dot product of two arrays of one dimension.
#[pyfunction]
pub(crate) fn dot<'py>(x: &Bound<'py, PyAny>, y: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let (x, y) = (Array::flat(x, "x", Integers::Wide)?, Array::flat(y, "y", Integers::Wide)?);
    macro_rules! dot_of {
        ($T:ty) => {{
            let (x, y) = (x.elements::<$T>()?, y.elements::<$T>()?);
            vec![py.detach(|| cpu().reduce(Dot, zip(x, y))).map_err(raise(py))?].into()
        }};
    }
    let product: Values = match (x.kind, y.kind) {
        (Kind::F32, Kind::F32) => dot_of!(f32),
        (Kind::F64, Kind::F64) => dot_of!(f64),
        (Kind::I64, Kind::I64) => dot_of!(i64),
        _ => return Err(type_error("the arrays have different types of elements: convert one by astype")),
    };
    product.present(py, &[])
}
