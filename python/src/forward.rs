//! Softmax, and logarithms of sums of exponentials.

use pyo3::prelude::*;
use warpfold::along;

use crate::array::{Array, Integers};
use crate::axes::{Axes, axes, from_first};
use crate::dispatch::Kind;
use crate::failure::{raise, type_error};
use crate::results::{Values, numpy};
use crate::threads::cpu;

/// Runs `$run` with the type of a float as `$T`.
macro_rules! of_float {
    ($x:ident, $T:ident, $run:expr) => {
        match $x.kind {
            Kind::F32 => {
                type $T = f32;
                Values::from($run)
            }
            Kind::F64 => {
                type $T = f64;
                Values::from($run)
            }
            _ => return Err(type_error("exponentials are of floats: convert by astype(\"float64\")")),
        }
    };
}

/// Returns the logarithm of the sum of exponentials along axes.
#[pyfunction]
pub(crate) fn logsumexp<'py>(
    x: &Bound<'py, PyAny>,
    axis: Option<Axes>,
    keepdims: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let x = Array::new(x, Integers::Wide)?;
    let axes = axes(py, axis.as_ref(), x.shape.len())?;
    let results = of_float!(x, T, {
        let view = x.view::<T>(py)?;
        py.detach(|| cpu().log_sum_exp(along(view, &axes))).map_err(raise(py))?
    });
    results.present(py, &x.reduced_shape(&axes, keepdims))
}

/// Stamps functions from rows to rows.
macro_rules! of_rows {
    ($(#[doc = $doc:literal] $name:ident;)*) => { $(
        #[doc = $doc]
        #[pyfunction]
        pub(crate) fn $name<'py>(x: &Bound<'py, PyAny>, axis: isize) -> PyResult<Bound<'py, PyAny>> {
            let py = x.py();
            let x = Array::new(x, Integers::Wide)?;
            let axes = [from_first(py, axis, x.shape.len())?];
            let results = of_float!(x, T, {
                let view = x.view::<T>(py)?;
                py.detach(|| cpu().$name(along(view, &axes))).map_err(raise(py))?
            });
            rows(py, &x, results, axes[0])
        }
    )* };
}
of_rows! {
    /// Returns the softmax along an axis.
    softmax;
    /// Returns the logarithm of the softmax along an axis.
    log_softmax;
}

/// Gives rows of results as an array whose axis `axis` they are.
fn rows<'py>(py: Python<'py>, x: &Array<'py>, results: Values, axis: usize) -> PyResult<Bound<'py, PyAny>> {
    let mut shape = x.shape.clone();
    let row = shape.remove(axis);
    shape.push(row);
    let results = results.array(py, &shape)?;
    if axis + 1 == shape.len() {
        return Ok(results);
    }
    numpy(py)?.module.bind(py).call_method1("moveaxis", (results, -1, axis))
}
