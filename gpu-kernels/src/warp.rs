//! Warp layer: folds and exchanges among the 32 lanes of a warp, by shuffles.
//!
//! Every function is a collective: all lanes of the warp make the same call. None needs memory or a barrier.

use cuda_std::thread::unknown;
use cuda_std::warp::{
    ALL, WARP_SIZE, lane_id, sync_warp, warp_match_bits, warp_shuffle_down, warp_shuffle_idx,
    warp_shuffle_up, warp_shuffle_xor, warp_vote_any, warp_vote_ballot,
};
use warpfold_exact::unrolled;

use crate::op::{Accumulator, Element, Op};

/// Folds the accumulators of a warp in lane order, in pairs of neighbours: lanes (0, 1), (2, 3), ... and again, until one
/// is left.
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: lane order.
///
/// # Safety
/// All 32 lanes of the warp exist and make this call, together.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub unsafe fn reduce<T: Element, O: Op<T>>(acc: O::Acc) -> O::Acc {
    fold::<T, O>(acc, Unrolling::Fast)
}

/// Folds as [`reduce`], with the result in every lane.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none. Order: lane order.
///
/// ```
/// use cuda_std::emulator::Launch;
/// use cuda_std::thread::thread_idx_x;
/// use gpu_kernels::{Op, Sum, warp};
///
/// Launch::new(1, 64).run(|| {
///     let thread = thread_idx_x();
///     let acc = Sum.lift(thread, u64::from(thread));
///     // SAFETY: both warps are whole, and all of their lanes are here.
///     let sum = unsafe { warp::reduce_all::<u32, Sum>(acc) };
///     let first = u64::from(thread) / 32 * 32;
///     assert_eq!(sum, (first..first + 32).sum::<u64>());
/// })?;
/// # Ok::<(), cuda_std::emulator::Misuse>(())
/// ```
///
/// # Safety
/// All 32 lanes of the warp exist and make this call, together.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub unsafe fn reduce_all<T: Element, O: Op<T>>(acc: O::Acc) -> O::Acc {
    // SAFETY: the same contract.
    unsafe { broadcast(reduce::<T, O>(acc)) }
}

/// Returns lane 0's `value` in every lane.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
///
/// # Safety
/// All 32 lanes of the warp exist and make this call, together.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub unsafe fn broadcast<A: Accumulator>(value: A) -> A {
    // SAFETY: every lane of the warp is here, by this function's contract. Lane 0 is within the segment, which is the warp.
    unsafe { warp_shuffle_idx(ALL, value, 0, WARP_SIZE) }.0
}

/// Folds as [`reduce`], with a choice of how the code is laid out.
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: lane order.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn fold<T: Element, O: Op<T>>(acc: O::Acc, unrolling: Unrolling) -> O::Acc {
    reduce_segments::<T, O, 1, WARP_SIZE>(acc, unrolling)
}

/// Folds accumulators `FROM` lanes apart, in pairs of neighbours, within segments of `TO` lanes: the levels of the tree from
/// `FROM` lanes per accumulator up to `TO`.
///
/// Called by: every lane of the warp. Valid in: each segment's first lane. Scratch: none. Order: lane order.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn reduce_segments<T: Element, O: Op<T>, const FROM: u32, const TO: u32>(
    mut acc: O::Acc,
    unrolling: Unrolling,
) -> O::Acc {
    let step = |acc: O::Acc, distance: u32| {
        // SAFETY: every lane of the warp is here, by this function's contract. Lanes near the end get their own value back; no
        // segment's first lane depends on it.
        let (right, _) = unsafe { warp_shuffle_down(ALL, acc, distance, WARP_SIZE) };
        O::combine(acc, right)
    };
    if unrolling.is_loops::<O::Acc>() {
        let (mut distance, end) = (FROM, unknown(TO));
        while distance < end {
            acc = step(acc, distance);
            distance *= 2;
        }
    } else {
        for level in FROM.ilog2()..TO.ilog2() {
            acc = step(acc, 1 << level);
        }
    }
    acc
}

/// Folds the accumulators of `2^levels` neighbouring lanes, in pairs of neighbours.
///
/// Called by: every lane of the warp. Valid in: the first lane of each such group. Scratch: none. Order: lane order.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn fold_neighbours<T: Element, O: Op<T>>(mut acc: O::Acc, levels: u32) -> O::Acc {
    let mut level = 0;
    while level < levels {
        acc = O::combine(acc, of_lane(acc, (lane_id() + (1 << level)) % WARP_SIZE));
        level = unknown(level + 1);
    }
    acc
}

/// Returns the value of the lane whose number differs from this lane's in the bits of `distance`.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn exchange<A: Accumulator>(value: A, distance: u32) -> A {
    // SAFETY: every lane of the warp is here, by this function's contract.
    unsafe { warp_shuffle_xor(ALL, value, distance, WARP_SIZE) }.0
}

/// How the code of a reduction is laid out. It changes neither what is folded nor the order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unrolling {
    /// Straight-line code; loops only for accumulators so large that the code which combines two of them should not be
    /// repeated.
    Fast,
    /// Loops, for code that takes little of the time. They cost a few instructions per iteration and save most of the text that
    /// is shipped and that the driver compiles.
    Short,
}

impl Unrolling {
    /// Returns whether accumulators of type `A` are folded in loops.
    pub(crate) const fn is_loops<A>(self) -> bool {
        matches!(self, Self::Short) || size_of::<A>() > 8
    }
}

/// Returns whether `predicate` holds in any lane. What each lane did to memory before is then visible to all lanes.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn any(predicate: bool) -> bool {
    // SAFETY: every lane of the warp is here, by this function's contract. A vote orders no memory: the barrier does.
    unsafe {
        sync_warp(ALL);
        warp_vote_any(ALL, predicate)
    }
}

/// Returns the lanes in which `predicate` holds, as bits.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn ballot(predicate: bool) -> u32 {
    // SAFETY: every lane of the warp is here, by this function's contract.
    unsafe { warp_vote_ballot(ALL, predicate) }
}

/// Returns the lanes whose `word` has the same lowest `bits` bits as this lane's, as bits.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn same_bits(word: u32, bits: u32) -> u32 {
    // SAFETY: every lane of the warp is here, by this function's contract.
    unsafe { warp_match_bits(ALL, word, bits) }
}

/// Makes what each lane did to memory before visible to all lanes.
///
/// Called by: every lane of the warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn sync() {
    // SAFETY: every lane of the warp is here, by this function's contract.
    unsafe { sync_warp(ALL) }
}

/// Returns the value of lane `lane`.
///
/// Called by: every lane of the warp, each with a lane of its own choice. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn of_lane<A: bytemuck::Pod>(value: A, lane: u32) -> A {
    // SAFETY: every lane of the warp is here, by this function's contract.
    unsafe { warp_shuffle_idx(ALL, value, lane, WARP_SIZE) }.0
}

/// Returns the inclusive prefixes of the lanes' accumulators, in the [steps](crate::scan::tree::steps) of a scan's tree.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none. Order: lane order.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn inclusive_by_steps<T: Element, O: Op<T>>(acc: O::Acc) -> O::Acc {
    inclusive_by_steps_of::<T, O>(acc, lane_id())
}

/// Returns [`inclusive_by_steps`] of several sequences side by side: this lane has accumulator `number` of its own sequence.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none. Order: lane order.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn inclusive_by_steps_of<T: Element, O: Op<T>>(acc: O::Acc, number: u32) -> O::Acc {
    let step = |acc: O::Acc, distance: u32| {
        // SAFETY: every lane of the warp is here, by this function's contract.
        let (left, _) = unsafe { warp_shuffle_up(ALL, acc, distance, WARP_SIZE) };
        let with = O::combine(left, acc);
        if number >= distance { with } else { acc }
    };
    let mut acc = acc;
    if Unrolling::Fast.is_loops::<O::Acc>() {
        let (mut distance, end) = (1, unknown(WARP_SIZE));
        while distance < end {
            acc = step(acc, distance);
            distance *= 2;
        }
    } else {
        for level in 0..WARP_SIZE.ilog2() {
            acc = step(acc, 1 << level);
        }
    }
    acc
}

/// Returns the exclusive prefix, given the inclusive ones. It is the inclusive prefix of the lane before, and the
/// identity in lane 0.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn exclusive<T: Element, O: Op<T>>(inclusive: O::Acc) -> O::Acc {
    // SAFETY: every lane of the warp is here, by this function's contract.
    let (before, _) = unsafe { warp_shuffle_up(ALL, inclusive, 1, WARP_SIZE) };
    if lane_id() == 0 { O::IDENTITY } else { before }
}

/// Returns the sum of the integers of this lane and the lanes below it.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(crate) fn sum_up_to_here<A: Accumulator + core::ops::AddAssign>(value: A) -> A {
    let mut sum = value;
    unrolled!(level < { WARP_SIZE.ilog2() as usize } => {
        // SAFETY: every lane of the warp is here, by this function's contract.
        let (below, _) = unsafe { warp_shuffle_up(ALL, sum, 1 << level, WARP_SIZE) };
        if lane_id() >= 1 << level {
            sum += below;
        }
    });
    sum
}
