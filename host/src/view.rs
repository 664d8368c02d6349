//! Strided arrays of several dimensions in a slice, on the host or on a device.

use std::fmt;

use crate::error::Error;
use crate::layout::{Layout, Parted};

/// A slice viewed as an array of up to 8 dimensions: a shape, and for each axis a stride, the distance in the slice, in
/// elements, between neighbours along the axis. A stride may be negative (a reversed axis) or 0 (a broadcast axis). Axes
/// count from 0; the last axis varies fastest in the logical, row-major order of the elements.
///
/// `S` says where the memory is: a view of host memory is a `View<&[T]>`, a view of device memory (feature `cuda`) a
/// `View<DeviceSlice<T>>`. With the feature `ndarray`, `View::try_from(&array)` views an array of ndarray in place.
///
/// ```
/// use warpfold::{Cpu, Max, View, along};
///
/// let x = [1, 2, 3, 4, 5, 6];
/// let matrix = View::new(&x, &[2, 3])?;
/// assert_eq!(Cpu::new().reduce(Max, along(matrix, &[0]))?, [Some(4), Some(5), Some(6)]);
/// assert_eq!(Cpu::new().reduce(Max, along(matrix.transposed(), &[0]))?, [Some(3), Some(6)]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct View<S> {
    slice: S,
    layout: Layout,
}

/// An array with a slice that a [`View`] looks at.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory that a view looks at",
    label = "neither `&x` in host memory nor an array on a device",
    note = "an array of ndarray has axes of its own: `View::try_from(&array)`"
)]
pub trait Viewed {
    /// The slice.
    type Slice;

    /// Returns all elements, and their number.
    fn viewed(self) -> Result<(Self::Slice, usize), Error>;
}

impl<S> View<S> {
    /// Views all elements of an array in row-major order. `x` is `&x` in host memory, or with the feature `cuda` a
    /// `&DeviceArray` or a `DeviceSlice`.
    ///
    /// # Errors
    /// [`Error::Dimensions`] if there are more than 8; [`Error::Shape`] if the product of the shape is not the number of
    /// elements; [`Error::NotInPlace`] if the elements are not contiguous, or some are missing.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let matrix = View::new(&x, &[2, 3])?;
    /// assert_eq!(matrix.get(&[1, 0]), Some(&4));
    /// assert!(View::new(&x, &[2, 2]).is_err());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn new<X: Viewed<Slice = S>>(x: X, shape: &[usize]) -> Result<Self, Error> {
        let (slice, len) = x.viewed()?;
        Ok(Self { slice, layout: Layout::new(len, shape)? })
    }

    /// Views elements of an array by strides, which count elements. The first element is at `offset` in the slice. `x` is
    /// as for [`new`](Self::new).
    ///
    /// # Errors
    /// [`Error::Dimensions`] if there are more than 8, or the number of strides differs; [`Error::ViewBounds`] if an element
    /// would be outside the slice; [`Error::Shape`] if there are more elements than can be counted; [`Error::NotInPlace`]
    /// as for `new`.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let reversed = View::strided(&x, 5, &[3], &[-2])?;
    /// assert_eq!([0, 1, 2].map(|i| reversed.get(&[i]).copied()), [Some(6), Some(4), Some(2)]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn strided<X: Viewed<Slice = S>>(
        x: X,
        offset: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, Error> {
        let (slice, len) = x.viewed()?;
        Ok(Self { slice, layout: Layout::strided(len, offset, shape, strides)? })
    }

    /// Returns the length of each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Returns the stride of each axis, in elements of the slice.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Returns the number of axes. A view without axes has one element.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.layout.dimensions()
    }

    /// Returns the number of elements: the product of the shape.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Returns whether there are no elements: some axis has length 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout.len() == 0
    }

    /// Returns the slice that contains the elements.
    #[must_use]
    pub fn slice(&self) -> S
    where
        S: Copy,
    {
        self.slice
    }

    /// Returns the index of the first element in the slice.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.layout.offset()
    }

    /// Returns the view with its axes in reverse order.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let matrix = View::new(&x, &[2, 3])?;
    /// assert_eq!(matrix.transposed().get(&[2, 0]), matrix.get(&[0, 2]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { layout: self.layout.transposed(), ..self }
    }

    /// Returns the view with its axes in another order: axis `i` of the result is axis `axes[i]` of this view.
    ///
    /// # Errors
    /// [`Error::Axes`] unless each axis is named once.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x: Vec<u32> = (0..24).collect();
    /// let array = View::new(&x, &[2, 3, 4])?;
    /// assert_eq!(array.permuted(&[2, 0, 1])?.shape(), [4, 2, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn permuted(&self, axes: &[usize]) -> Result<Self, Error>
    where
        S: Copy,
    {
        Ok(Self { layout: self.layout.permuted(axes)?, ..*self })
    }

    /// Returns the view with some axes reversed: their last index is the first. A scan along them begins at the other end.
    ///
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice.
    ///
    /// ```
    /// use warpfold::{Cpu, Scan, Sum, View, along};
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let matrix = View::new(&x, &[2, 3])?.reversed(&[1])?;
    /// assert_eq!(matrix.get(&[0, 0]), Some(&3));
    /// assert_eq!(Cpu::new().scan(Sum, along(matrix, &[1]), Scan::inclusive())?, [3_i64, 5, 6, 6, 11, 15]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reversed(&self, axes: &[usize]) -> Result<Self, Error>
    where
        S: Copy,
    {
        Ok(Self { layout: self.layout.reversed(axes)?, ..*self })
    }

    /// Returns the shape of the results of a reduction along `axes`: the lengths of the other axes, in order. With
    /// `keep_dims` the reduced axes are kept with length 1.
    ///
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let matrix = View::new(&x, &[2, 3])?;
    /// assert_eq!(matrix.reduced_shape(&[1], false)?, [2]);
    /// assert_eq!(matrix.reduced_shape(&[1], true)?, [2, 1]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduced_shape(&self, axes: &[usize], keep_dims: bool) -> Result<Vec<usize>, Error> {
        self.layout.reduced_shape(axes, keep_dims)
    }

    /// Fails with [`Error::Axes`] if an axis is out of range or named twice.
    pub(crate) fn check(&self, axes: &[usize]) -> Result<(), Error> {
        self.layout.check(axes)
    }

    /// Returns the axes that are reduced, and the others.
    pub(crate) fn parted(&self, axes: &[usize]) -> Result<Parted, Error> {
        self.layout.parted(axes)
    }
}

impl<'a, T> View<&'a [T]> {
    /// Returns the element at an index along each axis, or `None` if there is none.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let matrix = View::new(&x, &[2, 3])?;
    /// assert_eq!(matrix.get(&[1, 2]), Some(&6));
    /// assert_eq!(matrix.get(&[2, 0]), None);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self, index: &[usize]) -> Option<&'a T> {
        self.slice.get(self.layout.position(index)?)
    }
}

impl<S> fmt::Debug for View<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut view = f.debug_struct("View");
        view.field("offset", &self.offset()).field("shape", &self.shape()).field("strides", &self.strides());
        view.finish_non_exhaustive()
    }
}
