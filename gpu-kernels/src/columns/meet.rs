//! The fold of a block's threads that have shares of the same columns: through shared memory, in pairs of neighbours.

use cuda_std::shared::SharedArray;
use cuda_std::thread::{sync_threads, unknown};

use super::Place;
use super::pairs::both;
use crate::op::{Accumulator, Element, Op};
use crate::shape::MOST_ACC_BYTES;
use crate::tree::THREADS;

cuda_std::shared_bytes! {
    /// Each thread's accumulators, of up to 16 bytes.
    fn warpfold_columns: 4096
}

cuda_std::shared_bytes! {
    /// Each thread's accumulators, of up to 64 bytes. A module has only the array that it uses.
    fn warpfold_wide_columns: 16384
}

const _: () = assert!(THREADS * 16 == 4096 && THREADS * MOST_ACC_BYTES == 16384);

/// Returns the block's scratch, one place per thread.
#[inline(always)]
fn places<A: Accumulator>() -> SharedArray<A, THREADS> {
    match warpfold_columns().array_if_fits() {
        Some(places) => places,
        None => warpfold_wide_columns().array(),
    }
}

/// Folds the accumulators of threads in the same column of the block.
///
/// Called by: every thread of the block or, if each has its own columns alone, any of them. Valid in: the threads of the first
/// row. Scratch: the block's, unless each has its own columns alone; free after the next barrier. Order: the rows'.
#[inline(always)]
#[track_caller]
pub(super) fn meet<T: Element, O: Op<T>, const W: usize>(mut accs: [O::Acc; W], place: Place) -> [O::Acc; W] {
    let places = places::<[O::Acc; W]>();
    if place.log2_down > 0 {
        // After this barrier all have read the values of the fold before.
        sync_threads();
    }
    let mut level = 0;
    while level < place.log2_down {
        let bit = 1 << level;
        let below = place.down() & (2 * bit - 1);
        // A thread writes once: in the level where it is the lower one of a pair, when its accumulator is complete.
        if below == bit {
            places.write(place.thread as usize, accs);
        }
        sync_threads();
        if below == 0 {
            let others = places.read((place.thread + (bit << place.log2_across())) as usize);
            accs = both::<T, O, W>(accs, others);
        }
        level = unknown(level + 1);
    }
    accs
}
