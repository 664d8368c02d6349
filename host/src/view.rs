//! Arrays of several dimensions as they lie in a slice.

use std::fmt;

use crate::error::Error;

/// The most dimensions that a [`View`] may have.
const MOST: usize = 8;

/// A slice seen as an array of up to 8 dimensions: a shape, and for each axis a stride, by how many elements of the
/// slice two neighbours along it are apart. A stride may be negative (an axis that runs backwards) or 0 (a broadcast
/// one). Axes are counted from 0; the last one runs fastest in the logical, row-major order of the elements.
///
/// ```
/// use warpfold::{Cpu, Max, View};
///
/// let x = [1, 2, 3, 4, 5, 6];
/// let matrix = View::new(&x, &[2, 3])?;
/// assert_eq!(Cpu::new().reduce_axes::<i32, Max>(&matrix, &[0])?, [Some(4), Some(5), Some(6)]);
/// assert_eq!(Cpu::new().reduce_axes::<i32, Max>(&matrix.transposed(), &[0])?, [Some(3), Some(6)]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub struct View<'a, T> {
    elements: &'a [T],
    offset: usize,
    dimensions: usize,
    shape: [usize; MOST],
    strides: [isize; MOST],
    len: usize,
}

impl<'a, T> View<'a, T> {
    /// All elements of a slice in row-major order.
    ///
    /// # Errors
    /// [`Error::Dimensions`] if there are more than 8; [`Error::Shape`] if the shape is not that of so many elements.
    pub fn new(elements: &'a [T], shape: &[usize]) -> Result<Self, Error> {
        let mut strides = [0; MOST];
        let mut stride = 1_usize;
        for (place, &length) in strides.iter_mut().take(shape.len()).zip(shape).rev() {
            // Where this wraps there are too many elements, or none.
            *place = stride.cast_signed();
            stride = stride.wrapping_mul(length);
        }
        let strides = strides.get(..shape.len()).ok_or_else(|| too_many(shape.len(), shape.len()))?;
        if len_of(shape) != Some(elements.len()) {
            return Err(Error::Shape { shape: shape.into(), given: elements.len() as u64 });
        }
        Self::strided(elements, 0, shape, strides)
    }

    /// Elements of a slice, the first of which stands at `offset`. Strides count elements.
    ///
    /// # Errors
    /// [`Error::Dimensions`] if there are more than 8, or not as many strides; [`Error::ViewBounds`] if an element
    /// would stand outside the slice; [`Error::Shape`] if there are more elements than can be counted.
    pub fn strided(
        elements: &'a [T],
        offset: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, Error> {
        let dimensions = shape.len();
        if dimensions > MOST || strides.len() != dimensions {
            return Err(too_many(dimensions, strides.len()));
        }
        let len = len_of(shape)
            .ok_or_else(|| Error::Shape { shape: shape.into(), given: elements.len() as u64 })?;
        if len > 0 {
            let reach = |&(&length, &stride): &(&usize, &isize)| (length as i128 - 1) * stride as i128;
            let axes = || shape.iter().zip(strides);
            let first = offset as i128 + axes().map(|axis| reach(&axis).min(0)).sum::<i128>();
            let last = offset as i128 + axes().map(|axis| reach(&axis).max(0)).sum::<i128>();
            if first < 0 || last >= elements.len() as i128 {
                return Err(Error::ViewBounds { first, last, len: elements.len() });
            }
        }
        let mut view = Self { elements, offset, dimensions, shape: [1; MOST], strides: [0; MOST], len };
        for (place, &length) in view.shape.iter_mut().zip(shape) {
            *place = length;
        }
        for (place, &stride) in view.strides.iter_mut().zip(strides) {
            *place = stride;
        }
        Ok(view)
    }

    /// The length of each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape[..self.dimensions]
    }

    /// By how many elements of the slice two neighbours along each axis are apart.
    #[must_use]
    pub fn strides(&self) -> &[isize] {
        &self.strides[..self.dimensions]
    }

    /// Number of axes. A view of none has one element.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Number of elements: the product of the shape.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether some axis has no length.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The slice that the elements lie in.
    #[must_use]
    pub fn slice(&self) -> &'a [T] {
        self.elements
    }

    /// Where in the slice the first element stands.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The element at an index along each axis, if there is one.
    #[must_use]
    pub fn get(&self, index: &[usize]) -> Option<&'a T> {
        if index.len() != self.dimensions || index.iter().zip(self.shape()).any(|(i, length)| i >= length) {
            return None;
        }
        let apart =
            index.iter().zip(self.strides()).map(|(&i, &stride)| stride.wrapping_mul(i.cast_signed()));
        self.elements.get(apart.fold(self.offset, usize::wrapping_add_signed))
    }

    /// The axes in reverse order.
    #[must_use]
    pub fn transposed(mut self) -> Self {
        self.shape[..self.dimensions].reverse();
        self.strides[..self.dimensions].reverse();
        self
    }

    /// The axes in another order: axis `i` is what axis `axes[i]` was.
    ///
    /// # Errors
    /// [`Error::Axes`] unless each axis is named once.
    pub fn permuted(&self, axes: &[usize]) -> Result<Self, Error> {
        self.is_named(axes)?;
        if axes.len() != self.dimensions {
            return Err(self.wrong(axes, "name each of them once"));
        }
        let mut view = *self;
        for (i, &axis) in axes.iter().enumerate() {
            (view.shape[i], view.strides[i]) = (self.shape[axis], self.strides[axis]);
        }
        Ok(view)
    }

    /// The shape that is left when some axes are reduced: of the others, in their order, or with `keep_dims` of all, each
    /// that was reduced being of length 1.
    ///
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice.
    pub fn reduced_shape(&self, axes: &[usize], keep_dims: bool) -> Result<Vec<usize>, Error> {
        let is_reduced = self.is_named(axes)?;
        let all = self.shape().iter().zip(is_reduced);
        Ok(all.filter(|&(_, is)| keep_dims || !is).map(|(&length, is)| if is { 1 } else { length }).collect())
    }

    /// For each axis, whether it is among those named.
    pub(crate) fn is_named(&self, axes: &[usize]) -> Result<[bool; MOST], Error> {
        let mut is_named = [false; MOST];
        for &axis in axes {
            match is_named[..self.dimensions].get_mut(axis) {
                None => return Err(self.wrong(axes, "they are counted from 0, and none is beyond the last")),
                Some(true) => return Err(self.wrong(axes, "name none of them twice")),
                Some(is) => *is = true,
            }
        }
        Ok(is_named)
    }

    fn wrong(&self, axes: &[usize], why: &'static str) -> Error {
        Error::Axes { axes: axes.into(), dimensions: self.dimensions, why }
    }
}

fn too_many(dimensions: usize, strides: usize) -> Error {
    Error::Dimensions { dimensions, strides, most: MOST }
}

/// Number of elements of a shape, if it can be counted; none if an axis has no length, whatever the others have.
pub(crate) fn len_of(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1_usize, |len, &length| len.checked_mul(length))
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
        view.field("offset", &self.offset).field("shape", &self.shape()).field("strides", &self.strides());
        view.finish_non_exhaustive()
    }
}
