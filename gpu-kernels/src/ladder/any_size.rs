//! Rungs 10 and 11: any block size, and then two launches of one kernel.
//!
//! **Rung 10 changes:** blocks need not have a power of two of threads. The threads beyond the greatest power of two
//! first give their sums to the others; then the tree is as before. **Why:** the best size is what registers and shared
//! memory of *your* kernel allow, 96 or 160 or 480, and a tree that halves drops elements at each odd level. **Look
//! at:** one barrier more, if the size is not a power of two.
//!
//! **Rung 11 changes:** only the host. Instead of as many levels as necessary there are two passes: as many blocks as the GPU
//! holds at once, then one block over their sums. **Why:** more blocks do not read any faster, and each level is a launch.
//! **Look at:** launches, two for any n.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};

use super::addend::Addend;
use super::grid_stride::own_elements;
use super::scratch::scratch;
use super::sequential::fold_down;

/// Sums any number of elements per thread, with any number of threads per block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn reduce<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let sum = fold_block(own_elements(input));
    if thread_idx_x() == 0 {
        out.write(u64::from(block_idx_x()), sum);
    }
}

/// Returns the sum of the values of all threads of the block, in thread 0. Calls need a barrier between them.
///
/// Called by: every thread of the block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn fold_block<T: Addend>(sum: T) -> T {
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let sums = scratch::<T>();
    sums.write(thread, sum);
    sync_threads();
    let floor = 1 << threads.ilog2();
    if floor < threads {
        if thread < threads - floor {
            sums.write(thread, sums.read(thread).plus(sums.read(thread + floor)));
        }
        sync_threads();
    }
    fold_down(sums, thread, floor, 1);
    if thread == 0 { sums.read(0) } else { T::ZERO }
}
