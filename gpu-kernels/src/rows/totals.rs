//! Totals that a warp folds in pairs of neighbours as they come, whatever their final number.

use cuda_std::warp::lane_id;

use crate::op::{Element, Op};
use crate::warp;

/// Totals by a binary counter: lane `i` holds the total of `2^i` of them while bit `i` of the count is 1. So all levels
/// together need one register of each lane, and no memory. There are at most 2^31 totals.
pub(crate) struct Totals<T: Element, O: Op<T>> {
    level: O::Acc,
    count: u32,
}

impl<T: Element, O: Op<T>> Totals<T, O> {
    /// Makes an empty counter.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn new() -> Self {
        Self { level: O::IDENTITY, count: 0 }
    }

    /// Folds in the next total.
    ///
    /// Called by: every lane of the warp, with the same total. Scratch: none. Order: left to right.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

    /// Returns the total of all: a level without a neighbour is folded with the next one in use.
    ///
    /// Called by: every lane of the warp. Valid in: every lane. Scratch: none. Order: left to right.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

    /// Returns the total of a level.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn at(&self, level: u32) -> O::Acc {
        warp::of_lane(self.level, level)
    }
}
