//! Scans along axes.

use pyo3::prelude::*;
use warpfold::kernels::ScanKernel;
use warpfold::{Op, Scan, along};

use crate::array::{Array, Integers};
use crate::axes::{Axes, axes};
use crate::dispatch::{Number, OfScan, scanning};
use crate::failure::raise;
use crate::results::{Missing, Outcome, Results};
use crate::threads::cpu;

/// A scan along axes.
struct Lines<'a, 'py> {
    py: Python<'py>,
    x: &'a Array<'py>,
    axes: &'a [usize],
    /// That of the results.
    shape: &'a [usize],
    op: &'a str,
    is_exclusive: bool,
    is_reversed: bool,
}

impl<'py> OfScan for Lines<'_, 'py> {
    type Answer = Results<'py>;

    fn call<T, E>(self) -> PyResult<Results<'py>>
    where
        T: Number,
        E: ScanKernel<T> + Op<T, Out: Outcome> + Default,
    {
        let Self { py, x, axes, shape, op, is_exclusive, is_reversed } = self;
        if let Some(gpu) = x.gpu() {
            return gpu.scan::<T, E>(x, axes, shape, is_exclusive, is_reversed);
        }
        let mut view = x.view::<T>(py)?;
        if is_reversed {
            view = view.reversed(axes).map_err(raise(py))?;
        }
        let scan = if is_exclusive { Scan::exclusive() } else { Scan::inclusive() };
        let results = py.detach(|| cpu().scan(E::default(), along(view, axes), scan));
        Ok(E::Out::values(results.map_err(raise(py))?, Missing::Refused(op))?.into())
    }
}

/// Scans along an axis, or all elements in row-major order.
#[pyfunction]
pub(crate) fn scan<'py>(
    op: &str,
    x: &Bound<'py, PyAny>,
    axis: Option<isize>,
    exclusive: bool,
    reverse: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let x = Array::new(x, Integers::Wide)?;
    let axes = axes(py, axis.map(Axes::One).as_ref(), x.shape.len())?;
    let len = [x.len()];
    let shape = if axis.is_none() { &len } else { &x.shape[..] };
    let request = Lines { py, x: &x, axes: &axes, shape, op, is_exclusive: exclusive, is_reversed: reverse };
    let results = scanning(op, x.kind, request)?.array(py, shape)?;
    let results = if let "minimum" | "maximum" = op { x.restored(results)? } else { results };
    if reverse {
        let flipped = axis.map_or(0, |_| axes[0]);
        return x.library.call(py, "flip", (results, flipped));
    }
    Ok(results)
}
