//! Rung 8: completely unrolled.
//!
//! **Changes:** the number of threads is known when the kernel is compiled, a const generic as it was a template parameter:
//! every test of it is decided by the compiler, and no loop is left. **Why:** there are at most ten levels, so straight
//! code is short. The price is a kernel for each size of blocks. **Look at:** the PTX, which has no branch backwards; the
//! counts are those of rung 7, since loops cost no memory access.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::shared::SharedArray;
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x};

use super::addend::Addend;
use super::first_add::two_elements;
use super::last_warp::fold_last_warp;
use super::scratch::{MOST_THREADS, scratch};

/// Two elements per thread.
///
/// # Safety
/// Every thread of the block makes this call. Blocks have `THREADS` threads: 64, 128, 256, 512 or 1024.
#[inline(always)]
pub unsafe fn reduce<T: Addend, const THREADS: usize>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    // SAFETY: the same contract.
    let sum = unsafe { fold_block::<T, THREADS>(two_elements(input)) };
    if thread_idx_x() == 0 {
        out.write(u64::from(block_idx_x()), sum);
    }
}

/// The sum of what each thread of the block brings, in thread 0.
///
/// # Safety
/// As for [`reduce`].
#[inline(always)]
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

/// One level, if a block of so many threads has it.
#[inline(always)]
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
