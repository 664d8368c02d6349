//! Results of several parts, which stay on the device until they are read.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use gpu_kernels::{Element, Op};

use crate::cuda::Cuda;
use crate::cuda::array::cell::Cell;
use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Queue, Region};
use crate::error::Error;
use crate::{float_environment, memory};

/// The results of rows, columns, axes, segments, groups or other parts, on a device. [`Cuda::reduce`] returns them, and
/// [`Stream::reduce_into`](crate::cuda::Stream::reduce_into) writes them to room made by [`Cuda::results`].
///
/// ```no_run
/// use warpfold::{Cuda, Max, Mean, rows};
///
/// let cuda = Cuda::open(0)?;
/// let x = cuda.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 9.0])?;
/// let means = cuda.reduce(Mean, rows(&x, [2, 3]))?;
/// assert_eq!(means.to_vec()?, [Some(2.0), Some(6.0)]);
/// assert_eq!(cuda.reduce(Max, &means.finished()?)?, Some(6.0));
/// # Ok::<(), warpfold::Error>(())
/// ```
pub struct DeviceResults<T, O> {
    cuda: Cuda,
    cell: Arc<Cell>,
    count: usize,
    operator: PhantomData<fn(T) -> O>,
}

impl<T: Element, O: Op<T>> DeviceResults<T, O> {
    pub(crate) fn new(cuda: &Cuda, executor: &Executor, count: usize) -> Result<Self, Error> {
        Ok(Self::of(cuda, Cell::new::<O::Acc>(executor, count)?, count))
    }

    /// Wraps a cell with room for `count` accumulators.
    pub(crate) fn of(cuda: &Cuda, cell: Arc<Cell>, count: usize) -> Self {
        Self { cuda: cuda.clone(), cell, count, operator: PhantomData }
    }

    /// Returns the number of results.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no results.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Waits for the stream that writes the results, and copies them to the host. Before the first write they are the
    /// results of empty inputs.
    ///
    /// # Errors
    /// [`Error::Offset`] if they are of segments whose offsets were wrong; [`Error::TooManyResults`] if there is not enough
    /// host memory; [`Error::Capturing`] while that stream records a graph; [`Error::FloatEnvironment`],
    /// [`Error::Poisoned`], [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum, rows};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// assert_eq!(cuda.reduce(Sum, rows(&x, [2, 2]))?.to_vec()?, [3.0, 7.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<O::Out>, Error> {
        self.cell.results::<T, O>(&self.cuda, self.count)
    }

    /// Waits for the stream that writes the results, and checks what the device was given: for those who read the results on the device,
    /// by [`Stream::finish_into`](crate::cuda::Stream::finish_into).
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Error, Sum, segments};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x, offsets) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?, cuda.upload(&[0u32, 3])?);
    /// let mut sums = cuda.results::<f32, Sum>(1)?;
    /// stream.reduce_into(Sum, segments(&x, &offsets), &mut sums)?;
    /// assert!(matches!(sums.check(), Err(Error::Offset { at: 1, .. })));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        self.cell.settled(&self.cuda, |lens| self.cuda.read(|queue| lens.check(queue)))
    }

    /// Returns the address of their accumulators in device memory (`CUdeviceptr`), contiguous, for other libraries: see
    /// [`DeviceArray::as_device_ptr`](crate::cuda::DeviceArray::as_device_ptr). If all inputs are empty, no accumulator is
    /// written: [`finished`](Self::finished) makes the results of empty inputs.
    #[must_use]
    pub fn as_device_ptr(&self) -> u64 {
        self.cell.address()
    }

    /// Returns the device of the results.
    pub(crate) fn cuda(&self) -> &Cuda {
        &self.cuda
    }

    /// Returns the cell, which graphs share.
    pub(crate) fn cell(&self) -> &Arc<Cell> {
        &self.cell
    }
}

/// Returns the results of `count` empty rows.
pub(crate) fn of_none<T: Element, O: Op<T>>(count: usize) -> Result<Vec<O::Out>, Error> {
    let mut results = room(count)?;
    results.extend((0..count).map(|_| O::finish(O::IDENTITY, 0)));
    Ok(results)
}

/// Waits for `count` accumulators that earlier work of the queue writes to the start of `accs`, and finishes them with
/// the element counts of `lens`. Accumulators of empty inputs are the identity.
pub(crate) fn read<T: Element, O: Op<T>>(
    queue: &Queue,
    accs: Region<'_>,
    count: usize,
    lens: &Lens,
) -> Result<Vec<O::Out>, Error> {
    let mut results = room(count)?;
    let (len, offsets) = lens.for_launch()?;
    let (last, offsets) = (lens.last().unwrap_or(len), offsets.filter(|_| O::NEEDS_LEN));
    queue.collect::<O::Acc>(accs, offsets, count, |accs, offsets| {
        if offsets.is_empty() {
            let first = results.len();
            let len_of = |at| if at + 1 == count { last } else { len };
            results.extend(accs.iter().zip(first..).map(|(&acc, at)| O::finish(acc, len_of(at))));
            return;
        }
        let lens = offsets.iter().zip(offsets.iter().skip(1)).map(|(start, end)| end.saturating_sub(*start));
        results.extend(accs.iter().zip(lens).map(|(&acc, len)| O::finish(acc, len)));
    })?;
    Ok(results)
}

/// Allocates `count` results, after a check of the calling thread's float environment.
fn room<R>(count: usize) -> Result<Vec<R>, Error> {
    float_environment::check()?;
    memory::with_room(count)
}

impl<T, O> fmt::Debug for DeviceResults<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceResults").field("cuda", &self.cuda).field("count", &self.count).finish()
    }
}
