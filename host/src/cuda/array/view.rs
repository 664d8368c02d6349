//! Strided arrays of several dimensions in device memory.

use std::fmt;

use gpu_kernels::Element;

use crate::cuda::DeviceSlice;
use crate::error::Error;
use crate::layout::{Layout, Parted};

/// A device slice seen as an array of up to 8 dimensions: a [`View`](crate::View) of elements on a device. Strides
/// count elements, and may be negative or 0.
///
/// ```no_run
/// use warpfold::{Cuda, DeviceView, Max, along};
///
/// let cuda = Cuda::open(0)?;
/// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
/// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
/// assert_eq!(cuda.reduce(Max, along(matrix, &[0]))?.to_vec()?, [Some(4), Some(5), Some(6)]);
/// assert_eq!(cuda.reduce(Max, along(matrix.transposed(), &[0]))?.to_vec()?, [Some(3), Some(6)]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub struct DeviceView<'a, T> {
    elements: DeviceSlice<'a, T>,
    layout: Layout,
}

impl<'a, T: Element> DeviceView<'a, T> {
    /// Views all elements of a slice in row-major order.
    ///
    /// # Errors
    /// [`Error::Dimensions`] for more than 8 dimensions; [`Error::Shape`] if the shape has another number of elements.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert_eq!(matrix.shape(), [2, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn new(elements: DeviceSlice<'a, T>, shape: &[usize]) -> Result<Self, Error> {
        Ok(Self { elements, layout: Layout::new(elements.len(), shape)? })
    }

    /// Views elements of a slice by strides, which count elements. The first element is at `offset` in the slice.
    ///
    /// # Errors
    /// [`Error::Dimensions`] for more than 8 dimensions or another number of strides; [`Error::ViewBounds`] if an
    /// element would lie outside the slice; [`Error::Shape`] if the number of elements overflows.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView, Sum, along};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let reversed = DeviceView::strided(x.as_slice(), 5, &[3], &[-2])?;
    /// assert_eq!(cuda.reduce(Sum, along(reversed, &[0]))?.to_vec()?, [12i64]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn strided(
        elements: DeviceSlice<'a, T>,
        offset: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, Error> {
        Ok(Self { elements, layout: Layout::strided(elements.len(), offset, shape, strides)? })
    }

    /// Returns the length of each axis.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert_eq!(matrix.shape(), [2, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Returns the stride of each axis, in elements of the slice.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert_eq!(matrix.strides(), [3, 1]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Returns the number of axes. A view without axes has one element.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert_eq!(matrix.dimensions(), 2);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.layout.dimensions()
    }

    /// Returns the number of elements: the product of the shape.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert_eq!(matrix.len(), 6);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Returns whether an axis has length 0.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert!(!matrix.is_empty());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout.len() == 0
    }

    /// Returns the slice that the elements lie in.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert_eq!(matrix.slice().len(), 6);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn slice(&self) -> DeviceSlice<'a, T> {
        self.elements
    }

    /// Returns the position of the first element in the slice.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert_eq!(matrix.offset(), 0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn offset(&self) -> usize {
        self.layout.offset()
    }

    /// Returns the view with its axes in reverse order.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert_eq!(matrix.transposed().shape(), [3, 2]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { layout: self.layout.transposed(), ..self }
    }

    /// Returns the view with its axes reordered: axis `i` of the result is axis `axes[i]` of this view.
    ///
    /// # Errors
    /// [`Error::Axes`] unless each axis is named once.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert_eq!(matrix.permuted(&[1, 0])?.strides(), [1, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn permuted(&self, axes: &[usize]) -> Result<Self, Error> {
        Ok(Self { layout: self.layout.permuted(axes)?, ..*self })
    }

    /// Returns the shape after a reduction of `axes`: the lengths of the other axes, in order. With `keep_dims`,
    /// reduced axes stay, with length 1.
    ///
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, DeviceView};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = DeviceView::new(x.as_slice(), &[2, 3])?;
    /// assert_eq!(matrix.reduced_shape(&[1], true)?, [2, 1]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduced_shape(&self, axes: &[usize], keep_dims: bool) -> Result<Vec<usize>, Error> {
        self.layout.reduced_shape(axes, keep_dims)
    }

    /// Divides the axes into those to reduce and the others.
    pub(crate) fn parted(&self, axes: &[usize]) -> Result<Parted, Error> {
        self.layout.parted(axes)
    }
}

impl<T> Clone for DeviceView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceView<'_, T> {}

impl<T> fmt::Debug for DeviceView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut view = f.debug_struct("DeviceView");
        view.field("offset", &self.layout.offset()).field("shape", &self.layout.shape());
        view.field("strides", &self.layout.strides()).finish_non_exhaustive()
    }
}
