//! What a warp has of a unit, and of the tiles before it, while it folds a part of a row.

use cuda_std::thread::unknown;

use super::meet::Layout;
use super::totals::Totals;
use super::waves::PIECES;
use crate::op::{Element, Op};
use crate::tree::THREADS;
use crate::warp::{self, Shape};

/// The pieces of a unit so far.
pub(crate) struct Pieces<T: Element, O: Op<T>> {
    values: [O::Acc; PIECES],
    totals: Totals<T, O>,
}

impl<T: Element, O: Op<T>> Pieces<T, O> {
    /// Whether a lane's registers hold the values of all pieces until they meet. Larger accumulators meet piece after piece.
    const ARE_HELD: bool = size_of::<O::Acc>() <= 16;

    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { values: [O::IDENTITY; PIECES], totals: Totals::new() }
    }

    /// The next piece's value of this thread.
    ///
    /// Called by: every lane of the warp.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: O::Acc) {
        if Self::ARE_HELD {
            // They move up instead of being found by a number: registers have none.
            self.values = core::array::from_fn(|i| if i + 1 < PIECES { self.values[i + 1] } else { value });
        } else {
            self.totals.push(warp::of_lane(warp::fold::<T, O>(value, Shape::Short), 0));
        }
    }

    /// The total of a unit that ended with piece `last`.
    ///
    /// Called by: every lane of the warp. Valid in: every lane.
    #[inline(always)]
    pub(crate) fn total(mut self, mut last: u32) -> O::Acc {
        if !Self::ARE_HELD {
            return self.totals.total();
        }
        while last + 1 < PIECES as u32 {
            self.push(O::IDENTITY);
            last = unknown(last + 1);
        }
        Layout::new(THREADS as u64).meet::<T, O, PIECES>(&mut self.values);
        self.values[0]
    }
}

/// The tiles of a part so far.
pub(crate) struct Tiles<T: Element, O: Op<T>> {
    /// The bands of the tile under way, if the operator does not commute.
    bands: O::Acc,
    pub(crate) totals: Totals<T, O>,
}

impl<T: Element, O: Op<T>> Tiles<T, O> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { bands: O::IDENTITY, totals: Totals::new() }
    }

    /// The total of the next unit, with which the tile ends if it `is_last`.
    ///
    /// Called by: every lane of the warp, with the same total.
    #[inline(always)]
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
