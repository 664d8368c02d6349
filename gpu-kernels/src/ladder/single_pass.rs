//! Rung 12: one launch, with atomics between the blocks.
//!
//! **Changes:** no second launch: sums are added to one total, which the host sets to zero first. **Why:** a launch costs a few
//! microseconds, as much as a small input takes. **Look at:** atomics, one per thread against one per block. As in rung 1 the
//! order of float additions, and so the last bits, are luck; rung 13 is the remedy.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalSlice;
use cuda_std::thread::thread_idx_x;

use super::addend::Addend;
use super::any_size::fold_block;
use super::grid_stride::own_elements;

/// Adds the sum of each thread: no shared memory, no barrier, many atomics.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn atomic_per_thread<T: Addend>(input: GlobalSlice<T>, total: AtomicCells<T>) {
    total.add(0, own_elements(input));
}

/// Adds the sum of each block, by its first thread.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn atomic_per_block<T: Addend>(input: GlobalSlice<T>, total: AtomicCells<T>) {
    let sum = fold_block(own_elements(input));
    if thread_idx_x() == 0 {
        total.add(0, sum);
    }
}
