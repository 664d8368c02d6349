//! Rungs 3 and 4: the tree in shared memory, with partners at growing distances.
//!
//! From here to rung 10 a launch leaves one sum per block, and the next launch adds these. In a block the distance of partners
//! doubles: 1, 2, 4, ... Blocks have a power of two of threads.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, block_idx_x, index_1d, sync_threads, thread_idx_x};

use super::addend::{Addend, element};
use super::scratch::scratch;

/// Rung 3: each thread whose number is a multiple of twice the distance adds its partner's sum.
///
/// **Changes:** elements are read once, and all levels of a block are in shared memory, with a barrier between levels. **Why it
/// is slow:** at each level fewer lanes of *every* warp take the branch, and the others wait for them; and a remainder costs
/// many instructions. **Look at:** active lanes per warp step.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn divergent<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let sums = scratch::<T>();
    sums.write(thread, element(input, index_1d()));
    sync_threads();
    let mut distance = 1;
    while distance < threads {
        if thread % (2 * distance) == 0 {
            sums.write(thread, sums.read(thread).plus(sums.read(thread + distance)));
        }
        sync_threads();
        distance *= 2;
    }
    if thread == 0 {
        out.write(u64::from(block_idx_x()), sums.read(0));
    }
}

/// Rung 4: the same pairs, added by the first threads.
///
/// **Changes:** which thread adds which pair, so that whole warps work and whole warps are idle. **Why it is slow:** lanes now
/// access shared memory at a stride of twice the distance. It has 32 banks of 4 bytes, and words in the same bank are served
/// one after another: 2, 4, ... up to 32 of them. **Look at:** bank replays, which appear here, and active lanes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn strided<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let sums = scratch::<T>();
    sums.write(thread, element(input, index_1d()));
    sync_threads();
    let mut distance = 1;
    while distance < threads {
        let first = 2 * distance * thread;
        if first < threads {
            sums.write(first, sums.read(first).plus(sums.read(first + distance)));
        }
        sync_threads();
        distance *= 2;
    }
    if thread == 0 {
        out.write(u64::from(block_idx_x()), sums.read(0));
    }
}
