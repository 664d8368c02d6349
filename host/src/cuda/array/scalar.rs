//! A single result, which stays on the device until it is read.

use std::fmt;
use std::ops::Deref;

use crate::cuda::Cuda;
use crate::cuda::array::results::DeviceResults;
use crate::cuda::lane::Lane;
use crate::error::Error;
use crate::float_environment;
use crate::{Element, Op};

/// Room on a device for one result of [`Stream::reduce_into`](crate::cuda::Stream::reduce_into), made by
/// [`Cuda::scalar`]: [`DeviceResults`] of one.
pub struct DeviceScalar<T, O>(DeviceResults<T, O>);

impl<T: Element, O: Op<T>> DeviceScalar<T, O> {
    pub(in crate::cuda) fn new(cuda: &Cuda, lane: &Lane) -> Result<Self, Error> {
        DeviceResults::new(cuda, lane, 1).map(Self)
    }

    /// Waits for the stream that writes the result, and copies it to the host. Before the first write it is the result
    /// of an empty input.
    ///
    /// # Errors
    /// [`Error::Capturing`] while that stream records a graph; [`Error::Poisoned`], [`Error::Driver`].
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
