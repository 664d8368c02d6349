//! What a request is lent: arrays to read, and room for results, by their addresses.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use warpfold::elements::Accumulator;
use warpfold::kernels::{RowsKernel, StoredOf};
use warpfold::{DeviceArray, DeviceSlice, DeviceValues, Element, Error, Stream, View};

use super::Gpu;
use super::streams::locked;
use crate::array::Array;
use crate::results::{Placed, Results};

/// An array to read, of elements of a size that [`Array::kind`] says.
pub(crate) struct Lent {
    address: u64,
    span: usize,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<isize>,
}

impl Lent {
    pub(super) fn of(x: &Array<'_>) -> Self {
        let (shape, strides) = (x.shape.clone(), x.strides.clone());
        Self { address: x.address() as u64, span: x.span, offset: x.offset, shape, strides }
    }

    /// Borrows the memory from the lowest element to the highest. `T` has the size of the elements, and any bits are one.
    pub(super) fn array<T: Element>(&self, stream: &Stream) -> Result<DeviceArray<T>, Error> {
        // SAFETY: the library said that these elements are there, of this size (`Array::read`). Work is enqueued behind what the library has
        // enqueued on this stream, and the library reuses the memory only behind it. That nobody writes them meanwhile on
        // other streams is the caller's promise, in the package's documentation.
        unsafe { stream.cuda().borrow_raw(self.address, self.span) }
    }

    /// Views the elements of what [`array`](Self::array) returned by their axes.
    pub(super) fn view<'a, T: Element>(
        &self,
        array: &'a DeviceArray<T>,
    ) -> Result<View<DeviceSlice<'a, T>>, Error> {
        View::strided(array, self.offset, &self.shape, &self.strides)
    }
}

/// An array of the caller's library for results.
pub(super) struct Out<'py> {
    array: Bound<'py, PyAny>,
    width: usize,
    pub(super) room: Room,
}

/// Its address, and the number of results.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    address: u64,
    count: usize,
}

impl<'py> Gpu<'py> {
    /// Has the library allocate room for results of a shape.
    pub(super) fn empty<V: Placed>(&self, shape: &[usize]) -> PyResult<Out<'py>> {
        let count = shape.iter().fold(1, |count: usize, &length| count.saturating_mul(length));
        let shape: Vec<_> = shape.iter().copied().chain((V::WIDTH > 1).then_some(V::WIDTH)).collect();
        let (array, address) = allocated(&self.library, (PyTuple::new(self.library.py(), shape)?, V::DTYPE))?;
        Ok(Out { array, width: V::WIDTH, room: Room { address, count } })
    }
}

impl<'py> Out<'py> {
    /// Returns the results.
    pub(super) fn results(self, gpu: &Gpu<'py>) -> PyResult<Results<'py>> {
        let Self { array, width, .. } = self;
        if width == 1 {
            return Ok(Results::Gpu(array));
        }
        let first = array.get_item((array.py().Ellipsis(), 0))?;
        Ok(Results::Gpu(gpu.library.call_method1("ascontiguousarray", (first,))?))
    }
}

/// Has a library allocate an array, and returns it with its address.
fn allocated<'py>(
    library: &Bound<'py, PyAny>,
    arguments: (impl IntoPyObject<'py>, &str),
) -> PyResult<(Bound<'py, PyAny>, u64)> {
    library.call_method1(pyo3::intern!(library.py(), "empty"), arguments)?.extract()
}

/// Lends the memory that a recorded request needs beside its results: arrays of the library, as long as this lives.
pub(super) struct Lender {
    library: Py<PyAny>,
    arrays: Mutex<Vec<Py<PyAny>>>,
}

impl Lender {
    pub(super) fn new(library: &Bound<'_, PyAny>) -> Self {
        Self { library: library.clone().unbind(), arrays: Mutex::default() }
    }

    /// Returns the address of so many bytes, if the library has them.
    pub(super) fn lend(&self, bytes: usize) -> Option<u64> {
        Python::attach(|py| {
            let (array, address) = allocated(self.library.bind(py), ((bytes,), "uint8")).ok()?;
            locked(&self.arrays).push(array.unbind());
            Some(address)
        })
    }
}

impl Room {
    /// Borrows the room for values of the size that it was made for.
    pub(super) fn values<V: Accumulator>(self, stream: &Stream) -> Result<DeviceValues<V>, Error> {
        // SAFETY: the library has just allocated it (`Gpu::room`) for this stream, and reuses it only behind what is enqueued there.
        unsafe { stream.cuda().borrow_values_raw(self.address, self.count) }
    }

    /// Borrows the room for finished results.
    pub(super) fn finished<T: Element, O: RowsKernel<T>>(
        self,
        stream: &Stream,
    ) -> Result<DeviceValues<StoredOf<T, O>>, Error> {
        self.values(stream)
    }
}
