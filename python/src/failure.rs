//! Errors as exceptions.

use pyo3::exceptions::{
    PyFloatingPointError, PyIndexError, PyMemoryError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use warpfold::Error;

/// Returns what makes an exception of an error.
pub(crate) fn raise(py: Python<'_>) -> impl Fn(Error) -> PyErr {
    move |error| {
        let message = error.to_string();
        match error {
            Error::Axes { .. } => axis_error(py, message),
            Error::TooManyResults { .. } | Error::OutOfMemory { .. } => PyMemoryError::new_err(message),
            Error::Group { .. } => PyIndexError::new_err(message),
            Error::FloatEnvironment { .. } => PyFloatingPointError::new_err(message),
            Error::Threads { .. }
            | Error::Setting { .. }
            | Error::Unavailable { .. }
            | Error::PtxTooNew { .. }
            | Error::Kernel { .. }
            | Error::Poisoned { .. }
            | Error::Forked
            | Error::Capturing { .. }
            | Error::NoResult
            | Error::Driver { .. } => PyRuntimeError::new_err(message),
            _ => PyValueError::new_err(message),
        }
    }
}

/// Returns NumPy's `AxisError`, which is a `ValueError` and an `IndexError`, or a `ValueError` where NumPy has none.
pub(crate) fn axis_error(py: Python<'_>, message: String) -> PyErr {
    let kind = py.import("numpy.exceptions").and_then(|module| module.getattr("AxisError"));
    match kind.and_then(|kind| kind.call1((&message,))) {
        Ok(error) => PyErr::from_value(error),
        Err(_) => PyValueError::new_err(message),
    }
}

/// Returns the exception for arguments of wrong values.
pub(crate) fn value_error(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

/// Returns the exception for arguments of wrong types.
pub(crate) fn type_error(message: impl Into<String>) -> PyErr {
    PyTypeError::new_err(message.into())
}
