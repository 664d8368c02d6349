//! Floats in device memory, seen as elements whose NaNs are all greater than the numbers.

use std::marker::PhantomData;

use bytemuck::Pod;

use gpu_kernels::{NanGreatest, RankedNumber};

use crate::cuda::{DeviceArray, DeviceSlice};

impl<'a, F: RankedNumber + Pod> DeviceSlice<'a, F> {
    /// Returns the same floats in another order: every NaN is greater than the numbers. See [`NanGreatest`]. Nothing is
    /// copied.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Order};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[-f32::NAN, 2.0, 1.0])?;
    /// let sorted = cuda.sort(x.as_slice().nan_greatest(), Order::Ascending)?.into_floats();
    /// assert_eq!(sorted.slice(..2)?.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn nan_greatest(&self) -> DeviceSlice<'a, NanGreatest<F>> {
        let Self { cuda, memory, first, len, .. } = *self;
        DeviceSlice { cuda, memory, first, len, elements: PhantomData }
    }
}

impl<F: RankedNumber + Pod> DeviceArray<NanGreatest<F>> {
    /// Returns the floats by themselves. Nothing is copied.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Max};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[-f32::NAN, 2.0, 1.0])?;
    /// let (first, _) = cuda.bottom_k(x.as_slice().nan_greatest(), 2)?;
    /// assert_eq!(cuda.reduce(Max, &first.into_floats())?, Some(2.0));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn into_floats(self) -> DeviceArray<F> {
        let Self { cuda, memory, len, .. } = self;
        DeviceArray { cuda, memory, len, elements: PhantomData }
    }
}
