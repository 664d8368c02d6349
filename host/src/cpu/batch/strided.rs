//! Rows whose elements lie apart: the axes of a view, some of them reduced.

use std::ops::Range;

use gpu_kernels::Element;

use super::Rows;
use crate::error::Error;
use crate::view::View;

/// The length of an axis, and how far apart its neighbours are.
pub(super) type Axis = (usize, isize);

/// One row for each index along the axes that are kept; its elements are those along the others, in row-major order.
pub(super) struct Strided<'x, T> {
    pub(super) x: &'x [T],
    pub(super) offset: usize,
    /// Neither has axes of length 1, nor two that are one in memory.
    pub(super) kept: Vec<Axis>,
    pub(super) reduced: Vec<Axis>,
    pub(super) count: usize,
    pub(super) len: usize,
}

impl<'x, T> Strided<'x, T> {
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice; [`Error::TooManyResults`] if the rows cannot be counted.
    pub(super) fn new(view: &View<'x, T>, axes: &[usize]) -> Result<Self, Error> {
        let is_reduced = view.is_named(axes)?;
        let of = |reduced: bool| {
            let all = view.shape().iter().zip(view.strides()).zip(is_reduced);
            all.filter(move |&(_, is)| is == reduced).map(|((&length, &stride), _)| (length, stride))
        };
        let count = of(false).map(|(length, _)| length);
        let count = if of(false).any(|(length, _)| length == 0) {
            0
        } else {
            let count = count.clone().try_fold(1_usize, usize::checked_mul);
            count.ok_or(Error::TooManyResults { results: usize::MAX })?
        };
        let len = view.len().checked_div(count).unwrap_or(0);
        let (kept, reduced) = (merged(of(false)), merged(of(true)));
        Ok(Self { x: view.slice(), offset: view.offset(), kept, reduced, count, len })
    }
}

/// Axes in which neighbours that are one in memory are one, without those of length 1.
fn merged(axes: impl Iterator<Item = Axis>) -> Vec<Axis> {
    let mut merged: Vec<Axis> = Vec::new();
    for (length, stride) in axes.filter(|&(length, _)| length != 1) {
        match merged.last_mut() {
            Some(outer) if outer.1 == stride.wrapping_mul(length.cast_signed()) => {
                *outer = (outer.0.saturating_mul(length), stride);
            }
            _ => merged.push((length, stride)),
        }
    }
    merged
}

/// Where the element at `index`, counted in row-major order, stands behind `first`.
#[inline(always)]
pub(super) fn place(first: usize, axes: &[Axis], index: usize) -> usize {
    let (mut place, mut rest) = (first, index);
    for &(length, stride) in axes.iter().rev() {
        let along = rest.checked_rem(length).unwrap_or(0);
        rest = rest.checked_div(length).unwrap_or(0);
        place = place.wrapping_add_signed(stride.wrapping_mul(along.cast_signed()));
    }
    place
}

impl<T: Element> Rows<T> for Strided<'_, T> {
    const OF_ONE_LENGTH: bool = true;

    fn count(&self) -> usize {
        self.count
    }
    #[inline(always)]
    fn before(&self, row: usize) -> usize {
        row * self.len
    }
    #[inline(always)]
    fn longest(&self) -> usize {
        self.len
    }
    #[inline(always)]
    fn elements<'a>(&'a self, row: usize, range: Range<usize>, buffer: &'a mut Vec<T>) -> &'a [T] {
        if range.is_empty() {
            return &[];
        }
        let first = place(self.offset, &self.kept, row);
        match self.reduced[..] {
            [] => &self.x[first..=first],
            [(_, 1)] => &self.x[first + range.start..first + range.end],
            [ref outer @ .., inner] => {
                buffer.clear();
                gather(self.x, first, outer, inner, range, buffer);
                buffer
            }
        }
    }
}

/// Appends the elements of a row that are in `range`, an inner axis at a time.
fn gather<T: Copy>(
    x: &[T],
    first: usize,
    outer: &[Axis],
    (length, stride): Axis,
    range: Range<usize>,
    buffer: &mut Vec<T>,
) {
    let mut done = range.start;
    while done < range.end {
        let along = done % length;
        let first = place(first, outer, done / length);
        let first = first.wrapping_add_signed(stride.wrapping_mul(along.cast_signed()));
        let run = (length - along).min(range.end - done);
        match (stride, stride.unsigned_abs()) {
            (1, _) => buffer.extend_from_slice(&x[first..first + run]),
            (0, _) => buffer.extend(std::iter::repeat_n(x[first], run)),
            (1.., apart) => buffer.extend(x[first..].iter().step_by(apart).take(run)),
            (_, apart) => buffer.extend(x[..=first].iter().rev().step_by(apart).take(run)),
        }
        done += run;
    }
}
