//! Totals that are folded in pairs of neighbours as they come, whatever their final number.

use core::marker::PhantomData;
use warpfold_exact::unrolled;

use cuda_std::shared::SharedSlice;
use cuda_std::thread::unknown;

use crate::op::{Element, Op};

/// The totals of `W` columns by a binary counter: level `i` holds the totals of `2^i` parts while bit `i` of the count
/// is 1. The levels are in shared memory. Registers cannot be indexed, and run short if every thread has many.
pub(super) struct Pairs<T: Element, O: Op<T>, const W: usize> {
    slots: SharedSlice<[O::Acc; W]>,
    /// This thread's slot of level 0, and the slots of a level.
    own: u32,
    pitch: u32,
    count: u32,
    of: PhantomData<T>,
}

impl<T: Element, O: Op<T>, const W: usize> Pairs<T, O, W> {
    /// Makes an empty counter. Level `i` has slot `own + i * pitch`, which no other thread uses.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new(slots: SharedSlice<[O::Acc; W]>, own: u32, pitch: u32) -> Self {
        Self { slots, own, pitch, count: 0, of: PhantomData }
    }

    /// Returns a level's slot.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn slot(&self, level: u32) -> usize {
        (self.own + level * self.pitch) as usize
    }

    /// Folds in the totals of the next part.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(super) fn push(&mut self, totals: [O::Acc; W]) {
        let (totals, level) = self.carried(totals);
        self.slots.write(self.slot(level), totals);
        self.count += 1;
    }

    /// Returns the totals of all parts after the last one, which makes their number a power of two.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(super) fn complete(&self, last: [O::Acc; W]) -> [O::Acc; W] {
        self.carried(last).0
    }

    /// Returns the fold of the next part with those to its left with which it completes a subtree, and the subtree's level.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn carried(&self, mut totals: [O::Acc; W]) -> ([O::Acc; W], u32) {
        let mut level = 0;
        while self.count >> level & 1 == 1 {
            totals = both::<T, O, W>(self.slots.read(self.slot(level)), totals);
            level = unknown(level + 1);
        }
        (totals, level)
    }

    /// Returns the totals of all parts. A level without a neighbour is folded with the next one in use.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(super) fn totals(&self) -> [O::Acc; W] {
        let (mut totals, mut level) = ([O::IDENTITY; W], 0);
        while self.count >> level != 0 {
            if self.count >> level & 1 == 1 {
                totals = both::<T, O, W>(self.slots.read(self.slot(level)), totals);
            }
            level = unknown(level + 1);
        }
        totals
    }
}

/// Combines two totals of each column.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn both<T: Element, O: Op<T>, const W: usize>(
    left: [O::Acc; W],
    mut right: [O::Acc; W],
) -> [O::Acc; W] {
    unrolled!(w < W => { right[w] = O::combine(left[w], right[w]) });
    right
}
