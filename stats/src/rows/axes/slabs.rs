//! An array in slabs, which lie one after the other in memory and have whole rows.

use std::num::NonZeroUsize;

use warpfold::Cpu;

use super::lines::{Axis, Strided, elements, follow};
use super::stripes::Stripes;
use crate::failure::Failure;
use crate::memory::with_room;
use crate::numbers::Array;
use crate::numbers::numeric::Numeric;
use crate::rows::each::{Asked, Found};
use crate::statistics::threads::{portion, read};

/// The most bytes that are read at a time, and the most with the copies that are made of them.
pub(super) const PORTION: usize = 4 << 20;

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

    /// The rows of some slabs, whose elements are `x`.
    fn lines<'a, T>(&'a self, x: &'a [T]) -> Strided<'a, T> {
        let len = self.rows() * self.row_len();
        let kept = [&[(x.len() / len, len)], &self.kept[..]].concat();
        Strided { x, kept, reduced: &self.reduced }
    }

    /// Folds each row, in memory order, and selects its quantiles. Memory has a portion of the elements, or a slab if
    /// neither its rows nor stripes of it can be folded in portions: the tree of a row depends on how many elements it has.
    pub(in crate::rows) fn fold<T: Numeric>(
        &self,
        cpu: &Cpu,
        threads: NonZeroUsize,
        x: &Array<'_, T>,
        asked: Asked<'_>,
    ) -> Result<Vec<Found<T>>, Failure> {
        let (len, rows) = (self.rows() * self.row_len(), self.rows());
        let mut found = with_room(self.count * rows, "there are so many rows")?;
        let together = PORTION / (len * size_of::<T>());
        if together > 0 {
            let mut room = Vec::new();
            for first in (0..self.count).step_by(together) {
                let slabs = first * len..self.count.min(first + together) * len;
                let x = portion(threads, x, slabs, &mut room)?;
                found.append(&mut self.lines(x).fold(cpu, asked)?);
            }
            return Ok(found);
        }
        let in_stripes = asked.qs.is_empty() && !asked.skip_nan && follow(&self.reduced, rows);
        for start in (0..self.count).map(|slab| slab * len) {
            found.append(&mut if in_stripes {
                Stripes::new::<T>(rows, self.row_len()).fold(cpu, threads, x, start)?
            } else {
                let what = "rows are read into memory whole, for quantiles, without NaN, or as they do not lie in stripes";
                let x = read(threads, x, start..start + len, what, &mut |_| ())?;
                self.lines(&x).fold(cpu, asked)?
            });
        }
        Ok(found)
    }
}
