//! Elements in device memory. An array is never written once it is filled, so any number of threads and streams may
//! reduce it at the same time.

pub(crate) mod cell;
pub(crate) mod lens;
mod nan_greatest;
pub(crate) mod results;
pub(crate) mod scalar;
pub(crate) mod turns;
pub(crate) mod values;

use std::any::type_name;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeBounds};
use std::sync::Arc;

use bytemuck::{CheckedBitPattern, NoUninit, Zeroable};

use gpu_kernels::Element;

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Input, Memory};
use crate::error::Error;
use crate::memory;

/// `len` elements in the memory of one device, made by [`Cuda::upload`] or borrowed by [`Cuda::borrow_raw`].
///
/// Dropping it frees the memory. If enqueued reductions still read it, the memory is freed when their stream is waited
/// for or dropped.
#[derive(Debug)]
pub struct DeviceArray<T> {
    cuda: Cuda,
    memory: Arc<Memory>,
    len: usize,
    elements: PhantomData<T>,
}

/// A contiguous part of a [`DeviceArray`]. It may start at any element.
#[derive(Debug)]
pub struct DeviceSlice<'a, T> {
    cuda: &'a Cuda,
    memory: &'a Arc<Memory>,
    first: usize,
    len: usize,
    elements: PhantomData<&'a T>,
}

impl<T> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DeviceSlice<'_, T> {}

impl<T: Element> DeviceArray<T> {
    pub(crate) fn upload(cuda: &Cuda, executor: &Executor, x: &[T]) -> Result<Self, Error> {
        Ok(Self::of(cuda, Memory::uploaded(executor.queue(), x)?, x.len()))
    }

    pub(crate) fn zeroed(cuda: &Cuda, executor: &Executor, len: usize) -> Result<Self, Error>
    where
        T: Zeroable,
    {
        Ok(Self::of(cuda, Memory::zeroed(executor.queue(), len.saturating_mul(size_of::<T>()))?, len))
    }

    /// Wraps `memory`, which holds `len` elements.
    pub(crate) fn of(cuda: &Cuda, memory: Arc<Memory>, len: usize) -> Self {
        const { assert!(size_of::<T>() > 0, "a zero-sized element has nothing to reduce") }
        Self { cuda: cuda.clone(), memory, len, elements: PhantomData }
    }

    /// Returns the same memory as elements of another type. `None` if they have other sizes.
    pub(crate) fn cast<R: Element>(self) -> Option<DeviceArray<R>> {
        (size_of::<T>() == size_of::<R>()).then(|| DeviceArray::of(&self.cuda, self.memory, self.len))
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device that the array is on.
    #[must_use]
    pub fn cuda(&self) -> &Cuda {
        &self.cuda
    }

    /// Returns the array's address in device memory (`CUdeviceptr`), for other libraries. They must not write the
    /// array, nor use it after it was dropped.
    #[must_use]
    pub fn as_device_ptr(&self) -> u64 {
        self.memory.address()
    }

    /// Returns a slice of all elements.
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(x.as_slice().len(), x.len());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        let Self { cuda, memory, len, .. } = self;
        DeviceSlice { cuda, memory, first: 0, len: *len, elements: PhantomData }
    }

    /// Returns a slice of the elements of `range`.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] if they are not all in the array.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(cuda.reduce(Sum, x.slice(1..)?)?, 5.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>, Error> {
        let Range { start, end } = within(range, self.len)?;
        Ok(DeviceSlice { first: start, len: end - start, ..self.as_slice() })
    }

    /// Copies all elements to the host.
    ///
    /// # Errors
    /// [`Error::NoElement`] if bytes that another library wrote are not a valid element, such as a `bool` of
    /// 2; [`Error::Driver`], [`Error::Poisoned`].
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(x.to_vec()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<T>, Error>
    where
        T: CheckedBitPattern<Bits: NoUninit>,
    {
        self.as_slice().to_vec()
    }
}

impl<'a, T: Element> DeviceSlice<'a, T> {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device that the slice is on.
    #[must_use]
    pub fn cuda(&self) -> &'a Cuda {
        self.cuda
    }

    /// Returns the slice's address in device memory: see [`DeviceArray::as_device_ptr`].
    #[must_use]
    pub fn as_device_ptr(&self) -> u64 {
        // Cannot overflow: the slice is within the array.
        self.memory.address() + (self.first * size_of::<T>()) as u64
    }

    /// Returns a slice of the elements of `range`, counted within this slice.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`] if they are not all in it.
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(x.slice(1..)?.slice(1..)?.to_vec()?, [3.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self, Error> {
        let Range { start, end } = within(range, self.len)?;
        Ok(Self { first: self.first + start, len: end - start, ..*self })
    }

    /// Copies the elements to the host.
    ///
    /// # Errors
    /// [`Error::NoElement`] if bytes that another library wrote are not a valid element, such as a `bool` of
    /// 2; [`Error::Driver`], [`Error::Poisoned`].
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0])?;
    /// assert_eq!(x.slice(1..)?.to_vec()?, [2.0, 3.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn to_vec(&self) -> Result<Vec<T>, Error>
    where
        T: CheckedBitPattern<Bits: NoUninit>,
    {
        let bits: Vec<T::Bits> = self
            .cuda
            .read(|queue| Ok(self.memory.download(queue, self.first * size_of::<T>(), self.len)?))?;
        let element = |bits| {
            bytemuck::checked::try_cast(bits).map_err(|_| Error::NoElement { element: type_name::<T>() })
        };
        let mut elements = memory::with_room(bits.len())?;
        for bits in bits {
            elements.push(element(bits)?);
        }
        Ok(elements)
    }

    /// Returns the slice as a launch's input.
    pub(crate) fn input(&self) -> Result<Input<'a, T>, Error> {
        Input::new(self.memory, self.first, self.len)
    }
}

/// Resolves `range` within `0..len`.
fn within(range: impl RangeBounds<usize>, len: usize) -> Result<Range<usize>, Error> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    let (start, end) = (start.unwrap_or(usize::MAX), end.unwrap_or(usize::MAX));
    if start <= end && end <= len {
        Ok(start..end)
    } else {
        Err(Error::OutOfBounds { range: start..end, len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_within_the_array_or_refused() {
        let found = |range: (Bound<usize>, Bound<usize>)| within(range, 10).ok();
        use Bound::{Excluded, Included, Unbounded};
        assert_eq!(found((Unbounded, Unbounded)), Some(0..10));
        assert_eq!(found((Included(3), Excluded(7))), Some(3..7));
        assert_eq!(found((Excluded(3), Included(7))), Some(4..8));
        assert_eq!(found((Included(10), Unbounded)), Some(10..10));
        assert_eq!(found((Included(11), Unbounded)), None);
        assert_eq!(found((Included(7), Excluded(3))), None);
        assert_eq!(found((Unbounded, Included(10))), None);
        assert_eq!(found((Excluded(usize::MAX), Unbounded)), None);
        assert_eq!(found((Unbounded, Included(usize::MAX))), None);
    }
}
