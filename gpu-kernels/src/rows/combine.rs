//! The fold of a warp's lanes that fold rows together.
//!
//! **Totals of several rows by one tree of shuffles.** Each lane has `K` values, of as many rows or pieces of rows. Where two
//! lanes combine, one of them goes on with half of the values and the other with the other half. This takes
//! `K / 2 + K / 4 + ... + 1` shuffles, and one for each level after that, instead of `K` for each level. The totals end up in
//! different lanes, which write them side by side.

use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use crate::op::{Element, Op};
use crate::warp;

/// Levels of a warp's tree.
const WARP_LEVELS: u32 = WARP_SIZE.ilog2();

/// Maps the lanes of a warp to the rows that it folds.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// Binary logarithm of the lanes that fold a row together.
    levels: u32,
    /// Binary logarithm of the pieces of a row, which has several if 32 lanes do not suffice for all of it at once.
    log2_pieces: u32,
    /// This lane.
    lane: u32,
}

impl Layout {
    /// Makes the layout of rows of `items` items. A lane folds each item to one value.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn new(items: u64) -> Self {
        let log2_items = items.next_power_of_two().trailing_zeros();
        let levels = log2_items.min(WARP_LEVELS);
        Self { levels, log2_pieces: log2_items - levels, lane: lane_id() }
    }

    /// Returns the number of rows that a warp folds with `values` values per lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn rows(self, values: u32) -> u32 {
        self.row(values) - self.row(0)
    }

    /// Returns the row of this lane's value `k`, counted from the warp's first.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn row(self, k: u32) -> u32 {
        ((k << (WARP_LEVELS - self.levels)) >> self.log2_pieces) + (self.lane >> self.levels)
    }

    /// Returns the item, in its row, of this lane's value `k`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn item(self, k: u32) -> u64 {
        let piece = k & ((1 << self.log2_pieces) - 1);
        let place = self.lane & ((1 << self.levels) - 1);
        u64::from((piece << WARP_LEVELS) + place)
    }

    /// Folds the values of lanes that fold a row together, then the pieces of a row. Returns how many of `values`, from the
    /// first on, this lane is left with, and which `k` the first of them was. The total of a row that several lanes have
    /// belongs to one of them.
    ///
    /// Called by: every lane of the warp, with the same layout but for the lane. Scratch: none. Order: the items'.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn combine<T: Element, O: Op<T>, const K: usize>(
        self,
        values: &mut [O::Acc; K],
    ) -> (u32, u32) {
        const { assert!(K.is_power_of_two() && K <= 8) }
        let mut first = 0;
        unrolled!(level < { WARP_LEVELS as usize }, up to 8 => {
            if (level as u32) < self.levels {
                let is_upper = self.lane >> level & 1 == 1;
                let half = K >> (level + 1);
                if half == 0 {
                    values[0] = both::<T, O>(values[0], level as u32, is_upper);
                }
                unrolled!(i < K, up to 8 => {
                    if i < half {
                        let (keep, give) =
                            if is_upper { (values[i + half], values[i]) } else { (values[i], values[i + half]) };
                        values[i] = join::<T, O>(keep, warp::exchange(give, 1 << level), is_upper);
                    }
                });
                if is_upper {
                    first += half as u32;
                }
            }
        });
        let log2_values = K.ilog2();
        let mut written_by_others = ((1u32 << self.levels) - 1) & !(K as u32 - 1);
        unrolled!(bit < { K.ilog2() as usize }, up to 4 => {
            // The pieces of a row are neighbouring values, and so in lanes that differ in one of the first levels.
            let level = log2_values - 1 - bit as u32;
            if (bit as u32) < self.log2_pieces {
                values[0] = both::<T, O>(values[0], level, self.lane >> level & 1 == 1);
                written_by_others |= 1 << level;
            }
        });
        let is_owner = self.lane & written_by_others == 0;
        (if is_owner { (K as u32 >> self.levels).max(1) } else { 0 }, first)
    }
}

/// Folds the value of this lane with its neighbour's in `level`; both lanes get the total.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn both<T: Element, O: Op<T>>(value: O::Acc, level: u32, is_upper: bool) -> O::Acc {
    join::<T, O>(value, warp::exchange(value, 1 << level), is_upper)
}

/// Folds two neighbours' values; this lane's own is the right one if it `is_upper`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn join<T: Element, O: Op<T>>(own: O::Acc, other: O::Acc, is_upper: bool) -> O::Acc {
    if is_upper { O::combine(other, own) } else { O::combine(own, other) }
}
