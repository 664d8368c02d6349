//! Rung 8: complete unrolling.
//!
//! **Changes:** the number of threads is known when the kernel is compiled: a const generic in place of a template
//! parameter. The compiler decides every test of it, and no loop is left. **Why:** there are at most ten levels, so
//! straight-line code is short. The price is a kernel for each block size. **Look at:** the PTX, which has no backward
//! branch. The counts are the same as for rung 7, since loops cost no memory access.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::shared::SharedArray;
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x};

use super::addend::Addend;
use super::first_add::two_elements;
use super::last_warp::fold_last_warp;
use super::scratch::{MOST_THREADS, scratch};

/// Sums two elements per thread.
///
/// # Safety
/// Every thread of the block makes this call. Blocks have `THREADS` threads: 64, 128, 256, 512 or 1024.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn reduce<T: Addend, const THREADS: usize>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    // SAFETY: by this function's contract.
    let sum = unsafe { fold_block::<T, THREADS>(two_elements(input)) };
    if thread_idx_x() == 0 {
        out.write(u64::from(block_idx_x()), sum);
    }
}

/// Returns the sum of the values of all threads of the block, in thread 0.
///
/// # Safety
/// As for [`reduce`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn fold_block<T: Addend, const THREADS: usize>(sum: T) -> T {
    const { assert!(THREADS.is_power_of_two() && THREADS >= 64 && THREADS <= MOST_THREADS) }
    let (thread, sums) = (thread_idx_x() as usize, scratch::<T>());
    sums.write(thread, sum);
    sync_threads();
    level::<T, THREADS, 512>(sums, thread);
    level::<T, THREADS, 256>(sums, thread);
    level::<T, THREADS, 128>(sums, thread);
    level::<T, THREADS, 64>(sums, thread);
    // SAFETY: by this function's contract the first 32 threads are a whole warp, and all of it is here.
    if thread < 32 { unsafe { fold_last_warp(sums, thread) } } else { T::ZERO }
}

/// Folds one level, if a block of `THREADS` threads has it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn level<T: Addend, const THREADS: usize, const DISTANCE: usize>(
    sums: SharedArray<T, MOST_THREADS>,
    thread: usize,
) {
    if THREADS >= 2 * DISTANCE {
        if thread < DISTANCE {
            sums.write(thread, sums.read(thread).plus(sums.read(thread + DISTANCE)));
        }
        sync_threads();
    }
}
