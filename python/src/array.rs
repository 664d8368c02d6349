//! Arguments: arrays where they are. NumPy's are seen through `__array_struct__`, others through what `warpfold/_gpu.py` tells.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{self, NonNull};
use std::slice;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use warpfold::View;

use crate::dispatch::{Kind, Number};
use crate::failure::{raise, type_error, value_error};
use crate::gpu::Gpu;
use crate::library::{Given, Library};

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

impl Interface {
    /// Returns the lengths of the axes, and the strides in bytes.
    fn lengths(&self) -> [&[isize]; 2] {
        let dimensions = self.dimensions.cast_unsigned() as usize;
        [self.shape, self.strides].map(|lengths| match dimensions {
            0 => &[],
            // SAFETY: NumPy keeps as many lengths and strides as dimensions beside the interface.
            _ => unsafe { slice::from_raw_parts(lengths, dimensions) },
        })
    }
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

/// An array of one of the [`Kind`]s, kept alive by what its library gave.
pub(crate) struct Array<'py> {
    keeps: Bound<'py, PyAny>,
    /// Its library.
    pub(crate) library: Library<'py>,
    /// The type of the elements.
    pub(crate) kind: Kind,
    /// The type that the caller's elements had, if another.
    pub(crate) was: Option<Bound<'py, PyAny>>,
    pub(crate) shape: Vec<usize>,
    pub(crate) strides: Vec<isize>,
    /// The lowest element, the number of elements from there to the highest, and the position of the first one.
    lowest: NonNull<c_void>,
    pub(crate) span: usize,
    pub(crate) offset: usize,
}

/// Returns what an array of NumPy says of itself.
fn capsule<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCapsule>> {
    Ok(x.getattr(pyo3::intern!(x.py(), "__array_struct__"))?.cast_into::<PyCapsule>()?)
}

fn interface<'a>(capsule: &'a Bound<'_, PyCapsule>) -> PyResult<&'a Interface> {
    let interface = capsule.pointer_checked(None)?.cast::<Interface>();
    // SAFETY: NumPy defines what a nameless capsule of this attribute of an `ndarray` points to, and keeps it as long as the capsule.
    let interface = unsafe { interface.as_ref() };
    if interface.two == 2 { Ok(interface) } else { Err(type_error("__array_struct__ is of another version")) }
}

/// Writes all bytes of an array that NumPy has just made in row-major order.
pub(crate) fn written<'py>(array: Bound<'py, PyAny>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    if bytes.is_empty() {
        return Ok(array);
    }
    let capsule = capsule(&array)?;
    let interface = interface(&capsule)?;
    let [shape, _] = interface.lengths();
    if shape.iter().product::<isize>() * interface.item_bytes as isize != bytes.len().cast_signed() {
        return Err(value_error("the results have another shape"));
    }
    // SAFETY: the array has that many bytes, and nobody else knows it yet.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), interface.data.cast(), bytes.len()) };
    Ok(array)
}

/// What a library says of an array.
struct Told<'a, 'py> {
    /// What keeps it.
    keeps: Bound<'py, PyAny>,
    /// The letter of its type, and the bytes of an element.
    letter: u8,
    item_bytes: usize,
    /// Whether the elements are aligned, and in this machine's order of bytes.
    is_native: bool,
    shape: Vec<usize>,
    /// Distances in bytes.
    strides: &'a [isize],
    data: *mut c_void,
}

/// An array, or the type to which it must be copied first, and the caller's.
type Read<'py> = Result<Array<'py>, (Option<&'static str>, Option<Bound<'py, PyAny>>)>;

impl<'py> Array<'py> {
    /// Looks at `x`.
    pub(crate) fn new(x: &Bound<'py, PyAny>, integers: Integers) -> PyResult<Self> {
        Self::of(&Given::new(x)?, integers)
    }

    /// Looks at an array of a library.
    pub(crate) fn of(given: &Given<'py>, integers: Integers) -> PyResult<Self> {
        match Self::read(given, integers)? {
            Ok(array) => Ok(array),
            Err((target, was)) => {
                let copied = match target {
                    Some(target) => given.of_type(target)?,
                    None => given.of_type(given.x.getattr("dtype")?.call_method1("newbyteorder", ("=",))?)?,
                };
                let mut array = Self::read(&copied, integers)?
                    .map_err(|_| value_error("the array could not be brought into this machine's form"))?;
                array.was = was.or(array.was);
                Ok(array)
            }
        }
    }

    fn read(given: &Given<'py>, integers: Integers) -> PyResult<Read<'py>> {
        let x = &given.x;
        if let Library::Gpu(gpu) = &given.library {
            let (letter, item_bytes, shape, mut strides, unit, address): (
                char,
                _,
                _,
                Vec<isize>,
                isize,
                usize,
            ) = gpu.library().call_method1(pyo3::intern!(x.py(), "describe"), (x,))?.extract()?;
            let data = ptr::without_provenance_mut(address);
            let letter = u8::try_from(letter).unwrap_or(b'V');
            strides.iter_mut().for_each(|stride| *stride *= unit);
            let told = Told {
                keeps: x.clone(),
                letter,
                item_bytes,
                is_native: true,
                shape,
                strides: &strides,
                data,
            };
            return Self::told(given, told, integers);
        }
        let capsule = capsule(x)?;
        let interface = interface(&capsule)?;
        let [shape, strides] = interface.lengths();
        let told = Told {
            keeps: capsule.clone().into_any(),
            letter: interface.kind as u8,
            item_bytes: interface.item_bytes.cast_unsigned() as usize,
            is_native: interface.flags & ALIGNED_NATIVE == ALIGNED_NATIVE,
            shape: shape.iter().map(|length| length.cast_unsigned()).collect(),
            strides,
            data: interface.data,
        };
        Self::told(given, told, integers)
    }

    /// Looks at what a library says of an array.
    fn told(given: &Given<'py>, told: Told<'_, 'py>, integers: Integers) -> PyResult<Read<'py>> {
        let Told { keeps, letter, item_bytes, is_native, shape, strides, data } = told;
        let dtype = || given.x.getattr("dtype");
        let (kind, was) = match Kind::of(letter, item_bytes, integers) {
            Some((Ok(kind), false)) => (kind, None),
            Some((Ok(kind), true)) => (kind, Some(dtype()?)),
            Some((Err(target), _)) => return Ok(Err((Some(target), Some(dtype()?)))),
            None => {
                return Err(type_error(format!(
                    "arrays of {} are not taken: convert them first, for example to float32 or float64",
                    dtype()?
                )));
            }
        };
        let is_empty = shape.contains(&0);
        let item = item_bytes.cast_signed();
        let is_whole = |(&length, stride): (&usize, &isize)| length < 2 || stride % item == 0;
        if !is_empty && (!is_native || !shape.iter().zip(strides).all(is_whole)) {
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
        let lowest = data.wrapping_byte_sub(offset * item_bytes);
        let lowest = NonNull::new(lowest).unwrap_or(NonNull::<u64>::dangling().cast());
        let library = given.library.clone();
        Ok(Ok(Self { keeps, library, kind, was, shape, strides, lowest, span, offset }))
    }

    /// Returns the proof that this thread has the GIL.
    pub(crate) fn py(&self) -> Python<'py> {
        self.keeps.py()
    }

    /// Returns the GPU whose memory has it.
    pub(crate) fn gpu(&self) -> Option<&Gpu<'py>> {
        match &self.library {
            Library::Numpy => None,
            Library::Gpu(gpu) => Some(gpu),
        }
    }

    /// Returns the address of the lowest element.
    pub(crate) fn address(&self) -> usize {
        self.lowest.as_ptr().addr()
    }

    /// Returns the memory from the lowest element to the highest.
    fn memory<T: Number>(&self) -> &[T] {
        assert!(T::PLACE == self.kind, "dispatched by the kind");
        assert!(self.gpu().is_none(), "dispatched by the library");
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

    /// Looks at `x` in row-major order, copied by its library if it is not contiguous.
    pub(crate) fn contiguous(x: &Given<'py>, integers: Integers) -> PyResult<Self> {
        let array = Self::of(x, integers)?;
        if array.is_contiguous() { Ok(array) } else { Self::of(&x.contiguous()?, integers) }
    }

    /// Does [`contiguous`](Self::contiguous), and refuses more than one dimension.
    pub(crate) fn flat(x: &Given<'py>, name: &str, integers: Integers) -> PyResult<Self> {
        let array = Self::contiguous(x, integers)?;
        match array.shape.len() {
            1 => Ok(array),
            dimensions => Err(value_error(format!("`{name}` has {dimensions} dimensions: it must have one"))),
        }
    }

    /// Returns whether the elements lie in row-major order without gaps.
    pub(crate) fn is_contiguous(&self) -> bool {
        let mut stride = 1;
        for (&length, &given) in self.shape.iter().zip(&self.strides).rev() {
            if length > 1 && given != stride && self.span > 0 {
                return false;
            }
            stride *= length.cast_signed();
        }
        true
    }

    /// Returns the elements of an array that is contiguous in row-major order.
    pub(crate) fn elements<T: Number>(&self) -> PyResult<&[T]> {
        if !self.is_contiguous() {
            return Err(value_error("the array is not contiguous"));
        }
        Ok(self.memory())
    }

    /// Gives results that are elements the type that the caller's have.
    pub(crate) fn restored(&self, results: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match (&self.was, &self.library) {
            (None, _) => Ok(results),
            (Some(was), Library::Numpy) => {
                results.call_method1("astype", (was.call_method1("newbyteorder", ("=",))?,))
            }
            (Some(was), library) => library.astype(&results, was),
        }
    }
}
