//! Exact states: sums and moments that merge, and whose bytes are pickled.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use warpfold::exact;

use crate::array::{Array, Integers};
use crate::dispatch::Kind;
use crate::failure::{raise, type_error, value_error};
use crate::library::Given;
use crate::threads::cpu;

/// Runs `$run` over the state that `$states` holds.
macro_rules! of_state {
    ($Any:ident, $states:expr, $state:ident => $run:expr) => {
        match $states {
            $Any::F32($state) => $run,
            $Any::F64($state) => $run,
            $Any::I64($state) => $run,
        }
    };
}

/// Stamps a class whose states are of f32, f64 or i64, and its getters.
macro_rules! states {
    ($($State:ident, $Any:ident: $($getter:ident),*;)*) => { $(
        /// A state of elements of one type.
        #[derive(Clone, Copy, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "an object of Python has it")]
        enum $Any {
            F32(exact::$State<f32>),
            F64(exact::$State<f64>),
            I64(exact::$State<i64>),
        }

        /// Documented in `warpfold/exact.py`.
        #[pyclass(module = "warpfold.exact", frozen, eq)]
        #[derive(PartialEq)]
        pub(crate) struct $State($Any);

        impl $State {
            /// Returns both states merged, or the second taken back.
            fn joined(&self, other: &Self, takes_back: bool) -> PyResult<Self> {
                macro_rules! join {
                    ($Kind:ident, $left:expr, $right:expr) => {{
                        let mut state = $left;
                        if takes_back { state.unmerge(&$right) } else { state.merge(&$right) }
                        Ok(Self($Any::$Kind(state)))
                    }};
                }
                match (self.0, other.0) {
                    ($Any::F32(left), $Any::F32(right)) => join!(F32, left, right),
                    ($Any::F64(left), $Any::F64(right)) => join!(F64, left, right),
                    ($Any::I64(left), $Any::I64(right)) => join!(I64, left, right),
                    _ => Err(type_error("the states are of different types of elements")),
                }
            }
        }

        #[pymethods]
        impl $State {
            #[new]
            fn new(x: &Bound<'_, PyAny>) -> PyResult<Self> {
                let py = x.py();
                let x = Array::contiguous(&Given::new(x)?, Integers::Wide)?;
                if x.gpu().is_some() {
                    return Err(type_error("exact states are of arrays in host memory: copy the array there"));
                }
                macro_rules! state_of {
                    ($Kind:ident $T:ty) => {{
                        let x = x.elements::<$T>()?;
                        Ok(Self($Any::$Kind(py.detach(|| cpu().exact_state(x)).map_err(raise(py))?)))
                    }};
                }
                match x.kind {
                    Kind::F32 => state_of!(F32 f32),
                    Kind::F64 => state_of!(F64 f64),
                    Kind::I64 => state_of!(I64 i64),
                    _ => Err(type_error("exact states are of floats and of signed integers: convert by astype")),
                }
            }

            fn __add__(&self, other: &Self) -> PyResult<Self> {
                self.joined(other, false)
            }

            fn __sub__(&self, other: &Self) -> PyResult<Self> {
                self.joined(other, true)
            }

            fn encode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                let mut buffer = [0; exact::$State::<f64>::MAX_BYTES];
                let bytes = of_state!($Any, &self.0, state => state.encode(&mut buffer));
                Ok(PyBytes::new(py, bytes.map_err(|error| value_error(error.to_string()))?))
            }

            #[staticmethod]
            fn decode(bytes: &[u8]) -> PyResult<Self> {
                let state = exact::$State::<f64>::decode(bytes).map($Any::F64);
                let state = state.or_else(|error| exact::$State::<f32>::decode(bytes).map($Any::F32).map_err(|_| error));
                let state = state.or_else(|error| exact::$State::<i64>::decode(bytes).map($Any::I64).map_err(|_| error));
                state.map(Self).map_err(|error| value_error(error.to_string()))
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
                Ok((PyType::new::<Self>(py).getattr("decode")?, (self.encode(py)?,)))
            }

            fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
                self.encode(py)?.hash()
            }

            fn __repr__(&self) -> String {
                of_state!($Any, &self.0, state => format!("{state:?}"))
            }

            $(#[getter]
            fn $getter(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
                of_state!($Any, &self.0, state => state.$getter().into_py_any(py))
            })*
        }
    )* };
}
states! {
    Sum, AnySum: count, value, mean;
    Moments, AnyMoments: count, sum, mean, variance, sample_variance, std_dev, sample_std_dev;
}
