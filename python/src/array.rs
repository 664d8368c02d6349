//! Arguments: arrays of NumPy where they are, seen through `__array_struct__`.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::NonNull;
use std::slice;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use warpfold::View;

use crate::dispatch::{Kind, Number};
use crate::failure::{raise, type_error, value_error};
use crate::results::numpy;

/// `PyArrayInterface` of NumPy's header, in the capsule that `__array_struct__` is.
#[repr(C)]
struct Interface {
    two: c_int,
    dimensions: c_int,
    kind: c_char,
    item_bytes: c_int,
    flags: c_int,
    shape: *const isize,
    strides: *const isize,
    data: *mut c_void,
    descr: *mut c_void,
}

/// Flags: the elements are aligned, and in this machine's order of bytes.
const ALIGNED_NATIVE: c_int = 0x100 | 0x200;

/// Which types of integers are read where they are. Other integers are copied to a type that is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Integers {
    /// i64, i32 and u8, as which bool is read too.
    Narrow,
    /// i64.
    Wide,
}

/// An array of one of the [`Kind`]s, kept alive by the capsule.
pub(crate) struct Array<'py> {
    _keeps: Bound<'py, PyCapsule>,
    /// The type of the elements.
    pub(crate) kind: Kind,
    /// The type that the caller's elements had, if another.
    pub(crate) was: Option<Bound<'py, PyAny>>,
    pub(crate) shape: Vec<usize>,
    strides: Vec<isize>,
    /// The lowest element, the number of elements from there to the highest, and the position of the first one.
    lowest: NonNull<c_void>,
    span: usize,
    offset: usize,
}

/// Returns `x` as an array of NumPy, converted by `numpy.asarray` if it is none.
pub(crate) fn ndarray<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = numpy(x.py())?;
    if x.is_exact_instance(numpy.ndarray.bind(x.py())) {
        return Ok(x.clone());
    }
    if x.hasattr("mask")? && x.hasattr("filled")? {
        return Err(type_error("a masked array's mask would be lost: pass x.compressed() or x.filled(..)"));
    }
    numpy.asarray.bind(x.py()).call1((x,))
}

impl<'py> Array<'py> {
    /// Looks at `x`.
    pub(crate) fn new(x: &Bound<'py, PyAny>, integers: Integers) -> PyResult<Self> {
        let py = x.py();
        let x = &ndarray(x)?;
        match Self::read(x, integers)? {
            Ok(array) => Ok(array),
            Err((target, was)) => {
                let dtype = match target {
                    Some(target) => target.into_pyobject(py)?.into_any(),
                    None => x.getattr("dtype")?.call_method1("newbyteorder", ("=",))?,
                };
                let mut array = Self::read(&x.call_method1("astype", (dtype,))?, integers)?
                    .map_err(|_| value_error("the array could not be brought into this machine's form"))?;
                array.was = was.or(array.was);
                Ok(array)
            }
        }
    }

    /// Reads the interface of an `ndarray`, or returns the type to which it must be copied first, and the caller's.
    #[allow(clippy::type_complexity, reason = "named nowhere else")]
    fn read(
        x: &Bound<'py, PyAny>,
        integers: Integers,
    ) -> PyResult<Result<Self, (Option<&'static str>, Option<Bound<'py, PyAny>>)>> {
        let capsule = x.getattr(pyo3::intern!(x.py(), "__array_struct__"))?.cast_into::<PyCapsule>()?;
        let interface = capsule.pointer_checked(None)?.cast::<Interface>();
        // SAFETY: NumPy defines what a nameless capsule of this attribute of an `ndarray` points to, and keeps it as long as the capsule.
        let interface = unsafe { interface.as_ref() };
        if interface.two != 2 {
            return Err(type_error("__array_struct__ is of another version"));
        }
        let item_bytes = interface.item_bytes.cast_unsigned() as usize;
        let (kind, was) = match Kind::of(interface.kind as u8, item_bytes, integers) {
            Some((Ok(kind), false)) => (kind, None),
            Some((Ok(kind), true)) => (kind, Some(x.getattr("dtype")?)),
            Some((Err(target), _)) => return Ok(Err((Some(target), Some(x.getattr("dtype")?)))),
            None => {
                let dtype = x.getattr("dtype")?;
                return Err(type_error(format!(
                    "arrays of {dtype} are not taken: convert by astype, for example to float32 or float64"
                )));
            }
        };
        let dimensions = interface.dimensions.cast_unsigned() as usize;
        let [shape, strides] = [interface.shape, interface.strides].map(|lengths| match dimensions {
            0 => &[],
            // SAFETY: NumPy keeps as many lengths and strides as dimensions beside the interface.
            _ => unsafe { slice::from_raw_parts(lengths, dimensions) },
        });
        let shape: Vec<usize> = shape.iter().map(|length| length.cast_unsigned()).collect();
        let is_empty = shape.contains(&0);
        let item = item_bytes.cast_signed();
        let is_whole = |(&length, stride): (&usize, &isize)| length < 2 || stride % item == 0;
        if !is_empty
            && (interface.flags & ALIGNED_NATIVE != ALIGNED_NATIVE
                || !shape.iter().zip(strides).all(is_whole))
        {
            return Ok(Err((None, None)));
        }
        let strides: Vec<isize> = strides.iter().map(|stride| stride / item).collect();
        // How many elements lie below the first, and how many above.
        let (mut below, mut above) = (0, 0);
        for (&length, &stride) in shape.iter().zip(&strides) {
            let reach = length.saturating_sub(1) * stride.unsigned_abs();
            if stride < 0 { below += reach } else { above += reach }
        }
        let (offset, span) = if is_empty { (0, 0) } else { (below, below + above + 1) };
        let lowest = interface.data.wrapping_byte_sub(offset * item_bytes);
        let lowest = NonNull::new(lowest).unwrap_or(NonNull::<u64>::dangling().cast());
        Ok(Ok(Self { _keeps: capsule, kind, was, shape, strides, lowest, span, offset }))
    }

    /// Returns the memory from the lowest element to the highest.
    fn memory<T: Number>(&self) -> &[T] {
        assert!(T::PLACE == self.kind, "dispatched by the kind");
        if self.span == 0 {
            return &[];
        }
        // SAFETY: the interface said that these elements are there and aligned (`read`), of the type that `kind` names; each bit pattern
        // is a value. The capsule keeps them. That nobody writes them meanwhile is the caller's promise, in the package's documentation.
        unsafe { slice::from_raw_parts(self.lowest.cast().as_ptr(), self.span) }
    }

    /// Views the elements by their axes.
    pub(crate) fn view<T: Number>(&self, py: Python<'_>) -> PyResult<View<&[T]>> {
        View::strided(self.memory(), self.offset, &self.shape, &self.strides).map_err(raise(py))
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns the shape of the results of a reduction along axes.
    pub(crate) fn reduced_shape(&self, axes: &[usize], keeps: bool) -> Vec<usize> {
        let lengths = self.shape.iter().enumerate();
        let kept = lengths.filter_map(|(axis, &length)| match axes.contains(&axis) {
            false => Some(length),
            true => keeps.then_some(1),
        });
        kept.collect()
    }

    /// Returns the elements of an array that is contiguous in row-major order.
    pub(crate) fn elements<T: Number>(&self) -> PyResult<&[T]> {
        let mut stride = 1;
        for (&length, &given) in self.shape.iter().zip(&self.strides).rev() {
            if length > 1 && given != stride && self.span > 0 {
                return Err(value_error("the array is not contiguous"));
            }
            stride *= length.cast_signed();
        }
        Ok(self.memory())
    }

    /// Looks at `x` in row-major order, copied by NumPy if it is not contiguous.
    pub(crate) fn contiguous(x: &Bound<'py, PyAny>, integers: Integers) -> PyResult<Self> {
        let py = x.py();
        Self::new(&numpy(py)?.ascontiguousarray.bind(py).call1((ndarray(x)?,))?, integers)
    }

    /// Does [`contiguous`](Self::contiguous), and refuses more than one dimension.
    pub(crate) fn flat(x: &Bound<'py, PyAny>, name: &str, integers: Integers) -> PyResult<Self> {
        let array = Self::contiguous(x, integers)?;
        match array.shape.len() {
            1 => Ok(array),
            dimensions => Err(value_error(format!("`{name}` has {dimensions} dimensions: it must have one"))),
        }
    }

    /// Gives results that are elements the type that the caller's have.
    pub(crate) fn restored(&self, results: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match &self.was {
            None => Ok(results),
            Some(was) => results.call_method1("astype", (was.call_method1("newbyteorder", ("=",))?,)),
        }
    }
}
