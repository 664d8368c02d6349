//! The argument `axis`.

use pyo3::prelude::*;

use crate::failure::axis_error;

/// `axis`: one axis, or several.
#[derive(FromPyObject)]
pub(crate) enum Axes {
    /// One.
    #[pyo3(transparent)]
    One(isize),
    /// Several, or none.
    #[pyo3(transparent)]
    Many(Vec<isize>),
}

/// Returns the axes that `axis` names, counted from the first: all for `None`.
pub(crate) fn axes(py: Python<'_>, axis: Option<&Axes>, dimensions: usize) -> PyResult<Vec<usize>> {
    match axis {
        None => Ok((0..dimensions).collect()),
        Some(Axes::One(axis)) => Ok(vec![from_first(py, *axis, dimensions)?]),
        Some(Axes::Many(axes)) => axes.iter().map(|&axis| from_first(py, axis, dimensions)).collect(),
    }
}

/// Counts an axis from the first. A negative one counts from the last.
pub(crate) fn from_first(py: Python<'_>, axis: isize, dimensions: usize) -> PyResult<usize> {
    let counted = if axis < 0 { axis.checked_add_unsigned(dimensions) } else { Some(axis) };
    let counted = counted.and_then(|axis| usize::try_from(axis).ok()).filter(|&axis| axis < dimensions);
    let message = || format!("axis {axis} is out of bounds for array of dimension {dimensions}");
    counted.ok_or_else(|| axis_error(py, message()))
}
