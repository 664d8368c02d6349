//! The results of several rows that stay on the device until they are asked for.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::Cuda;
use super::lane::Lane;
use super::lens::HostLens;
use super::scalar::Cell;
use crate::error::Error;
use crate::float_environment;
use crate::{Element, Kernel};

/// Room on a device for the results of [`Stream::reduce_rows_into`](super::Stream::reduce_rows_into), and of columns, axes and
/// segments, made by [`Cuda::results`].
pub struct DeviceResults<T, O> {
    cuda: Cuda,
    cell: Arc<Cell>,
    count: usize,
    operator: PhantomData<fn(T) -> O>,
}

impl<T: Element, O: Kernel<T>> DeviceResults<T, O> {
    pub(super) fn new(cuda: &Cuda, lane: &Lane, count: usize) -> Result<Self, Error> {
        let cell = Cell::new::<O::Acc>(lane, count)?;
        Ok(Self { cuda: cuda.clone(), cell, count, operator: PhantomData })
    }

    /// How many results there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Waits for the stream that writes them, and gives the results: of no elements, if none were written yet.
    ///
    /// # Errors
    /// [`Error::Offset`] if they are of segments whose offsets were wrong; [`Error::Capturing`] while that stream records a
    /// graph; [`Error::Poisoned`], [`Error::Driver`].
    pub fn get(&self) -> Result<Vec<O::Out>, Error> {
        let (accs, lens) = self.cell.read::<O::Acc>(&self.cuda, self.count)?;
        finish_rows::<T, O>(&accs, self.count, &lens)
    }

    /// Where their accumulators are in device memory (`CUdeviceptr`), one after the other, for other libraries: see
    /// [`DeviceArray::as_device_ptr`](super::DeviceArray::as_device_ptr).
    #[must_use]
    pub fn as_device_ptr(&self) -> u64 {
        self.cell.address()
    }

    /// The device that they are on.
    pub(super) fn cuda(&self) -> &Cuda {
        &self.cuda
    }

    /// The part that graphs share.
    pub(super) fn cell(&self) -> &Arc<Cell> {
        &self.cell
    }
}

/// Finishes the accumulators of `count` rows. Where all are of no elements there are none.
pub(super) fn finish_rows<T: Element, O: Kernel<T>>(
    accs: &[O::Acc],
    count: usize,
    lens: &HostLens,
) -> Result<Vec<O::Out>, Error> {
    float_environment::check()?;
    let mut results = Vec::new();
    if results.try_reserve_exact(count).is_err() {
        return Err(Error::TooManyResults { results: count });
    }
    let accs = accs.iter().copied().chain(std::iter::repeat(O::IDENTITY));
    results.extend(accs.take(count).enumerate().map(|(at, acc)| match lens.of(at) {
        0 => O::finish(O::IDENTITY, 0),
        len => O::finish(acc, len),
    }));
    Ok(results)
}

impl<T, O> fmt::Debug for DeviceResults<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceResults").field("cuda", &self.cuda).field("count", &self.count).finish()
    }
}
