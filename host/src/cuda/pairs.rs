//! Two arrays on a device side by side: an operator over their pairs.

use bytemuck::Pod;

use super::{Cuda, DeviceSlice, Stream};
use crate::error::Error;
use crate::float_environment;
use crate::zip::Zipped;
use crate::{Element, ZipKernel};

impl Cuda {
    /// Reduces the pairs of `x` and `y`, element `i` of one with element `i` of the other, and waits for the result, which
    /// has the bits that every backend gives. Arrays that both begin at a multiple of 8 bytes are read fastest.
    ///
    /// # Errors
    /// [`Error::Lengths`] if they are not of one length, and those of [`reduce`](Self::reduce).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Dot};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (x, y) = (cuda.upload(&[1.0f32, 2.0])?, cuda.upload(&[3.0f32, 4.0])?);
    /// assert_eq!(cuda.reduce_zip::<f32, Dot>(&x.as_slice(), &y.as_slice())?, 11.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_zip<T: Element + Pod, O: ZipKernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
        y: &DeviceSlice<'_, T>,
    ) -> Result<O::Out, Error> {
        self.reduce_zip_by(O::default(), x, y)
    }

    /// [`reduce_zip`](Self::reduce_zip) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_zip`](Self::reduce_zip).
    pub fn reduce_zip_by<T: Element + Pod, O: ZipKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        y: &DeviceSlice<'_, T>,
    ) -> Result<O::Out, Error> {
        let input = x.input()?.zipped(y.input()?)?;
        let op = Zipped(op);
        let acc = self.lease(|lane| {
            let plan = lane.plan::<[T; 2], Zipped<O>>(self, input.len())?;
            lane.fold(op, self.kernels(), &plan, input)
        })?;
        float_environment::finish::<[T; 2], O>(acc, input.len())
    }
}

impl Stream {
    /// [`Cuda::reduce_zip`] after the work enqueued so far.
    ///
    /// # Errors
    /// As [`Cuda::reduce_zip`], and [`Error::Capturing`] while a graph is recorded.
    pub fn reduce_zip<T: Element + Pod, O: ZipKernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
        y: &DeviceSlice<'_, T>,
    ) -> Result<O::Out, Error> {
        self.reduce_zip_by(O::default(), x, y)
    }

    /// [`reduce_zip`](Self::reduce_zip) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_zip`](Self::reduce_zip).
    pub fn reduce_zip_by<T: Element + Pod, O: ZipKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        y: &DeviceSlice<'_, T>,
    ) -> Result<O::Out, Error> {
        let input = x.input()?.zipped(y.input()?)?;
        float_environment::finish::<[T; 2], O>(self.fold_input(Zipped(op), input)?, input.len())
    }
}
