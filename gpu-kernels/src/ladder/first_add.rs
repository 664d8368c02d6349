//! Rung 6: the first addition while loading.
//!
//! **Changes:** each thread loads two elements, a block's size apart, and stores their sum in shared memory. **Why:**
//! there are half as many blocks, and no thread without an addition. **Look at:** elements per thread, which double,
//! and threads that idle in the first step. There are none. **What is left:** few instructions of a warp are the work
//! itself; most are the loop, the barriers and the addresses.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};

use super::addend::{Addend, element};
use super::scratch::scratch;
use super::sequential::fold_down;

/// Sums two elements per thread. Blocks have a power of two of threads.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn reduce<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let sums = scratch::<T>();
    sums.write(thread, two_elements(input));
    sync_threads();
    fold_down(sums, thread, threads, 1);
    if thread == 0 {
        out.write(u64::from(block_idx_x()), sums.read(0));
    }
}

/// Returns the sum of this thread's two elements; a block has twice as many elements as threads.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn two_elements<T: Addend>(input: GlobalSlice<T>) -> T {
    let threads = u64::from(block_dim_x());
    let first = u64::from(block_idx_x()) * 2 * threads + u64::from(thread_idx_x());
    element(input, first).plus(element(input, first + threads))
}
