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
    /// Views all elements of a slice in row-major order.
    ///
    /// # Errors
    /// [`Error::Dimensions`] if there are more than 8; [`Error::Shape`] if the product of the shape is not the slice's
    /// length.
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
    pub fn new(elements: &'a [T], shape: &[usize]) -> Result<Self, Error> {
        Ok(Self { elements, layout: Layout::new(elements.len(), shape)? })
    }

    /// Views elements of a slice by strides, which count elements. The first element is at `offset` in the slice.
    ///
    /// # Errors
    /// [`Error::Dimensions`] if there are more than 8, or the number of strides differs; [`Error::ViewBounds`] if an element
    /// would be outside the slice; [`Error::Shape`] if there are more elements than can be counted.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let reversed = View::strided(&x, 5, &[3], &[-2])?;
    /// assert_eq!([0, 1, 2].map(|i| reversed.get(&[i]).copied()), [Some(6), Some(4), Some(2)]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn strided(
        elements: &'a [T],
        offset: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, Error> {
        Ok(Self { elements, layout: Layout::strided(elements.len(), offset, shape, strides)? })
    }

    /// Returns the length of each axis.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let matrix = View::new(&x, &[2, 3])?;
    /// assert_eq!(matrix.shape(), [2, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Returns the stride of each axis, in elements of the slice.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let matrix = View::new(&x, &[2, 3])?;
    /// assert_eq!(matrix.strides(), [3, 1]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    /// Returns the number of axes. A view without axes has one element.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let matrix = View::new(&x, &[2, 3])?;
    /// assert_eq!(matrix.dimensions(), 2);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.layout.dimensions()
    }

    /// Returns the number of elements: the product of the shape.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let matrix = View::new(&x, &[2, 3])?;
    /// assert_eq!(matrix.len(), 6);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Returns whether there are no elements: some axis has length 0.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// assert!(View::<f32>::new(&[], &[2, 0])?.is_empty());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layout.len() == 0
    }

    /// Returns the slice that contains the elements.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// let x = [1, 2, 3, 4, 5, 6];
    /// let matrix = View::new(&x, &[2, 3])?;
    /// assert_eq!(matrix.slice(), x);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn slice(&self) -> &'a [T] {
        self.elements
    }

    /// Returns the index of the first element in the slice.
    ///
    /// ```
    /// use warpfold::View;
    ///
    /// assert_eq!(View::strided(&[1, 2, 3], 1, &[2], &[1])?.offset(), 1);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn offset(&self) -> usize {
        self.layout.offset()
    }

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
        self.elements.get(self.layout.position(index)?)
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
    pub fn permuted(&self, axes: &[usize]) -> Result<Self, Error> {
        Ok(Self { layout: self.layout.permuted(axes)?, ..*self })
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

    /// Returns the axes that are reduced, and the others.
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
