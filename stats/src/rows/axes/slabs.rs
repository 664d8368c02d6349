//! An array in slabs, which lie one after the other in memory and have whole rows.

use std::num::NonZeroUsize;

use warpfold::Cpu;

use super::lines::{Axis, Strided, elements, follow};
use super::portions::{neighbours, striped};
use crate::failure::Failure;
use crate::memory::with_room;
use crate::numbers::Array;
use crate::numbers::array::Part;
use crate::numbers::numeric::Numeric;
use crate::rows::each::{Asked, Found, TASK, fold_each};
use crate::statistics::threads::{fold_together, read};

/// The most bytes of a portion: a thread that reads stripes of an array reads several KiB of it at a time.
pub(super) const PORTION: usize = 32 << 20;

/// An array cut along its first axes in memory, as far as they are kept: for each index along them, a slab.
pub(in crate::rows) struct Slabs {
    pub(super) count: usize,
    /// The kept axes of a slab, in memory order. Rows are in this order.
    pub(super) kept: Vec<Axis>,
    /// The reduced axes, in the array's order.
    pub(super) reduced: Vec<Axis>,
}

impl Slabs {
    /// Rows of a slab.
    pub(super) fn rows(&self) -> usize {
        elements(&self.kept)
    }

    /// Elements of a row.
    pub(super) fn row_len(&self) -> usize {
        elements(&self.reduced)
    }

    /// Elements of a slab.
    pub(super) fn len(&self) -> usize {
        self.rows() * self.row_len()
    }

    /// The rows of some slabs, whose elements are `x`.
    pub(super) fn lines<'a, T>(&self, x: &'a [T]) -> Strided<'a, T> {
        let slabs = (x.len() / self.len(), self.len());
        Strided::new(x, [&[slabs], &self.kept[..]].concat(), self.reduced.clone())
    }

    /// Folds each row, in memory order, and selects its quantiles. Memory has some portions of the elements, or a slab if
    /// neither its rows nor stripes of it can be folded in portions: the tree of a row depends on how many elements it has.
    pub(in crate::rows) fn fold<T: Numeric>(
        &self,
        cpu: &Cpu,
        threads: NonZeroUsize,
        x: &Array<'_, T>,
        asked: Asked<'_>,
    ) -> Result<Vec<Found<T>>, Failure> {
        let (len, bytes) = (self.len(), self.len() * size_of::<T>());
        // All threads have work, or a task is short.
        if bytes <= TASK || bytes <= PORTION && self.count >= 4 * threads.get() {
            return neighbours(self, cpu, threads, x, asked);
        }
        let in_portions =
            bytes > PORTION && asked.qs.is_empty() && !asked.skip_nan && follow(&self.reduced, self.rows());
        let mut found = with_room(self.count * self.rows(), "there are so many rows")?;
        for slab in (0..self.count).map(|slab| slab * len..(slab + 1) * len) {
            if in_portions && self.rows() == 1 {
                let row = Part { of: x, range: slab };
                let statistics = fold_together(cpu, threads, &row, &mut |_| ())?;
                found.push(Found { statistics, quantiles: Vec::new(), skipped: 0 });
            } else if in_portions {
                found.append(&mut striped(self, cpu, threads, x, slab.start)?);
            } else {
                let what = "rows are read into memory whole, for quantiles, without NaN, or as they do not lie in stripes";
                let x = read(threads, x, slab, what, &mut |_| ())?;
                found.append(&mut fold_each(cpu, threads, &self.lines(&x), asked)?);
            }
        }
        Ok(found)
    }
}
