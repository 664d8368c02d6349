//! Strided arrays of several dimensions in a slice.

use std::fmt;

use crate::error::Error;
use crate::layout::{Layout, Parted};

/// A slice viewed as an array of up to 8 dimensions: a shape, and for each axis a stride, the distance in the slice, in
/// elements, between neighbours along the axis. A stride may be negative (a reversed axis) or 0 (a broadcast axis). Axes
/// count from 0; the last axis varies fastest in the logical, row-major order of the elements.
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
pub struct View<'a, T> {
    elements: &'a [T],
    layout: Layout,
}

impl<'a, T> View<'a, T> {
    /// All elements of a slice in row-major order.
    ///
    /// # Errors
    /// [`Error::Dimensions`] if there are more than 8; [`Error::Shape`] if the product of the shape is not the slice's length.
    pub fn new(elements: &'a [T], shape: &[usize]) -> Result<Self, Error> {
        Ok(Self { elements, layout: Layout::new(elements.len(), shape)? })
    }

    /// A view whose first element is at `offset` in the slice. Strides count elements.
    ///
    /// # Errors
    /// [`Error::Dimensions`] if there are more than 8, or the number of strides differs; [`Error::ViewBounds`] if an element
    /// would be outside the slice; [`Error::Shape`] if there are more elements than can be counted.
    pub fn strided(
        elements: &'a [T],
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

    /// The stride of each axis, in elements of the slice.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Number of axes. A view without axes has one element.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.layout.dimensions()
    }

    /// Number of elements: the product of the shape.
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether there are no elements: some axis has length 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout.len() == 0
    }

    /// The slice that contains the elements.
    #[must_use]
    pub fn slice(&self) -> &'a [T] {
        self.elements
    }

    /// Index of the first element in the slice.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.layout.offset()
    }

    /// The element at an index along each axis, if there is one.
    #[must_use]
    pub fn get(&self, index: &[usize]) -> Option<&'a T> {
        self.elements.get(self.layout.place(index)?)
    }

    /// The axes in reverse order.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { layout: self.layout.transposed(), ..self }
    }

    /// The axes in another order: axis `i` of the result is axis `axes[i]` of this view.
    ///
    /// # Errors
    /// [`Error::Axes`] unless each axis is named once.
    pub fn permuted(&self, axes: &[usize]) -> Result<Self, Error> {
        Ok(Self { layout: self.layout.permuted(axes)?, ..*self })
    }

    /// The shape of the results of a reduction along `axes`: the lengths of the other axes, in order. With `keep_dims` the
    /// reduced axes are kept with length 1.
    ///
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice.
    pub fn reduced_shape(&self, axes: &[usize], keep_dims: bool) -> Result<Vec<usize>, Error> {
        self.layout.reduced_shape(axes, keep_dims)
    }

    /// The axes that are reduced, and the others.
    pub(crate) fn parted(&self, axes: &[usize]) -> Result<Parted, Error> {
        self.layout.parted(axes)
    }
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<T> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut view = f.debug_struct("View");
        view.field("offset", &self.offset()).field("shape", &self.shape()).field("strides", &self.strides());
        view.finish_non_exhaustive()
    }
}
