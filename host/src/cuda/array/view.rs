//! Arrays of several dimensions as they lie in device memory.

use std::fmt;

use crate::Element;
use crate::cuda::DeviceSlice;
use crate::error::Error;
use crate::layout::{Layout, Parted};

/// A device slice seen as an array of up to 8 dimensions: a [`View`](crate::View) of elements on a device. A stride counts
/// elements, and may be negative or 0.
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
    /// All elements of a slice in row-major order.
    ///
    /// # Errors
    /// [`Error::Dimensions`] if there are more than 8; [`Error::Shape`] if the shape is not that of so many elements.
    pub fn new(elements: DeviceSlice<'a, T>, shape: &[usize]) -> Result<Self, Error> {
        Ok(Self { elements, layout: Layout::new(elements.len(), shape)? })
    }

    /// Elements of a slice, the first of which stands at `offset`. Strides count elements.
    ///
    /// # Errors
    /// [`Error::Dimensions`] if there are more than 8, or not as many strides; [`Error::ViewBounds`] if an element
    /// would stand outside the slice; [`Error::Shape`] if there are more elements than can be counted.
    pub fn strided(
        elements: DeviceSlice<'a, T>,
        offset: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, Error> {
        Ok(Self { elements, layout: Layout::strided(elements.len(), offset, shape, strides)? })
    }

    /// The length of each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// By how many elements of the slice two neighbours along each axis are apart.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Number of axes. A view of none has one element.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.layout.dimensions()
    }

    /// Number of elements: the product of the shape.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether some axis has no length.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout.len() == 0
    }

    /// The slice that the elements lie in.
    #[must_use]
    pub fn slice(&self) -> DeviceSlice<'a, T> {
        self.elements
    }

    /// Where in the slice the first element stands.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.layout.offset()
    }

    /// The axes in reverse order.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { layout: self.layout.transposed(), ..self }
    }

    /// The axes in another order: axis `i` is what axis `axes[i]` was.
    ///
    /// # Errors
    /// [`Error::Axes`] unless each axis is named once.
    pub fn permuted(&self, axes: &[usize]) -> Result<Self, Error> {
        Ok(Self { layout: self.layout.permuted(axes)?, ..*self })
    }

    /// The shape that is left when some axes are reduced: of the others, in their order, or with `keep_dims` of all, each
    /// that was reduced being of length 1.
    ///
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice.
    pub fn reduced_shape(&self, axes: &[usize], keep_dims: bool) -> Result<Vec<usize>, Error> {
        self.layout.reduced_shape(axes, keep_dims)
    }

    /// The axes that are reduced, and the others.
    pub(in crate::cuda) fn parted(&self, axes: &[usize]) -> Result<Parted, Error> {
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
