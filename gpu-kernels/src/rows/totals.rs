//! Totals that a warp folds in pairs of neighbours as they come, without knowing how many will.

use cuda_std::warp::lane_id;

use crate::op::{Element, Op};
use crate::warp;

/// Like a binary number that is counted up: lane `i` has the total of `2^i` of them while bit `i` of the count is 1. So the
/// levels need no memory, and one register of each lane. There are at most 2^31 totals.
pub(crate) struct Totals<T: Element, O: Op<T>> {
    level: O::Acc,
    count: u32,
}

impl<T: Element, O: Op<T>> Totals<T, O> {
    /// None yet.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { level: O::IDENTITY, count: 0 }
    }

    /// Folds in the next total.
    ///
    /// Called by: every lane of the warp, with the same total. Scratch: none. Order: left to right.
    #[inline(always)]
    pub(crate) fn push(&mut self, mut total: O::Acc) {
        let mut level = 0;
        while self.count >> level & 1 == 1 {
            total = O::combine(self.at(level), total);
            level += 1;
        }
        if lane_id() == level {
            self.level = total;
        }
        self.count += 1;
    }

    /// The total of all: whoever is left without a neighbour meets the next level's.
    ///
    /// Called by: every lane of the warp. Valid in: every lane. Scratch: none. Order: left to right.
    #[inline(always)]
    pub(crate) fn total(&self) -> O::Acc {
        let (mut acc, mut left, mut level) = (O::IDENTITY, self.count, 0);
        while left > 0 {
            if left & 1 == 1 {
                acc = O::combine(self.at(level), acc);
            }
            left >>= 1;
            level += 1;
        }
        acc
    }

    /// The total of a level.
    #[inline(always)]
    fn at(&self, level: u32) -> O::Acc {
        warp::of_lane(self.level, level)
    }
}
