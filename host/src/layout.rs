//! The positions of the elements of a multidimensional array in a slice, on the host or on a device.

use gpu_kernels::pack::axes::{Axis, merged};

use crate::error::Error;

/// Most dimensions of a view.
pub(crate) const MOST_DIMENSIONS: usize = 8;

/// A shape, a stride for each axis, and the position of the first element: all elements are within a slice.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    offset: usize,
    dimensions: usize,
    shape: [usize; MOST_DIMENSIONS],
    strides: [isize; MOST_DIMENSIONS],
    len: usize,
}

/// The axes of a view, divided into kept and reduced axes. Axes of length 1 are left out, and contiguous axes are
/// merged.
pub(crate) struct Parted {
    pub(crate) kept: Vec<Axis>,
    pub(crate) reduced: Vec<Axis>,
    /// Number of results: the product of the kept lengths.
    pub(crate) count: usize,
    /// Number of elements of each result.
    pub(crate) len: usize,
}

impl Layout {
    /// Creates the layout of all of `given` elements in row-major order.
    pub(crate) fn new(given: usize, shape: &[usize]) -> Result<Self, Error> {
        let mut strides = [0; MOST_DIMENSIONS];
        let mut stride = 1_usize;
        for (own, &length) in strides.iter_mut().take(shape.len()).zip(shape).rev() {
            // If the product wraps, there are too many elements or none.
            *own = stride.cast_signed();
            stride = stride.wrapping_mul(length);
        }
        let strides = strides.get(..shape.len()).ok_or_else(|| too_many(shape.len(), shape.len()))?;
        if len_of(shape) != Some(given) {
            return Err(Error::Shape { shape: shape.into(), given: given as u64 });
        }
        Self::strided(given, 0, shape, strides)
    }

    /// Creates the layout of some of `given` elements. `offset` is the index of the first.
    pub(crate) fn strided(
        given: usize,
        offset: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Self, Error> {
        let dimensions = shape.len();
        if dimensions > MOST_DIMENSIONS || strides.len() != dimensions {
            return Err(too_many(dimensions, strides.len()));
        }
        let len = len_of(shape).ok_or_else(|| Error::Shape { shape: shape.into(), given: given as u64 })?;
        if len > 0 {
            let reach = |&(&length, &stride): &(&usize, &isize)| (length as i128 - 1) * stride as i128;
            let axes = || shape.iter().zip(strides);
            let first = offset as i128 + axes().map(|axis| reach(&axis).min(0)).sum::<i128>();
            let last = offset as i128 + axes().map(|axis| reach(&axis).max(0)).sum::<i128>();
            if first < 0 || last >= given as i128 {
                return Err(Error::ViewBounds { first, last, len: given });
            }
        }
        let mut layout =
            Self { offset, dimensions, shape: [1; MOST_DIMENSIONS], strides: [0; MOST_DIMENSIONS], len };
        for (own, &length) in layout.shape.iter_mut().zip(shape) {
            *own = length;
        }
        for (own, &stride) in layout.strides.iter_mut().zip(strides) {
            *own = stride;
        }
        Ok(layout)
    }

    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape[..self.dimensions]
    }

    pub(crate) fn strides(&self) -> &[isize] {
        &self.strides[..self.dimensions]
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the position of the element at the given index along each axis, if it exists.
    pub(crate) fn position(&self, index: &[usize]) -> Option<usize> {
        if index.len() != self.dimensions || index.iter().zip(self.shape()).any(|(i, length)| i >= length) {
            return None;
        }
        let apart =
            index.iter().zip(self.strides()).map(|(&i, &stride)| stride.wrapping_mul(i.cast_signed()));
        Some(apart.fold(self.offset, usize::wrapping_add_signed))
    }

    /// Returns the layout with its axes in reverse order.
    pub(crate) fn transposed(mut self) -> Self {
        self.shape[..self.dimensions].reverse();
        self.strides[..self.dimensions].reverse();
        self
    }

    /// Returns the layout with some axes from their last index to their first.
    pub(crate) fn reversed(mut self, axes: &[usize]) -> Result<Self, Error> {
        let is_named = self.is_named(axes)?;
        for (axis, _) in is_named.iter().enumerate().filter(|&(_, &is)| is) {
            if self.len > 0 {
                let reach = self.strides[axis].wrapping_mul((self.shape[axis] - 1).cast_signed());
                self.offset = self.offset.wrapping_add_signed(reach);
            }
            self.strides[axis] = self.strides[axis].wrapping_neg();
        }
        Ok(self)
    }

    /// Returns the layout with its axes reordered: axis `i` of the result is axis `axes[i]` of this layout.
    pub(crate) fn permuted(&self, axes: &[usize]) -> Result<Self, Error> {
        self.is_named(axes)?;
        if axes.len() != self.dimensions {
            return Err(self.wrong(axes, "name each of them once"));
        }
        let mut layout = *self;
        for (i, &axis) in axes.iter().enumerate() {
            (layout.shape[i], layout.strides[i]) = (self.shape[axis], self.strides[axis]);
        }
        Ok(layout)
    }

    /// Returns the shape after a reduction of some axes.
    #[expect(clippy::disallowed_methods, reason = "at most 8 axes")]
    pub(crate) fn reduced_shape(&self, axes: &[usize], keep_dims: bool) -> Result<Vec<usize>, Error> {
        let is_reduced = self.is_named(axes)?;
        let all = self.shape().iter().zip(is_reduced);
        Ok(all.filter(|&(_, is)| keep_dims || !is).map(|(&length, is)| if is { 1 } else { length }).collect())
    }

    /// Divides the axes into kept and reduced ones.
    ///
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice; [`Error::TooManyResults`] if the number of results
    /// overflows.
    pub(crate) fn parted(&self, axes: &[usize]) -> Result<Parted, Error> {
        let is_reduced = self.is_named(axes)?;
        let of = |reduced: bool| {
            let all = self.shape().iter().zip(self.strides()).zip(is_reduced);
            all.filter(move |&(_, is)| is == reduced).map(|((&length, &stride), _)| (length, stride))
        };
        #[expect(clippy::disallowed_methods, reason = "at most 8 axes")]
        let lengths: Vec<usize> = of(false).map(|(length, _)| length).collect();
        let count = len_of(&lengths).ok_or(Error::TooManyResults { results: usize::MAX })?;
        let len = self.len.checked_div(count).unwrap_or(0);
        Ok(Parted { kept: merged(of(false)), reduced: merged(of(true)), count, len })
    }

    /// Fails with [`Error::Axes`] if an axis is out of range or named twice.
    pub(crate) fn check(&self, axes: &[usize]) -> Result<(), Error> {
        self.is_named(axes).map(drop)
    }

    /// Returns for each axis whether `axes` names it.
    fn is_named(&self, axes: &[usize]) -> Result<[bool; MOST_DIMENSIONS], Error> {
        let mut is_named = [false; MOST_DIMENSIONS];
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
    Error::Dimensions { dimensions, strides, most: MOST_DIMENSIONS }
}

/// Returns the number of elements of a shape, or `None` on overflow. It is 0 if any length is 0, whatever the others
/// are.
pub(crate) fn len_of(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1_usize, |len, &length| len.checked_mul(length))
}

/// Returns the position, counted from `first`, of the element with row-major index `index`.
#[inline(always)]
pub(crate) fn position(first: usize, axes: &[Axis], index: usize) -> usize {
    let (mut position, mut rest) = (first, index);
    for &(length, stride) in axes.iter().rev() {
        let along = rest.checked_rem(length).unwrap_or(0);
        rest = rest.checked_div(length).unwrap_or(0);
        position = position.wrapping_add_signed(stride.wrapping_mul(along.cast_signed()));
    }
    position
}
