//! Rows along axes, in place.

use std::ops::Range;

use crate::failure::Failure;
use crate::memory::with_room;

/// The most bytes, and the most rows, that are gathered at once: a cache line with an element of one row also
/// holds elements of its neighbours.
const GATHERED: usize = 1 << 20;
const NEIGHBOURS: usize = 64;

/// An axis: its length and its stride in elements.
pub(super) type Axis = (usize, usize);

/// The rows of a non-empty array.
pub(in crate::rows) struct Strided<'a, T> {
    x: &'a [T],
    kept: Vec<Axis>,
    reduced: Vec<Axis>,
    /// Number of rows.
    pub(in crate::rows) count: usize,
    /// Elements of a row.
    pub(in crate::rows) len: usize,
    /// Whether a row is a slice of the array.
    is_slice: bool,
}

impl<'a, T> Strided<'a, T> {
    pub(super) fn new(x: &'a [T], kept: Vec<Axis>, reduced: Vec<Axis>) -> Self {
        let (count, len, is_slice) = (elements(&kept), elements(&reduced), follow(&reduced, 1));
        Self { x, kept, reduced, count, len, is_slice }
    }
}

/// The number of elements along some axes.
pub(super) fn elements(axes: &[Axis]) -> usize {
    axes.iter().map(|&(length, _)| length).product()
}

/// Whether elements that follow each other along `axes`, in row-major order, are `stride` elements apart.
pub(super) fn follow(axes: &[Axis], mut stride: usize) -> bool {
    axes.iter().rev().filter(|&&(length, _)| length > 1).all(|&(length, found)| {
        let follows = found == stride;
        stride *= length;
        follows
    })
}

/// The offset of the element with `index`, which counts along `axes` in row-major order.
fn place(axes: &[Axis], mut index: usize) -> usize {
    let mut place = 0;
    for &(length, stride) in axes.iter().rev() {
        place += index % length * stride;
        index /= length;
    }
    place
}

impl<T: Copy> Strided<'_, T> {
    /// Calls a function with each of some neighbouring rows, in order.
    pub(in crate::rows) fn each(
        &self,
        rows: Range<usize>,
        with: &mut dyn FnMut(&[T]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.is_slice {
            return rows
                .map(|row| place(&self.kept, row))
                .try_for_each(|at| with(&self.x[at..at + self.len]));
        }
        let bytes = self.len * size_of::<T>();
        let together = (GATHERED / bytes.max(1)).clamp(NEIGHBOURS / size_of::<T>(), NEIGHBOURS);
        let what = "a row along axes that does not lie in one piece is copied";
        let together = together.min(rows.len());
        let mut gathered = with_room(together * self.len, what)?;
        // The last axis is separate, so that the offset is computed once per row of it.
        let (&(inner, stride), outer) = self.reduced.split_last().unwrap_or((&(1, 1), &[]));
        for first in rows.clone().step_by(together.max(1)) {
            let places: Vec<usize> =
                (first..rows.end.min(first + together)).map(|row| place(&self.kept, row)).collect();
            gathered.clear();
            gathered.resize(places.len() * self.len, self.x[0]);
            for (number, at) in (0..self.len).step_by(inner).enumerate() {
                let from = place(outer, number);
                for step in 0..inner {
                    for (row, start) in places.iter().enumerate() {
                        gathered[row * self.len + at + step] = self.x[start + from + step * stride];
                    }
                }
            }
            gathered.chunks(self.len).try_for_each(&mut *with)?;
        }
        Ok(())
    }
}
