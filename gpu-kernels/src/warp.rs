//! Warp layer: the 32 lanes of a warp, by shuffles.

use cuda_std::warp::{ALL, WARP_SIZE, sync_warp, warp_shuffle_down, warp_vote_any};

use crate::op::{Element, Op};

/// Folds the accumulators of a warp in lane order, in pairs of neighbours.
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: lane order.
#[inline(always)]
#[track_caller]
pub(crate) fn reduce<T: Element, O: Op<T>>(acc: O::Acc) -> O::Acc {
    reduce_segments::<T, O, 1, WARP_SIZE>(acc)
}

/// Folds, in pairs of neighbours, the accumulators of lanes `FROM` apart within segments of `TO` lanes: the
/// levels of the tree from `FROM` lanes per accumulator up to `TO`.
///
/// Called by: every lane of the warp. Valid in: each segment's first lane. Scratch: none. Order: lane order.
#[inline(always)]
#[track_caller]
pub(crate) fn reduce_segments<T: Element, O: Op<T>, const FROM: u32, const TO: u32>(
    mut acc: O::Acc,
) -> O::Acc {
    for level in FROM.ilog2()..TO.ilog2() {
        // SAFETY: every lane of the warp is here, by this function's contract. The lanes near the end read
        // their own value back, which no segment's first lane ever gets to see.
        let (right, _) = unsafe { warp_shuffle_down(ALL, acc, 1 << level, WARP_SIZE) };
        acc = O::combine(acc, right);
    }
    acc
}

/// Whether `predicate` holds in any lane; what each lane did to memory before is then visible to all of them.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[inline(always)]
#[track_caller]
pub(crate) fn any(predicate: bool) -> bool {
    // SAFETY: every lane of the warp is here, by this function's contract. A vote orders no memory: the barrier does.
    unsafe {
        sync_warp(ALL);
        warp_vote_any(ALL, predicate)
    }
}
