//! Softmax, and logarithms of sums of exponentials.

use pyo3::prelude::*;
use warpfold::along;

use crate::array::{Array, Integers};
use crate::axes::{Axes, axes, from_first};
use crate::dispatch::Kind;
use crate::failure::{raise, type_error};
use crate::gpu::Exponential;
use crate::library::{Given, Library};
use crate::order::{Rows, moved};
use crate::results::{Results, Values};
use crate::threads::cpu;

/// Runs `$run` with the type of a float as `$T`.
macro_rules! of_float {
    ($x:expr, $T:ident, $run:expr) => {
        match $x.kind {
            Kind::F32 => {
                type $T = f32;
                Results::from($run)
            }
            Kind::F64 => {
                type $T = f64;
                Results::from($run)
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
    let (py, given) = (x.py(), Given::new(x)?);
    let x = Array::of(&given, Integers::Wide)?;
    let axes = axes(py, axis.as_ref(), x.shape.len())?;
    let results = match x.gpu() {
        Some(gpu) => {
            let mut order: Vec<usize> = (0..x.shape.len()).filter(|axis| !axes.contains(axis)).collect();
            order.extend(&axes);
            let rows = Array::contiguous(&given.by("transpose", order)?, Integers::Wide)?;
            let len = axes.iter().map(|&axis| x.shape[axis]).product();
            let shape = [x.reduced_shape(&axes, false).iter().product(), len];
            of_float!(x, T, gpu.exponentials::<T>(&rows, shape, Exponential::LogSumExp)?)
        }
        None => of_float!(x, T, {
            let view = x.view::<T>(py)?;
            Values::from(py.detach(|| cpu().log_sum_exp(along(view, &axes))).map_err(raise(py))?)
        }),
    };
    results.present(py, &x.reduced_shape(&axes, keepdims))
}

/// Stamps functions from rows to rows.
macro_rules! of_rows {
    ($(#[doc = $doc:literal] $name:ident, $Verb:ident;)*) => { $(
        #[doc = $doc]
        #[pyfunction]
        pub(crate) fn $name<'py>(x: &Bound<'py, PyAny>, axis: isize) -> PyResult<Bound<'py, PyAny>> {
            let (py, given) = (x.py(), Given::new(x)?);
            if let Library::Gpu(gpu) = &given.library {
                let rows = Rows::new(x, Some(axis))?;
                let results = of_float!(rows.x, T, gpu.exponentials::<T>(&rows.x, rows.shape, Exponential::$Verb)?);
                return rows.present(results, rows.shape[1]);
            }
            let x = Array::of(&given, Integers::Wide)?;
            let axes = [from_first(py, axis, x.shape.len())?];
            let results = of_float!(x, T, {
                let view = x.view::<T>(py)?;
                Values::from(py.detach(|| cpu().$name(along(view, &axes))).map_err(raise(py))?)
            });
            let mut shape = x.shape.clone();
            let row = shape.remove(axes[0]);
            shape.push(row);
            Ok(moved(&Given { x: results.array(py, &shape)?, ..given }, -1, axes[0])?.x)
        }
    )* };
}
of_rows! {
    /// Returns the softmax along an axis.
    softmax, Softmax;
    /// Returns the logarithm of the softmax along an axis.
    log_softmax, LogSoftmax;
}
