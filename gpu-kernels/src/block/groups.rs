//! The block of the kernels of [`entry`](crate::entry): groups of 256 threads. Each group folds one tile.

use cuda_std::global::GlobalCells;
use cuda_std::shared::SharedArray;
use cuda_std::thread::{block_dim_x, sync_threads, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;

use crate::op::{Accumulator, Element, Op};
use crate::shapes::{BLOCK_TILES, MAX_FAN_IN, MOST_ACC_BYTES};
use crate::tree::THREADS;
use crate::warp::Unrolling;
use crate::{thread, warp};

/// Warps of a group.
const GROUP_WARPS: u32 = THREADS as u32 / WARP_SIZE;

/// Warps of the largest block.
const MAX_WARPS: usize = 32;

/// Partial results that one thread reads at once.
const RUN_OF_PARTIALS: usize = 8;

/// Partial results that one warp folds.
pub(crate) const WARP_PARTIALS: u64 = WARP_SIZE as u64 * RUN_OF_PARTIALS as u64;

const _: () = assert!(MAX_FAN_IN == 2 * (RUN_OF_PARTIALS * THREADS) as u64, "256 threads fold two runs each");

/// Warp totals of [`BLOCK_TILES`] tiles.
const TOTALS: usize = BLOCK_TILES as usize * GROUP_WARPS as usize;

cuda_std::shared_bytes! {
    /// A total per warp for two turns, or the warp totals of [`BLOCK_TILES`] tiles; up to 16 bytes each.
    fn warpfold_block: 2048
}

cuda_std::shared_bytes! {
    /// A total per warp for two turns, or the warp totals of [`BLOCK_TILES`] tiles; up to 64 bytes each. A module has only the
    /// one that it uses.
    fn warpfold_wide_block: 8192
}

/// Returns the block's scratch, one place per warp total.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn totals<A: Accumulator>() -> SharedArray<A, TOTALS> {
    const { assert!(size_of::<A>() <= MOST_ACC_BYTES, "an accumulator has at most 64 bytes on a GPU") }
    match warpfold_block().array_if_fits() {
        Some(totals) => totals,
        None => warpfold_wide_block().array(),
    }
}

const _: () = assert!(TOTALS == 2 * MAX_WARPS * 2 && TOTALS * MOST_ACC_BYTES == 8192);

/// A running block as groups of 256 threads, seen from one of its threads.
///
/// Its methods are collectives: every thread of the block makes the same calls in the same order, as the caller of
/// [`enter`](Self::enter) promises.
#[derive(Clone, Copy)]
pub(crate) struct Groups {
    /// This thread's index in the block.
    pub(crate) thread: u32,
    /// Groups of 256 threads in the block: 1, 2 or 4.
    pub(crate) groups: u32,
}

impl Groups {
    /// Makes this thread's token of the block.
    ///
    /// # Safety
    /// The block has 256, 512 or 1024 threads in one dimension. Each of them calls this, and all of them reach every collective
    /// on the token, in the same order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) unsafe fn enter() -> Self {
        Self { thread: thread_idx_x(), groups: block_dim_x() / THREADS as u32 }
    }

    /// Returns this thread's group.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn group(self) -> u32 {
        self.thread / THREADS as u32
    }

    /// Returns this thread's index in its group.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn group_thread(self) -> u32 {
        self.thread % THREADS as u32
    }

    /// Returns whether this thread is in the first warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn in_first_warp(self) -> bool {
        self.thread < WARP_SIZE
    }

    /// Folds the accumulators of each group in thread order.
    ///
    /// Called by: every thread of the block. Valid in: lane 8 g of the first warp, for group g. Scratch: the half of the
    /// block's that `turn` picks, free again after the next turn's barrier; so one barrier per turn is enough when turns
    /// alternate. Order: thread order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(crate) fn reduce_groups<T: Element, O: Op<T>>(self, acc: O::Acc, turn: bool) -> O::Acc {
        self.join_warps::<T, O>(warp::fold::<T, O>(acc, Unrolling::Fast), turn, Unrolling::Fast)
    }

    /// Folds the totals of each group's warps, which are in the warps' first lanes: the second half of
    /// [`reduce_groups`](Self::reduce_groups).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn join_warps<T: Element, O: Op<T>>(self, total: O::Acc, turn: bool, unrolling: Unrolling) -> O::Acc {
        let totals = totals::<O::Acc>();
        let offset = if turn { MAX_WARPS } else { 0 };
        if self.thread.is_multiple_of(WARP_SIZE) {
            totals.write(offset + (self.thread / WARP_SIZE) as usize, total);
        }
        sync_threads();
        if !self.in_first_warp() {
            return O::IDENTITY;
        }
        let present = self.thread < self.groups * GROUP_WARPS;
        let total = if present { totals.read(offset + self.thread as usize) } else { O::IDENTITY };
        warp::reduce_segments::<T, O, 1, GROUP_WARPS>(total, unrolling)
    }

    /// Folds the group totals that [`reduce_groups`](Self::reduce_groups) left in the first warp, in group order.
    ///
    /// Called by: every thread of the block. Valid in: thread 0. Scratch: none. Order: group order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(crate) fn join_groups<T: Element, O: Op<T>>(self, acc: O::Acc, unrolling: Unrolling) -> O::Acc {
        if self.groups > 1 && self.in_first_warp() {
            return warp::reduce_segments::<T, O, GROUP_WARPS, WARP_SIZE>(acc, unrolling);
        }
        acc
    }

    /// Folds the accumulators of the block in thread order.
    ///
    /// Called by, scratch: as [`reduce_groups`](Self::reduce_groups). Valid in: thread 0. Order: thread order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(crate) fn reduce<T: Element, O: Op<T>>(self, acc: O::Acc, turn: bool) -> O::Acc {
        let acc = self.reduce_groups::<T, O>(acc, turn);
        self.join_groups::<T, O>(acc, Unrolling::Fast)
    }

    /// Folds the partial results `range` of those that other blocks handed over, at most [`MAX_FAN_IN`], in pairs of
    /// neighbours.
    ///
    /// Called by: every thread of the block or, for at most [`WARP_PARTIALS`], every lane of the first warp. Valid in:
    /// thread 0. Scratch: the block's first half. Order: left to right.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(crate) fn fold_partials<T: Element, O: Op<T>>(
        self,
        partials: GlobalCells<O::Acc>,
        range: (u64, u64),
        unrolling: Unrolling,
    ) -> O::Acc {
        let count = range.1 - range.0;
        let in_warp = count <= WARP_PARTIALS;
        if in_warp && !self.in_first_warp() {
            return O::IDENTITY;
        }
        // Each thread folds one run, or two if 256 runs do not suffice.
        let runs = if count <= MAX_FAN_IN / 2 { 1 } else { 2 };
        let (mut acc, mut run) = (O::IDENTITY, 0);
        while run < runs {
            acc =
                O::combine(acc, self.fold_run::<T, O>(partials, range, self.thread * runs + run, unrolling));
            run += 1;
        }
        let total = warp::fold::<T, O>(acc, unrolling);
        if in_warp {
            return total;
        }
        self.join_groups::<T, O>(self.join_warps::<T, O>(total, false, unrolling), unrolling)
    }

    /// Folds run `run` of the partial results.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn fold_run<T: Element, O: Op<T>>(
        self,
        partials: GlobalCells<O::Acc>,
        (start, end): (u64, u64),
        run: u32,
        unrolling: Unrolling,
    ) -> O::Acc {
        let first = start + u64::from(run) * RUN_OF_PARTIALS as u64;
        let read = |i: u64| if i < end { partials.read_handed_over(i) } else { O::IDENTITY };
        if !unrolling.is_loops::<O::Acc>() {
            return thread::fold_pairs::<T, O, RUN_OF_PARTIALS>(core::array::from_fn(|i| {
                read(first + i as u64)
            }));
        }
        // The same tree as eight accumulators in pairs, as loops.
        const { assert!(RUN_OF_PARTIALS == 8) }
        fold_two::<T, O>(0, |half| {
            fold_two::<T, O>(half, |quarter| fold_two::<T, O>(quarter, |i| read(first + i)))
        })
    }

    /// Keeps this warp's total of `tile`, one of at most 16 of the block, for [`join_tiles`](Self::join_tiles).
    ///
    /// Called by: every lane of the warp. Scratch: the block's, at this tile's and warp's place. Order:
    /// thread order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(crate) fn keep<T: Element, O: Op<T>>(self, acc: O::Acc, tile: u32) {
        let total = warp::fold::<T, O>(acc, Unrolling::Fast);
        if self.thread.is_multiple_of(WARP_SIZE) {
            let place = tile * GROUP_WARPS + self.group_thread() / WARP_SIZE;
            totals::<O::Acc>().write(place as usize, total);
        }
    }

    /// Folds the totals that [`keep`](Self::keep) kept of the first `tiles` tiles.
    ///
    /// Called by: every thread of the block. Valid in: thread 0. Scratch: the block's. Order: tile order.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(crate) fn join_tiles<T: Element, O: Op<T>>(self, tiles: u32) -> O::Acc {
        const PER_LANE: usize = TOTALS / WARP_SIZE as usize;
        let totals = totals::<O::Acc>();
        sync_threads();
        if !self.in_first_warp() {
            return O::IDENTITY;
        }
        let kept = |place: u32| {
            if place < tiles * GROUP_WARPS { totals.read(place as usize) } else { O::IDENTITY }
        };
        if tiles == 1 {
            return warp::reduce_segments::<T, O, 1, GROUP_WARPS>(kept(self.thread), Unrolling::Fast);
        }
        let run: [O::Acc; PER_LANE] =
            core::array::from_fn(|i| kept(self.thread * PER_LANE as u32 + i as u32));
        warp::fold::<T, O>(thread::fold_pairs::<T, O, PER_LANE>(run), Unrolling::Fast)
    }
}

/// Folds the two halves of part `part`, which `fold` returns, in a loop.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_two<T: Element, O: Op<T>>(part: u64, fold: impl Fn(u64) -> O::Acc) -> O::Acc {
    let (mut acc, mut i) = (O::IDENTITY, 0);
    while i < 2 {
        acc = O::combine(acc, fold(2 * part + u64::from(i)));
        i = unknown(i + 1);
    }
    acc
}
