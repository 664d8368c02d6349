//! Rows along axes of elements in memory.

use warpfold::Cpu;

use crate::failure::Failure;
use crate::memory::{with_room, zeroed};
use crate::numbers::numeric::Numeric;
use crate::rows::each::{Asked, Found, fold_each};

/// The most bytes, and the most rows, that are gathered at once: a cache line with an element of one row also
/// holds elements of its neighbours.
const GATHERED: usize = 1 << 20;
const NEIGHBOURS: usize = 64;

/// An axis: its length and its stride in elements.
pub(super) type Axis = (usize, usize);

/// The rows of a non-empty array: one for each index along the kept axes.
pub(super) struct Strided<'a, T> {
    pub(super) x: &'a [T],
    pub(super) kept: Vec<Axis>,
    pub(super) reduced: &'a [Axis],
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

impl<T: Numeric> Strided<'_, T> {
    /// Folds each row, in order, and selects its quantiles.
    pub(super) fn fold(&self, cpu: &Cpu, asked: Asked<'_>) -> Result<Vec<Found<T>>, Failure> {
        let (count, len) = (elements(&self.kept), elements(self.reduced));
        let mut starts = with_room(count + 1, "there are so many rows")?;
        starts.extend((0..=count).map(|row| row * len));
        let mut gathered: Vec<T>;
        let x = if follow(self.reduced, 1) && follow(&self.kept, len) {
            self.x
        } else {
            gathered = zeroed(count * len, "rows along axes that do not lie in one piece are copied")?;
            self.gather(&mut gathered, count, len);
            &gathered
        };
        if !asked.skip_nan || !x.iter().any(|x| x.is_nan()) {
            return fold_each(cpu, x, starts, asked.qs);
        }
        let mut numbers = with_room(x.len(), "rows without their NaN are a copy")?;
        starts.clear();
        starts.push(0);
        for row in x.chunks(len) {
            numbers.extend(row.iter().filter(|x| !x.is_nan()));
            starts.push(numbers.len());
        }
        let mut found = fold_each(cpu, &numbers, starts, asked.qs)?;
        for (found, row) in found.iter_mut().zip(x.chunks(len)) {
            let places = || (0..).zip(row).filter(|(_, x)| !x.is_nan()).map(|(place, _)| place);
            found.skipped = (len - places().count()) as u64;
            if let Some(extremes) = found.statistics.extremes.as_mut().filter(|_| found.skipped > 0) {
                for index in [&mut extremes.min.index, &mut extremes.max.index] {
                    *index = places().nth(*index as usize).unwrap_or(*index);
                }
            }
        }
        Ok(found)
    }

    /// Copies `count` rows of `len` elements, one after the other.
    pub(super) fn gather(&self, gathered: &mut [T], count: usize, len: usize) {
        let together = (GATHERED / (len * size_of::<T>())).clamp(NEIGHBOURS / size_of::<T>(), NEIGHBOURS);
        // The last axis is separate, so that the offset is computed once per row of it.
        let (&(inner, stride), outer) = self.reduced.split_last().unwrap_or((&(1, 1), &[]));
        for (first, rows) in (0..count).step_by(together).zip(gathered.chunks_mut(together * len)) {
            let places: Vec<usize> =
                (first..count.min(first + together)).map(|row| place(&self.kept, row)).collect();
            for (number, at) in (0..len).step_by(inner).enumerate() {
                let from = place(outer, number);
                for step in 0..inner {
                    for (row, start) in places.iter().enumerate() {
                        rows[row * len + at + step] = self.x[start + from + step * stride];
                    }
                }
            }
        }
    }
}
