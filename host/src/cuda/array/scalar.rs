//! A single result, which stays on the device until it is read.

use std::fmt;
use std::ops::Deref;

use gpu_kernels::{Element, Op};

use crate::cuda::Cuda;
use crate::cuda::array::results::DeviceResults;
use crate::cuda::executor::Executor;
use crate::error::Error;
use crate::float_environment;

/// Room on a device for one result of [`Stream::reduce_into`](crate::cuda::Stream::reduce_into), made by
/// [`Cuda::scalar`]: [`DeviceResults`] of one.
pub struct DeviceScalar<T, O>(DeviceResults<T, O>);

impl<T: Element, O: Op<T>> DeviceScalar<T, O> {
    pub(crate) fn new(cuda: &Cuda, executor: &Executor) -> Result<Self, Error> {
        DeviceResults::new(cuda, executor, 1).map(Self)
    }

    /// Waits for the stream that writes the result, and copies it to the host. Before the first write it is the result
    /// of an empty input.
    ///
    /// # Errors
    /// [`Error::Capturing`] while that stream records a graph; [`Error::FloatEnvironment`], [`Error::Poisoned`],
    /// [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?);
    /// let mut sum = cuda.scalar::<f32, Sum>()?;
    /// stream.reduce_into(Sum, &x, &mut sum)?;
    /// assert_eq!(sum.get()?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn get(&self) -> Result<O::Out, Error> {
        let (accs, len) = self.cell().read::<O::Acc>(self.cuda(), 1)?;
        float_environment::finish::<T, O>(accs.first().copied().unwrap_or(O::IDENTITY), len)
    }
}

impl<T, O> Deref for DeviceScalar<T, O> {
    type Target = DeviceResults<T, O>;

    fn deref(&self) -> &DeviceResults<T, O> {
        &self.0
    }
}

impl<T, O> fmt::Debug for DeviceScalar<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeviceScalar").field(&self.0).finish()
    }
}
