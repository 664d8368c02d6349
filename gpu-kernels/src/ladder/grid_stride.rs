//! Rung 9: many elements per thread.
//!
//! **Changes:** before the tree begins, a thread adds up elements a grid's size apart in a register. The host decides how many
//! by the number of blocks. **Why:** Brent's theorem. A reduction costs threads times steps: n threads for the log2 n steps of
//! a tree cost n log n, although only n additions are needed. If each of n / log2 n threads first adds log2 n elements by
//! itself, there are twice as many steps, but the cost is of the order of n. On a GPU this saves barriers, and threads that
//! idle in the tree. **Look at:** barriers and shared accesses, which all but vanish: what is left is the reading of the input.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, block_idx_x, grid_dim_x, thread_idx_x};

use super::addend::{Addend, element};
use super::unrolled::fold_block;

/// Sums any number of elements per thread.
///
/// # Safety
/// Every thread of the block makes this call. Blocks have `THREADS` threads: 64, 128, 256, 512 or 1024.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn reduce<T: Addend, const THREADS: usize>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    // SAFETY: by this function's contract.
    let sum = unsafe { fold_block::<T, THREADS>(own_elements(input)) };
    if thread_idx_x() == 0 {
        out.write(u64::from(block_idx_x()), sum);
    }
}

/// Returns the sum of this thread's elements: a pair a block's size apart, then the next pair a grid's size further on.
/// Neighbouring threads always read neighbouring elements.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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
