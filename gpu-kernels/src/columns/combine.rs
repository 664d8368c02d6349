//! The fold of a block's threads that have shares of the same columns: through shared memory, in pairs of neighbours.

use cuda_std::shared::SharedSlice;
use cuda_std::thread::{sync_threads, unknown};

use super::Place;
use super::pairs::both;
use crate::op::{Accumulator, Element, Op};

cuda_std::dynamic_shared! {
    /// Slots of accumulators: for each thread one, or as many as it has levels of totals that wait for their neighbours.
    fn columns_slots
}

/// Returns the block's scratch, of [`columns_scratch`](crate::shapes::columns_scratch) bytes. A thread's first slot has its index.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn scratch<A: Accumulator, const W: usize>() -> SharedSlice<[A; W]> {
    columns_slots().slice()
}

/// Combines the accumulators of threads in the same column of the block.
///
/// Called by: every thread of the block or, if each has its own columns alone, any of them. Valid in: the threads of the first
/// row. Scratch: each thread's first slot, unless each has its own columns alone; free afterwards. Order: the rows'.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(super) fn combine<T: Element, O: Op<T>, const W: usize>(
    mut accs: [O::Acc; W],
    place: Place,
) -> [O::Acc; W] {
    let slots = scratch();
    let mut level = 0;
    while level < place.log2_down {
        let bit = 1 << level;
        let below = place.down() & (2 * bit - 1);
        // A thread writes once: in the level where it is the lower one of a pair, when its accumulator is complete.
        if below == bit {
            slots.write(place.thread as usize, accs);
        }
        sync_threads();
        if below == 0 {
            let others = slots.read((place.thread + (bit << place.log2_across())) as usize);
            accs = both::<T, O, W>(accs, others);
        }
        level = unknown(level + 1);
    }
    if place.log2_down > 0 {
        // All have read before any writes its slots anew.
        sync_threads();
    }
    accs
}
