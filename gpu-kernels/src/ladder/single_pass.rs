//! Rung 12: one launch, with atomics for what the blocks have to say to each other.
//!
//! **Changes:** no second launch: sums meet in one total, which the host sets to zero first. **Why:** a launch costs a few
//! microseconds, which is all that a small input takes. **Look at:** atomics, one per thread against one per block. As in
//! rung 1 the order of float additions, and so the last bits, are luck: hence rung 13.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalSlice;
use cuda_std::thread::thread_idx_x;

use super::addend::Addend;
use super::any_size::fold_block;
use super::grid_stride::own_elements;

/// Each thread adds its elements' sum: no shared memory, no barrier, many atomics.
#[inline(always)]
pub fn atomic_per_thread<T: Addend>(input: GlobalSlice<T>, total: AtomicCells<T>) {
    total.add(0, own_elements(input));
}

/// Each block folds first; its first thread adds.
#[inline(always)]
pub fn atomic_per_block<T: Addend>(input: GlobalSlice<T>, total: AtomicCells<T>) {
    let sum = fold_block(own_elements(input));
    if thread_idx_x() == 0 {
        total.add(0, sum);
    }
}
