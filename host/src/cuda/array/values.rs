//! Results that streams compute on the device.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use gpu_kernels::Accumulator;

use crate::cuda::Cuda;
use crate::cuda::array::cell::Cell;
use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::error::{Error, check_results};
use crate::memory;

/// Room on a device for the results that [`Stream::finish_into`](crate::cuda::Stream::finish_into) computes there, made
/// by [`Cuda::values`].
///
/// Unlike a [`DeviceArray`](crate::cuda::DeviceArray), which is never written again, values may be written again by any
/// stream and by graphs.
pub struct DeviceValues<V> {
    cuda: Cuda,
    cell: Arc<Cell>,
    count: usize,
    values: PhantomData<V>,
}

impl<V: Accumulator> DeviceValues<V> {
    pub(crate) fn new(cuda: &Cuda, executor: &Executor, count: usize) -> Result<Self, Error> {
        const { assert!(size_of::<V>() > 0, "a zero-sized value has nothing to make") }
        Ok(Self::of(cuda, Cell::new::<V>(executor, count)?, count))
    }

    /// Wraps a cell with room for `count` values.
    pub(crate) fn of(cuda: &Cuda, cell: Arc<Cell>, count: usize) -> Self {
        Self { cuda: cuda.clone(), cell, count, values: PhantomData }
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Waits for the stream that writes the values, and copies them to the host. Before the first write they are zeros.
    ///
    /// # Errors
    /// [`Error::Offset`] if they are a scan of segments whose offsets were wrong; [`Error::TooManyResults`] if there is not
    /// enough host memory; [`Error::Capturing`] while that stream records a graph; [`Error::Poisoned`], [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let values = cuda.values::<f32>(3)?;
    /// assert_eq!(values.to_vec()?, [0.0; 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<V>, Error> {
        let (values, written) = self.cell.read::<V>(&self.cuda, self.count)?;
        if written == Lens::WRITTEN {
            return Ok(values);
        }
        memory::filled(V::zeroed(), self.count)
    }

    /// Waits for the stream that writes the values, and overwrites them with `x`.
    ///
    /// # Errors
    /// [`Error::Results`] if `x` has another length; [`Error::Capturing`] while that stream records a graph;
    /// [`Error::Poisoned`], [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Scan, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (mut x, stream) = (cuda.values::<i64>(3)?, cuda.stream()?);
    /// x.copy_from_slice(&[1, 2, 4])?;
    /// stream.scan(Sum, &mut x, Scan::inclusive())?;
    /// assert_eq!(x.to_vec()?, [1, 3, 7]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn copy_from_slice(&mut self, x: &[V]) -> Result<(), Error> {
        check_results(x.len(), self.count)?;
        self.cuda.lease(|executor| {
            let copy = || Ok(self.cell.region().copy_from(executor.queue(), x)?);
            self.cell.write(executor.queue().handle(), Lens::WRITTEN, copy)
        })
    }

    /// Returns the address of the values in device memory (`CUdeviceptr`), contiguous, for other libraries. They may
    /// read the values only after the stream that writes them has done so, and before it writes others: on that stream
    /// ([`Stream::as_raw`](crate::cuda::Stream::as_raw)), or after waiting for it.
    #[must_use]
    pub fn as_device_ptr(&self) -> u64 {
        self.cell.address()
    }

    /// Returns the device of the values.
    pub(crate) fn cuda(&self) -> &Cuda {
        &self.cuda
    }

    /// Returns the cell, which graphs share.
    pub(crate) fn cell(&self) -> &Arc<Cell> {
        &self.cell
    }
}

impl<V> fmt::Debug for DeviceValues<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceValues").field("cuda", &self.cuda).field("count", &self.count).finish()
    }
}
