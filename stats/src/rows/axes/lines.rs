//! Rows along axes, in place.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::ops::Range;

use warpfold::{Cpu, View, along, rows};

use super::slabs::TASK;
use crate::failure::Failure;
use crate::memory::with_room;
use crate::numbers::numeric::Numeric;
use crate::rows::each::{Found, statistics};
use crate::statistics::threads::in_rooms;

/// The most axes of a view.
const MOST_AXES: usize = 8;

/// The least bytes of a row in one piece that is folded alone: the operators find it in the cache, and not all of the rows that are
/// read at once.
const CACHED: usize = 64 << 10;

/// The least bytes of a row that all threads fold together.
const LONG: usize = 4 << 20;

/// The least bytes side by side that are copied at once: a cache line with an element of one row also holds elements of its
/// neighbours.
const LINE: usize = 64;

/// An axis: its length and its stride in elements.
pub(super) type Axis = (usize, usize);

/// The rows of a non-empty array.
pub(in crate::rows) struct Strided<'a, T> {
    x: &'a [T],
    kept: Vec<Axis>,
    reduced: Vec<Axis>,
    count: usize,
    len: usize,
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

impl<'a, T: Numeric> Strided<'a, T> {
    pub(super) fn new(x: &'a [T], kept: Vec<Axis>, reduced: Vec<Axis>) -> Self {
        let (count, len) = (elements(&kept), elements(&reduced));
        Self { x, kept, reduced, count, len }
    }

    /// Folds each row, and selects its quantiles `qs`.
    pub(super) fn fold(
        &self,
        cpu: &Cpu,
        threads: NonZeroUsize,
        qs: &[f64],
    ) -> Result<Vec<Found<T>>, Failure> {
        let bytes = self.len * size_of::<T>();
        if qs.is_empty() && (bytes < CACHED || !follow(&self.reduced, 1)) {
            return self.reduced_together(cpu);
        }
        let mut found = with_room(self.count, "there are so many rows")?;
        if bytes >= LONG {
            for row in 0..self.count {
                found.push(Found::of(cpu, threads, &self.copied(row..row + 1)?, qs)?);
            }
            return Ok(found);
        }
        let (alone, together) = (Cpu::with_threads(1)?, self.together(TASK / bytes.max(1)));
        let fold = |piece: usize, _: &mut Vec<T>| {
            let x = self.copied(self.piece(piece, together))?;
            x.chunks(self.len).map(|x| Found::of(&alone, NonZeroUsize::MIN, x, qs)).collect()
        };
        let pieces = self.count.div_ceil(together);
        let folded: Vec<Vec<_>> = in_rooms(threads.get(), pieces, &fold, &mut |_| ())?;
        found.extend(folded.into_iter().flatten());
        Ok(found)
    }

    /// Folds all rows, with each operator in turn.
    fn reduced_together(&self, cpu: &Cpu) -> Result<Vec<Found<T>>, Failure> {
        let axes = || self.kept.iter().chain(&self.reduced);
        let folded = if axes().count() <= MOST_AXES {
            let (shape, strides): (Vec<_>, Vec<_>) =
                axes().map(|&(length, stride)| (length, stride.cast_signed())).unzip();
            let reduced: Vec<usize> = (self.kept.len()..shape.len()).collect();
            statistics(cpu, along(View::strided(self.x, 0, &shape, &strides)?, &reduced))?
        } else {
            statistics(cpu, rows(&self.copied(0..self.count)?[..], [self.count, self.len]))?
        };
        let mut found = with_room(self.count, "there are so many rows")?;
        found.extend(folded.into_iter().map(|statistics| Found { statistics, quantiles: Vec::new() }));
        Ok(found)
    }

    /// The number of rows that are copied at once, at least `wanted`.
    fn together(&self, wanted: usize) -> usize {
        wanted.max(LINE / size_of::<T>())
    }

    fn piece(&self, number: usize, together: usize) -> Range<usize> {
        number * together..self.count.min((number + 1) * together)
    }

    /// Calls a function with each row.
    pub(super) fn each(&self, with: &mut dyn FnMut(&[T]) -> Result<(), Failure>) -> Result<(), Failure> {
        let together = self.together(1);
        for piece in 0..self.count.div_ceil(together) {
            self.copied(self.piece(piece, together))?.chunks(self.len).try_for_each(&mut *with)?;
        }
        Ok(())
    }

    /// Some rows, one after the other.
    fn copied(&self, some: Range<usize>) -> Result<Cow<'a, [T]>, Failure> {
        if follow(&[&self.kept[..], &self.reduced[..]].concat(), 1) {
            return Ok(Cow::Borrowed(&self.x[some.start * self.len..some.end * self.len]));
        }
        let places: Vec<usize> = some.map(|row| place(&self.kept, row)).collect();
        let what = "rows along axes that do not lie in one piece are copied";
        let mut copy = with_room(places.len() * self.len, what)?;
        copy.resize(places.len() * self.len, self.x[0]);
        // The last axis is separate, so that the offset is computed once per row of it.
        let (&(inner, stride), outer) = self.reduced.split_last().unwrap_or((&(1, 1), &[]));
        for (number, at) in (0..self.len).step_by(inner).enumerate() {
            let from = place(outer, number);
            for step in 0..inner {
                for (row, start) in places.iter().enumerate() {
                    copy[row * self.len + at + step] = self.x[start + from + step * stride];
                }
            }
        }
        Ok(Cow::Owned(copy))
    }
}
