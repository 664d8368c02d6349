//! The accumulators that a warp keeps while it folds a part of a row: the pieces of a unit, and the tiles before it.

use cuda_std::thread::unknown;

use super::combine::Layout;
use super::totals::Totals;
use super::waves::PIECES;
use crate::op::{Element, Op};
use crate::tree::THREADS;
use crate::warp::{self, Unrolling};

/// The pieces of the current unit.
pub(crate) struct Pieces<T: Element, O: Op<T>> {
    values: [O::Acc; PIECES],
    totals: Totals<T, O>,
}

impl<T: Element, O: Op<T>> Pieces<T, O> {
    /// Whether a lane's registers hold the values of all pieces until they are folded together. Larger accumulators are folded
    /// piece after piece.
    const ARE_HELD: bool = size_of::<O::Acc>() <= 16;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn new() -> Self {
        Self { values: [O::IDENTITY; PIECES], totals: Totals::new() }
    }

    /// Adds this thread's value of the next piece.
    ///
    /// Called by: every lane of the warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn push(&mut self, value: O::Acc) {
        if Self::ARE_HELD {
            // The values move up, since registers cannot be indexed.
            self.values = core::array::from_fn(|i| if i + 1 < PIECES { self.values[i + 1] } else { value });
        } else {
            self.totals.push(warp::of_lane(warp::fold::<T, O>(value, Unrolling::Short), 0));
        }
    }

    /// Returns the total of a unit that ended with piece `last`.
    ///
    /// Called by: every lane of the warp. Valid in: every lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn total(mut self, mut last: u32) -> O::Acc {
        if !Self::ARE_HELD {
            return self.totals.total();
        }
        while last + 1 < PIECES as u32 {
            self.push(O::IDENTITY);
            last = unknown(last + 1);
        }
        Layout::new(THREADS as u64).combine::<T, O, PIECES>(&mut self.values);
        self.values[0]
    }
}

/// The tiles of the part so far.
pub(crate) struct Tiles<T: Element, O: Op<T>> {
    /// The bands of the current tile, if the operator does not commute.
    bands: O::Acc,
    pub(crate) totals: Totals<T, O>,
}

impl<T: Element, O: Op<T>> Tiles<T, O> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn new() -> Self {
        Self { bands: O::IDENTITY, totals: Totals::new() }
    }

    /// Adds the total of the next unit; the tile ends with it if it `is_last`.
    ///
    /// Called by: every lane of the warp, with the same total.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn push(&mut self, total: O::Acc, is_last: bool) {
        if O::COMMUTATIVE {
            return self.totals.push(total);
        }
        self.bands = O::combine(self.bands, total);
        if is_last {
            self.totals.push(self.bands);
            self.bands = O::IDENTITY;
        }
    }
}
