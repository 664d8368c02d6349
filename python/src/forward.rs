//! Softmax, norms of rows, and logarithms of sums of exponentials.

use pyo3::prelude::*;
use warpfold::along;

use crate::array::{Array, Integers};
use crate::axes::{Axes, axes, from_first};
use crate::dispatch::Kind;
use crate::failure::{raise, type_error};
use crate::library::{Given, Library};
use crate::order::{Rows, moved};
use crate::reduce::together;
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
            _ => return Err(type_error("this is of floats: convert by astype(\"float64\")")),
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
    let shape = x.reduced_shape(&axes, keepdims);
    let results = match x.gpu() {
        Some(gpu) => {
            let mut order: Vec<usize> = (0..x.shape.len()).filter(|axis| !axes.contains(axis)).collect();
            order.extend(&axes);
            let rows = Array::contiguous(&given.by("transpose", order)?, Integers::Wide)?;
            let len = axes.iter().map(|&axis| x.shape[axis]).product();
            of_float!(x, T, gpu.log_sum_exp::<T>(&rows, [shape.iter().product(), len], &shape)?)
        }
        None => of_float!(x, T, {
            let view = x.view::<T>(py)?;
            Values::from(py.detach(|| cpu().log_sum_exp(along(view, &axes))).map_err(raise(py))?)
        }),
    };
    results.present(py, &shape)
}

/// What is done with each row.
#[derive(Clone, Copy)]
pub(crate) enum What {
    Softmax,
    LogSoftmax,
    RmsNorm,
    LayerNorm,
}

/// That, with the weight and the bias of each column, and what is added to the variance.
pub(crate) struct Map<'py> {
    pub(crate) what: What,
    pub(crate) parameters: [Option<Array<'py>>; 2],
    pub(crate) epsilon: f64,
}

impl<'py> Map<'py> {
    /// Looks at the parameters for an array.
    fn new(
        x: &Array<'py>,
        what: What,
        parameters: [Option<&Bound<'py, PyAny>>; 2],
        epsilon: f64,
    ) -> PyResult<Self> {
        let [weight, bias] = parameters;
        let parameter = |given: Option<&Bound<'py, PyAny>>, name| {
            let Some(given) = given else { return Ok(None) };
            let parameter = Array::flat(&Given::new(given)?, name, Integers::Wide)?;
            together(x, &parameter, name)?;
            if parameter.kind == x.kind {
                return Ok(Some(parameter));
            }
            Err(type_error(format!("`{name}` has another type of elements than `x`: convert one by astype")))
        };
        Ok(Self { what, parameters: [parameter(weight, "weight")?, parameter(bias, "bias")?], epsilon })
    }
}

/// Maps the elements along an axis to as many.
#[pyfunction]
pub(crate) fn map_rows<'py>(
    what: &str,
    x: &Bound<'py, PyAny>,
    axis: isize,
    weight: Option<&Bound<'py, PyAny>>,
    bias: Option<&Bound<'py, PyAny>>,
    epsilon: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let what = match what {
        "softmax" => What::Softmax,
        "log_softmax" => What::LogSoftmax,
        "rms_norm" => What::RmsNorm,
        _ => What::LayerNorm,
    };
    let (py, given) = (x.py(), Given::new(x)?);
    if let Library::Gpu(gpu) = &given.library {
        let rows = Rows::of(&given, Some(axis))?;
        let map = Map::new(&rows.x, what, [weight, bias], epsilon)?;
        let results = of_float!(rows.x, T, gpu.map::<T>(&rows.x, rows.shape, &map)?);
        return rows.present(results, rows.shape[1]);
    }
    let x = Array::of(&given, Integers::Wide)?;
    let axes = [from_first(py, axis, x.shape.len())?];
    let map = Map::new(&x, what, [weight, bias], epsilon)?;
    let results = of_float!(x, T, {
        let rows = along(x.view::<T>(py)?, &axes);
        let [weight, bias] =
            map.parameters.each_ref().map(|of| of.as_ref().map(Array::elements::<T>).transpose());
        let (weight, bias) = (weight?, bias?);
        let run = || match what {
            What::Softmax => cpu().softmax(rows),
            What::LogSoftmax => cpu().log_softmax(rows),
            What::RmsNorm => cpu().rms_norm(rows, weight, epsilon),
            What::LayerNorm => cpu().layer_norm(rows, weight, bias, epsilon),
        };
        Values::from(py.detach(run).map_err(raise(py))?)
    });
    let mut shape = x.shape.clone();
    let row = shape.remove(axes[0]);
    shape.push(row);
    let results = results.array(py, &shape)?;
    if axes[0] + 1 == shape.len() {
        Ok(results)
    } else {
        Ok(moved(&Given { x: results, ..given }, -1, axes[0])?.x)
    }
}
