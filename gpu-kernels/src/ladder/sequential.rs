//! Rung 5: sequential addressing.
//!
//! **Changes:** the distance halves instead of doubling: the first half of the threads adds the sums of the second half.
//! **Why:** neighbouring lanes access neighbouring words, each in a bank of its own. **Look at:** bank replays, which are gone.
//! **What is left:** half of the threads load an element and never add anything.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::shared::SharedArray;
use cuda_std::thread::{block_dim_x, block_idx_x, index_1d, sync_threads, thread_idx_x};

use super::addend::{Addend, element};
use super::scratch::{MOST_THREADS, scratch};

/// Sums one element per thread. Blocks have a power of two of threads.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn reduce<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let sums = scratch::<T>();
    sums.write(thread, element(input, index_1d()));
    sync_threads();
    fold_down(sums, thread, threads, 1);
    if thread == 0 {
        out.write(u64::from(block_idx_x()), sums.read(0));
    }
}

/// Adds the first `many` places, a power of two, until `few` sums are left. There is a barrier before and after.
///
/// Called by: every thread of the block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn fold_down<T: Addend>(
    sums: SharedArray<T, MOST_THREADS>,
    thread: usize,
    many: usize,
    few: usize,
) {
    let mut distance = many / 2;
    while distance >= few {
        if thread < distance {
            sums.write(thread, sums.read(thread).plus(sums.read(thread + distance)));
        }
        sync_threads();
        distance /= 2;
    }
}
