//! The libraries whose arrays are taken, and what is asked of them.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

use crate::failure::type_error;
use crate::gpu::Gpu;
use crate::results::numpy;

/// The library of an array.
#[derive(Clone)]
pub(crate) enum Library<'py> {
    /// NumPy.
    Numpy,
    /// The library of an array on a GPU.
    Gpu(Gpu<'py>),
}

impl<'py> Library<'py> {
    /// Calls a function of NumPy's module, or the library's own by that name.
    pub(crate) fn call(
        &self,
        py: Python<'py>,
        name: &str,
        arguments: impl PyCallArgs<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Numpy => numpy(py)?.module.bind(py).call_method1(name, arguments),
            Self::Gpu(gpu) => gpu.library().call_method1(name, arguments),
        }
    }

    /// Copies an array to another type of elements, named or an object of the library.
    pub(crate) fn astype(
        &self,
        x: &Bound<'py, PyAny>,
        dtype: impl IntoPyObject<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Numpy => x.call_method1("astype", (dtype,)),
            Self::Gpu(gpu) => gpu.library().call_method1("astype", (x, dtype)),
        }
    }
}

/// An argument as an array of its library.
#[derive(Clone)]
pub(crate) struct Given<'py> {
    pub(crate) x: Bound<'py, PyAny>,
    pub(crate) library: Library<'py>,
}

impl<'py> Given<'py> {
    /// Takes an array where it is. Anything else is converted by `numpy.asarray`.
    pub(crate) fn new(x: &Bound<'py, PyAny>) -> PyResult<Self> {
        let numpy = numpy(x.py())?;
        if x.is_exact_instance(numpy.ndarray.bind(x.py())) {
            return Ok(Self { x: x.clone(), library: Library::Numpy });
        }
        if let Some((x, gpu)) = Gpu::of(x)? {
            return Ok(Self { x, library: Library::Gpu(gpu) });
        }
        if x.hasattr("mask")? && x.hasattr("filled")? {
            return Err(type_error(
                "a masked array's mask would be lost: pass x.compressed() or x.filled(..)",
            ));
        }
        Ok(Self { x: numpy.asarray.bind(x.py()).call1((x,))?, library: Library::Numpy })
    }

    /// Returns what a function of the library makes of it.
    pub(crate) fn by(&self, name: &str, argument: impl IntoPyObject<'py>) -> PyResult<Self> {
        let x = self.library.call(self.x.py(), name, (&self.x, argument))?;
        Ok(Self { x, ..self.clone() })
    }

    /// Returns it with other elements.
    pub(crate) fn of_type(&self, dtype: impl IntoPyObject<'py>) -> PyResult<Self> {
        Ok(Self { x: self.library.astype(&self.x, dtype)?, ..self.clone() })
    }

    /// Returns it in row-major order, copied if it is in another.
    pub(crate) fn contiguous(&self) -> PyResult<Self> {
        let x = match &self.library {
            Library::Numpy => numpy(self.x.py())?.ascontiguousarray.bind(self.x.py()).call1((&self.x,))?,
            Library::Gpu(gpu) => gpu.library().call_method1("ascontiguousarray", (&self.x,))?,
        };
        Ok(Self { x, ..self.clone() })
    }
}
