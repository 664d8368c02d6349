//! Rows along some axes of a view, whose elements may be apart.

use std::ops::Range;

use gpu_kernels::Element;
use gpu_kernels::pack::axes::Axis;

use super::Rows;
use crate::error::Error;
use crate::layout::{MOST_DIMENSIONS, Parted, position};
use crate::memory::{self, with_room};
use crate::view::View;

/// One row for each index along the kept axes. It has the elements along the reduced axes, in row-major order.
pub(in crate::cpu) struct Strided<'x, T> {
    pub(super) x: &'x [T],
    pub(super) offset: usize,
    /// Neither has axes of length 1, and contiguous axes are merged.
    pub(super) kept: Vec<Axis>,
    pub(super) reduced: Vec<Axis>,
    pub(super) count: usize,
    pub(super) len: usize,
}

impl<'x, T> Strided<'x, T> {
    /// # Errors
    /// [`Error::Axes`] if an axis is out of range or named twice; [`Error::TooManyResults`] if the number of rows
    /// overflows.
    pub(in crate::cpu) fn new(view: &View<&'x [T]>, axes: &[usize]) -> Result<Self, Error> {
        let Parted { kept, reduced, count, len } = view.parted(axes)?;
        Ok(Self { x: view.slice(), offset: view.offset(), kept, reduced, count, len })
    }
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
    fn buffer(&self, len: usize) -> Result<Vec<T>, Error> {
        let are_apart = !matches!(self.reduced[..], [] | [(_, 1)]);
        if are_apart { with_room(len) } else { Ok(Vec::new()) }
    }
    #[inline(always)]
    fn elements<'a>(&'a self, row: usize, range: Range<usize>, buffer: &'a mut Vec<T>) -> &'a [T] {
        if range.is_empty() {
            return &[];
        }
        let first = position(self.offset, &self.kept, row);
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

/// Returns all elements of a view in row-major order: in place, or copied to the buffer, which is empty.
///
/// # Errors
/// [`Error::TooManyResults`] if there is not enough memory.
pub(crate) fn in_order<'a, T: Element>(
    view: &'a View<&[T]>,
    buffer: &'a mut Vec<T>,
) -> Result<&'a [T], Error> {
    let axes: [usize; MOST_DIMENSIONS] = std::array::from_fn(|axis| axis);
    let all = Strided::new(view, &axes[..view.dimensions()])?;
    let first = all.offset;
    Ok(match all.reduced[..] {
        _ if all.len == 0 => &[],
        [] => &all.x[first..=first],
        [(_, 1)] => &all.x[first..first + all.len],
        [ref outer @ .., inner] => {
            memory::reserve(buffer, all.len)?;
            gather(all.x, first, outer, inner, 0..all.len, buffer);
            buffer
        }
    })
}

/// Runs along the inner axis that are gathered at once, if the axis outside it is denser in memory, so that each cache
/// line is read once. This is the best of 1, 16 and 64 (docs/tuning/cpu.md).
const RUNS: usize = 64;

/// Appends the elements of a row that are in `range`, one inner axis at a time, to a buffer with room for them.
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
        let runs = match outer.last() {
            Some(&(across, dense)) if along == 0 && dense.unsigned_abs() < stride.unsigned_abs() => {
                RUNS.min(across - done / length % across).min((range.end - done) / length)
            }
            _ => 1,
        };
        let first = position(first, outer, done / length);
        if let (2.., Some(&(_, dense))) = (runs, outer.last()) {
            transpose(x, first, (runs, dense), (length, stride), buffer);
            done += runs * length;
            continue;
        }
        let first = first.wrapping_add_signed(stride.wrapping_mul(along.cast_signed()));
        let run = (length - along).min(range.end - done);
        match (stride, stride.unsigned_abs()) {
            (1, _) => buffer.extend(x[first..first + run].iter().copied()),
            (0, _) => buffer.extend(std::iter::repeat_n(x[first], run)),
            (1.., apart) => buffer.extend(x[first..].iter().step_by(apart).take(run)),
            (_, apart) => buffer.extend(x[..=first].iter().rev().step_by(apart).take(run)),
        }
        done += run;
    }
}

/// Appends several runs one after the other, but reads across them, in the order of memory.
fn transpose<T: Copy>(
    x: &[T],
    first: usize,
    (runs, dense): Axis,
    (length, stride): Axis,
    buffer: &mut Vec<T>,
) {
    let len = buffer.len();
    buffer.extend(std::iter::repeat_n(x[first], runs * length));
    let gathered = &mut buffer[len..];
    for along in 0..length {
        let mut at = first.wrapping_add_signed(stride.wrapping_mul(along.cast_signed()));
        for run in 0..runs {
            gathered[run * length + along] = x[at];
            at = at.wrapping_add_signed(dense);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_a_row_has_its_elements_and_no_others() {
        let x: Vec<u32> = (0..7 * 150 * 3).collect();
        let mut all = Vec::new();
        for axes in [[0, 1, 2], [2, 0, 1], [1, 0, 2], [2, 1, 0]] {
            let view = View::new(&x, &[7, 150, 3]).unwrap().permuted(&axes).unwrap();
            let mut expected = Vec::new();
            for i in 0..view.shape()[0] {
                for j in 0..view.shape()[1] {
                    expected.extend((0..view.shape()[2]).map(|k| *view.get(&[i, j, k]).unwrap()));
                }
            }
            let row = Strided::new(&view, &[0, 1, 2]).unwrap();
            for start in (0..x.len()).step_by(97) {
                for end in [start, start + 1, start + 64, start + 500, x.len()] {
                    let range = start..end.min(x.len());
                    let mut buffer = row.buffer(range.len()).unwrap();
                    assert_eq!(row.elements(0, range.clone(), &mut buffer), &expected[range], "{axes:?}");
                }
            }
            all.clear();
            assert_eq!(in_order(&view, &mut all).unwrap(), expected, "{axes:?}");
        }
        for (shape, len) in [(&[][..], 1), (&[2, 0], 0), (&[0, 2], 0)] {
            all.clear();
            let view = View::new(&x[..len], shape).unwrap();
            assert_eq!(in_order(&view, &mut all).unwrap(), &x[..len], "{shape:?}");
        }
    }
}
