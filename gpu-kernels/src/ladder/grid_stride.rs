//! Rung 9: many elements per thread.
//!
//! **Changes:** a thread adds up elements a grid apart in a register before the tree begins. How many, the host decides by
//! the number of blocks. **Why:** Brent's theorem. What a reduction costs is threads times steps: n threads for the log2 n
//! steps of a tree cost n log n, although n additions are all there is to do. If each of n / log2 n threads first adds
//! log2 n elements by itself, there are twice as many steps, and the cost is of the order of n. On a GPU, what is saved is
//! barriers, and threads that idle in the tree. **Look at:** barriers and shared accesses, which all but vanish: what is
//! left is the reading of the input.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, block_idx_x, grid_dim_x, thread_idx_x};

use super::addend::{Addend, element};
use super::unrolled::fold_block;

/// Any number of elements per thread.
///
/// # Safety
/// Every thread of the block makes this call. Blocks have `THREADS` threads: 64, 128, 256, 512 or 1024.
#[inline(always)]
pub unsafe fn reduce<T: Addend, const THREADS: usize>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    // SAFETY: the same contract.
    let sum = unsafe { fold_block::<T, THREADS>(own_elements(input)) };
    if thread_idx_x() == 0 {
        out.write(u64::from(block_idx_x()), sum);
    }
}

/// The sum of this thread's elements: pairs a block apart, then the next ones a grid further on. Neighbouring threads read
/// neighbouring elements at all times.
#[inline(always)]
pub(super) fn own_elements<T: Addend>(input: GlobalSlice<T>) -> T {
    let threads = u64::from(block_dim_x());
    let grid = 2 * threads * u64::from(grid_dim_x());
    let mut index = 2 * threads * u64::from(block_idx_x()) + u64::from(thread_idx_x());
    let mut sum = T::ZERO;
    while index < input.len() {
        sum = sum.plus(input.read(index).plus(element(input, index + threads)));
        index += grid;
    }
    sum
}
