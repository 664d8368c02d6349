//! Results as arrays and scalars of the caller's library.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use warpfold::At;
use warpfold::elements::Accumulator;
use warpfold::kernels::{Storable, StoredAt};
use warpfold::stored::InWord;

use crate::array::written;
use crate::failure::value_error;

/// What calls need of NumPy. It is imported by the first.
pub(crate) struct Numpy {
    pub(crate) ndarray: Py<PyAny>,
    pub(crate) asarray: Py<PyAny>,
    pub(crate) ascontiguousarray: Py<PyAny>,
    pub(crate) module: Py<PyAny>,
    empty: Py<PyAny>,
    /// Makes a scalar of a type and its bytes. Scalars are pickled by it.
    scalar: Py<PyAny>,
    /// The types of results.
    dtypes: Vec<Py<PyAny>>,
}

/// Imports NumPy, or returns what was imported before.
pub(crate) fn numpy(py: Python<'_>) -> PyResult<&Numpy> {
    static NUMPY: PyOnceLock<Numpy> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || {
        let module = py.import("numpy")?;
        let get = |name: &str| Ok::<_, PyErr>(module.getattr(name)?.unbind());
        let dtype = |&code| Ok(module.getattr("dtype")?.call1((code,))?.unbind());
        let scalar = module.getattr("float64")?.call0()?.call_method0("__reduce__")?.get_item(0)?;
        Ok(Numpy {
            ndarray: get("ndarray")?,
            asarray: get("asarray")?,
            ascontiguousarray: get("ascontiguousarray")?,
            empty: get("empty")?,
            scalar: scalar.unbind(),
            dtypes: CODES.iter().map(dtype).collect::<PyResult<_>>()?,
            module: module.into_any().unbind(),
        })
    })
}

/// Most bytes of results that are copied to an array that NumPy has allocated. It takes longer to have NumPy ask for the memory of an
/// object, but as long for any number of bytes. [2-core EPYC, cumsum of f32, one thread: of 16 KiB 6.1 us, of an element more 7.4.]
const COPIED: usize = 1 << 14;

/// Stamps the types of results: the place in `CODES`, the letter of the type in NumPy.
macro_rules! values {
    ($($Kind:ident $value:ty: $place:literal, $code:literal;)*) => {
        /// The names of the types in NumPy.
        const CODES: [&str; [$($code),*].len()] = [$($code),*];

        /// Results of one type.
        #[derive(Debug)]
        pub(crate) enum Values { $($Kind(Vec<$value>)),* }

        $(impl From<Vec<$value>> for Values {
            fn from(values: Vec<$value>) -> Self {
                Self::$Kind(values)
            }
        }

        impl Outcome for $value {
            fn values(outcomes: Vec<Self>, _: Missing<'_>) -> PyResult<Values> {
                Ok(outcomes.into())
            }
        }

        impl Plain for $value {
            fn nan() -> Option<Self> {
                values!(@nan $Kind)
            }
        })*

        impl Values {
            /// Returns the bytes of the results, and the place of their type.
            fn bytes(&self) -> (&[u8], usize) {
                match self { $(Self::$Kind(values) => (bytemuck::cast_slice(values), $place)),* }
            }
        }
    };
    (@nan F32) => { Some(f32::NAN) };
    (@nan F64) => { Some(f64::NAN) };
    (@nan $Kind:ident) => { None };
}
values! {
    Bool bool: 0, "|b1";
    U8 u8: 1, "|u1";
    I32 i32: 2, "=i4";
    I64 i64: 3, "=i8";
    U64 u64: 4, "=u8";
    F32 f32: 5, "=f4";
    F64 f64: 6, "=f8";
}

impl Values {
    /// Returns the results as an array of a shape, or as a scalar if it has no axes.
    pub(crate) fn present<'py>(self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        if shape.is_empty() { self.scalar(py) } else { self.array(py, shape) }
    }

    /// Returns the only result, as a scalar.
    fn scalar<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (numpy, (bytes, place)) = (numpy(py)?, self.bytes());
        numpy.scalar.bind(py).call1((&numpy.dtypes[place], PyBytes::new(py, bytes)))
    }

    /// Returns the results as an array of a shape.
    pub(crate) fn array<'py>(self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let (bytes, place) = self.bytes();
        if bytes.len() <= COPIED {
            let numpy = numpy(py)?;
            let array = numpy.empty.bind(py).call1((PyTuple::new(py, shape)?, &numpy.dtypes[place]))?;
            return written(array, bytes);
        }
        let owner = Bound::new(py, Owner { values: self, shape: shape.into() })?;
        numpy(py)?.asarray.bind(py).call1((owner,))
    }
}

/// Results where the verb has left them.
pub(crate) enum Results<'py> {
    /// In host memory.
    Host(Values),
    /// In an array of their shape.
    Gpu(Bound<'py, PyAny>),
}

impl<V> From<V> for Results<'_>
where
    Values: From<V>,
{
    fn from(values: V) -> Self {
        Self::Host(values.into())
    }
}

impl<'py> Results<'py> {
    /// Returns the results as an array of a shape, which they have on a GPU. Without axes that is a scalar of NumPy, or an array of another library.
    pub(crate) fn present(self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Host(values) => values.present(py, shape),
            on_gpu => on_gpu.array(py, shape),
        }
    }

    /// Returns the results as an array of a shape.
    pub(crate) fn array(self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Host(values) => values.array(py, shape),
            Self::Gpu(array) => Ok(array),
        }
    }
}

/// The owner of an array's memory.
#[pyclass(frozen, module = "warpfold._warpfold")]
struct Owner {
    values: Values,
    shape: Vec<usize>,
}

#[pymethods]
impl Owner {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        let (bytes, place) = self.values.bytes();
        interface.set_item("version", 3)?;
        interface.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        interface.set_item("typestr", CODES[place])?;
        interface.set_item("data", (bytes.as_ptr().addr(), false))?;
        Ok(interface)
    }
}

/// What stands for results that are missing, because an operator has none for empty input.
#[derive(Clone, Copy)]
pub(crate) enum Missing<'a> {
    /// NaN, as in NumPy's mean.
    Nan,
    /// An exception that names the operator.
    Refused(&'a str),
}

/// A value of NumPy.
pub(crate) trait Plain: Copy {
    /// NaN, if there is one.
    fn nan() -> Option<Self>;
}

/// A type of results in arrays on a GPU.
pub(crate) trait Placed: Accumulator {
    /// Its name in the libraries.
    const DTYPE: &str;
    /// How many of those a result has: the first is it.
    const WIDTH: usize = 1;
}

macro_rules! placed {
    ($($value:ty: $name:literal;)*) => { $(
        impl Placed for $value {
            const DTYPE: &str = $name;
        }
    )* };
}
placed! { u8: "uint8"; i32: "int32"; i64: "int64"; u64: "int64"; f32: "float32"; f64: "float64"; }

impl<V: InWord> Placed for StoredAt<V> {
    const DTYPE: &str = "int64";
    const WIDTH: usize = 2;
}

/// A result of an operator.
pub(crate) trait Outcome: Storable<Stored: Placed> + Sized + Send {
    /// Converts results.
    fn values(outcomes: Vec<Self>, missing: Missing<'_>) -> PyResult<Values>;

    /// Returns whether there is none.
    fn is_missing(&self) -> bool {
        false
    }
}

impl<V: Plain + Storable<Stored: Placed> + Send> Outcome for Option<V>
where
    Values: From<Vec<V>>,
{
    fn is_missing(&self) -> bool {
        self.is_none()
    }

    fn values(outcomes: Vec<Self>, missing: Missing<'_>) -> PyResult<Values> {
        let nan = if let Missing::Nan = missing { V::nan() } else { None };
        let values = outcomes.into_iter().enumerate();
        let values = values.map(|(at, value)| value.or(nan).ok_or_else(|| refused(missing, at)));
        Ok(values.collect::<PyResult<Vec<V>>>()?.into())
    }
}

/// The results are the indices.
impl<T: Storable<Stored: InWord> + Send> Outcome for Option<At<T>> {
    fn is_missing(&self) -> bool {
        self.is_none()
    }

    fn values(outcomes: Vec<Self>, missing: Missing<'_>) -> PyResult<Values> {
        let indices = outcomes.into_iter().map(|at| at.map(|at| at.index.cast_signed())).collect();
        Option::<i64>::values(indices, missing)
    }
}

/// Returns the exception for a result of no elements.
pub(crate) fn refused(missing: Missing<'_>, at: usize) -> PyErr {
    let op = if let Missing::Refused(op) = missing { op } else { "mean" };
    value_error(format!("{op} has no result for empty input, and result {at} is of no elements"))
}
