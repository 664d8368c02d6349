//! What a request is lent: arrays to read, and room for results, by their addresses.

use pyo3::prelude::*;
use pyo3::types::PySlice;
use warpfold::elements::Accumulator;
use warpfold::kernels::{RowsKernel, StoredOf};
use warpfold::{DeviceArray, DeviceResults, DeviceSlice, DeviceValues, Element, Error, Op, Stream, View};

use super::Gpu;
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
    pub(super) count: usize,
}

impl<'py> Gpu<'py> {
    /// Has the library allocate room for results.
    pub(super) fn empty<V: Placed>(&self, count: usize) -> PyResult<Out<'py>> {
        self.room(count, count.saturating_mul(V::WIDTH), V::DTYPE, V::WIDTH)
    }

    /// Has the library allocate room for accumulators, until its array is dropped.
    pub(super) fn accumulators<T: Element, O: Op<T>>(&self, count: usize) -> PyResult<Out<'py>> {
        self.room(count, count.saturating_mul(size_of::<O::Acc>()), "uint8", 1)
    }

    fn room(&self, count: usize, len: usize, dtype: &str, width: usize) -> PyResult<Out<'py>> {
        let array = self.library.call_method1("empty", (len, dtype))?;
        let address = self.library.call_method1("address", (&array,))?.extract()?;
        Ok(Out { array, width, room: Room { address, count } })
    }
}

impl<'py> Out<'py> {
    /// Returns the results, in one dimension.
    pub(super) fn results(self, gpu: &Gpu<'py>) -> PyResult<Results<'py>> {
        let Self { array, width, room } = self;
        if width == 1 {
            return Ok(Results::Gpu(array, gpu.clone()));
        }
        let rows = gpu.library.call_method1("reshape", (array, (room.count, width)))?;
        let py = rows.py();
        let first = rows.get_item((PySlice::full(py), 0))?;
        Ok(Results::Gpu(gpu.library.call_method1("ascontiguousarray", (first,))?, gpu.clone()))
    }
}

impl Room {
    /// Borrows the room for values of the size that it was made for.
    pub(super) fn values<V: Accumulator>(self, stream: &Stream) -> Result<DeviceValues<V>, Error> {
        // SAFETY: the library has just allocated it (`Gpu::room`) for this stream, and reuses it only behind what is enqueued there.
        unsafe { stream.cuda().borrow_values_raw(self.address, self.count) }
    }

    /// Borrows the room for accumulators.
    pub(super) fn results<T: Element, O: Op<T>>(self, stream: &Stream) -> Result<DeviceResults<T, O>, Error> {
        // SAFETY: as in `values`.
        unsafe { stream.cuda().borrow_results_raw(self.address, self.count) }
    }

    /// Borrows the room for finished results.
    pub(super) fn finished<T: Element, O: RowsKernel<T>>(
        self,
        stream: &Stream,
    ) -> Result<DeviceValues<StoredOf<T, O>>, Error> {
        self.values(stream)
    }
}
