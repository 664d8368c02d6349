//! Rung 7: the last warp by itself.
//!
//! **Changes:** once 32 threads are left, they are one warp. It continues without the block's barriers, in straight-line code,
//! and the other warps are done. **Why:** five levels of six or more then cost no barrier and no loop. **Look at:** barriers.
//!
//! **The old trick is wrong now.** Texts of 2007 wrote the last six lines as additions through a `volatile` pointer with
//! nothing between them: the lanes of a warp ran in lockstep, so one line was finished in all lanes before the next line began.
//! Since Volta (2017) each lane has its own program counter, and nothing in the language or the PTX ISA keeps them together: a
//! lane may read its partner's place before, or long after, the partner has written it. That is a race, even where it happens
//! to give the right sum. [`sync_warp`] now takes the part of the lockstep: lanes meet there, and it orders their memory
//! accesses. One is needed between reading and writing, and one between writing and the next reading. The emulator reports the
//! race if either is left out.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::shared::SharedArray;
use cuda_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use cuda_std::warp::{ALL, sync_warp};

use super::addend::Addend;
use super::first_add::two_elements;
use super::scratch::{MOST_THREADS, scratch};
use super::sequential::fold_down;

/// Sums two elements per thread.
///
/// # Safety
/// Every thread of the block makes this call. Blocks have a power of two of threads, 64 or more.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn reduce<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let sums = scratch::<T>();
    sums.write(thread, two_elements(input));
    sync_threads();
    fold_down(sums, thread, threads, 64);
    if thread < 32 {
        // SAFETY: by this function's contract there are 64 threads or more, so the first 32 are a whole warp, and all of it is
        // here.
        let sum = unsafe { fold_last_warp(sums, thread) };
        if thread == 0 {
            out.write(u64::from(block_idx_x()), sum);
        }
    }
}

/// Returns the sum of the first 64 places, in lane 0.
///
/// Every lane adds at every level, even if nobody needs its sum: a branch would save nothing.
///
/// # Safety
/// Called by the 32 lanes of the block's first warp, after a barrier.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn fold_last_warp<T: Addend>(sums: SharedArray<T, MOST_THREADS>, lane: usize) -> T {
    let mut sum = sums.read(lane).plus(sums.read(lane + 32));
    for distance in [16, 8, 4, 2, 1] {
        // SAFETY: the whole warp is here, by this function's contract.
        unsafe { sync_warp(ALL) };
        sums.write(lane, sum);
        // SAFETY: by this function's contract.
        unsafe { sync_warp(ALL) };
        sum = sum.plus(sums.read(lane + distance));
    }
    sum
}
