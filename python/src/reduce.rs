//! Reductions along axes, and dot products.

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use warpfold::kernels::RowsKernel;
use warpfold::{Dot, Op, along, zip};

use crate::array::{Array, Integers};
use crate::axes::{Axes, axes};
use crate::dispatch::{Kind, Number, OfOperator, integers_of, reduction};
use crate::failure::{raise, type_error};
use crate::library::Given;
use crate::results::{Missing, Outcome, Results, Values};
use crate::threads::cpu;
use crate::unfinished::{Finish, Unfinished};

/// A reduction along axes.
struct Along<'a, 'py> {
    py: Python<'py>,
    x: &'a Array<'py>,
    axes: &'a [usize],
    /// That of the results.
    shape: &'a [usize],
    missing: Missing<'a>,
}

impl<'py> OfOperator for Along<'_, 'py> {
    type Answer = Results<'py>;

    fn call<T, F, E>(self) -> PyResult<Results<'py>>
    where
        T: Number,
        F: Op<T> + Default,
        E: RowsKernel<T> + Op<T, Acc = F::Acc, Out: Outcome> + Default,
    {
        let Self { py, x, axes, shape, missing } = self;
        if let Some(gpu) = x.gpu() {
            return gpu.along::<T, E>(x, axes, shape, missing);
        }
        let view = x.view::<T>(py)?;
        let run = || Finish::<T, E>::all(cpu().reduce(Unfinished::<F>::default(), along(view, axes))?);
        Ok(E::Out::values(py.detach(run).map_err(raise(py))?, missing)?.into())
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
    let shape = x.reduced_shape(&axes, keepdims);
    let request = Along { py, x: &x, axes: &axes, shape: &shape, missing: missing(folds) };
    let results = reduction(folds, x.kind, request)?;
    let len: u64 = axes.iter().map(|&axis| x.shape[axis] as u64).product();
    let results = match (op, results) {
        ("any", Results::Host(Values::U64(counts))) => {
            counts.into_iter().map(|count| count > 0).collect::<Vec<_>>().into()
        }
        ("all", Results::Host(Values::U64(counts))) => {
            counts.into_iter().map(|count| count == len).collect::<Vec<_>>().into()
        }
        (_, Results::Host(Values::U64(values))) => {
            values.into_iter().map(u64::cast_signed).collect::<Vec<_>>().into()
        }
        ("any", Results::Gpu(counts)) => Results::Gpu(counts.rich_compare(0, CompareOp::Gt)?),
        ("all", Results::Gpu(counts)) => Results::Gpu(counts.rich_compare(len, CompareOp::Eq)?),
        (_, results) => results,
    };
    let results = results.present(py, &shape)?;
    if let "minimum" | "maximum" = op { x.restored(results) } else { Ok(results) }
}

/// Returns the dot product of two arrays of one dimension.
#[pyfunction]
pub(crate) fn dot<'py>(x: &Bound<'py, PyAny>, y: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let [x, y] = [(x, "x"), (y, "y")].map(|(x, name)| Array::flat(&Given::new(x)?, name, Integers::Wide));
    let (x, y) = (x?, y?);
    together(&x, &y, "y")?;
    macro_rules! dot_of {
        ($T:ty) => {
            match x.gpu() {
                Some(gpu) => gpu.dot::<$T>(&x, &y)?,
                None => {
                    let (x, y) = (x.elements::<$T>()?, y.elements::<$T>()?);
                    vec![py.detach(|| cpu().reduce(Dot, zip(x, y))).map_err(raise(py))?].into()
                }
            }
        };
    }
    let product: Results<'_> = match (x.kind, y.kind) {
        (Kind::F32, Kind::F32) => dot_of!(f32),
        (Kind::F64, Kind::F64) => dot_of!(f64),
        (Kind::I64, Kind::I64) => dot_of!(i64),
        _ => return Err(type_error("the arrays have different types of elements: convert one by astype")),
    };
    product.present(py, &[])
}

/// Fails unless two arrays are in host memory, or on one GPU for one stream.
pub(crate) fn together(x: &Array<'_>, y: &Array<'_>, name: &str) -> PyResult<()> {
    match (x.gpu(), y.gpu()) {
        (None, None) => Ok(()),
        (Some(x), Some(y)) if x.is(y) => Ok(()),
        _ => {
            Err(type_error(format!("`x` and `{name}` are not in one memory: move one to the other's device")))
        }
    }
}
