//! Rung 15: warp shuffles.
//!
//! **Changes:** the lanes of a warp read each other's registers; shared memory holds only one sum per warp. **Why:** a level is
//! one instruction instead of a store, a barrier and a load, and there is one barrier in all. It has two passes of one kernel,
//! as rung 11. **Look at:** shuffles, five per warp, and shared accesses, one per warp. It makes little difference once a
//! thread has many elements (rung 9), since the tree then takes a small part of the time.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, block_idx_x, sync_threads, thread_idx_x};
use cuda_std::warp::{ALL, WARP_SIZE, lane_id, warp_shuffle_down};

use super::addend::Addend;
use super::grid_stride::own_elements;
use super::scratch::scratch;

/// Sums any number of elements per thread.
///
/// # Safety
/// Every thread of the block makes this call. Blocks have a multiple of 32 threads.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn reduce<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let (warp, warps) = (thread_idx_x() / WARP_SIZE, block_dim_x() / WARP_SIZE);
    let sums = scratch::<T>();
    // SAFETY: by this function's contract warps are whole, and all lanes of each are here.
    let sum = unsafe { fold_warp(own_elements(input)) };
    if lane_id() == 0 {
        sums.write(warp as usize, sum);
    }
    sync_threads();
    if warp == 0 {
        let sum = if lane_id() < warps { sums.read(lane_id() as usize) } else { T::ZERO };
        // SAFETY: the first warp is whole, by this function's contract, and all its lanes are here.
        let sum = unsafe { fold_warp(sum) };
        if lane_id() == 0 {
            out.write(u64::from(block_idx_x()), sum);
        }
    }
}

/// Returns the sum of the values of all lanes, in lane 0.
///
/// # Safety
/// All 32 lanes of a warp make this call, together.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn fold_warp<T: Addend>(mut sum: T) -> T {
    for delta in [16, 8, 4, 2, 1] {
        // SAFETY: all lanes are here, by this function's contract.
        let (other, _) = unsafe { warp_shuffle_down(ALL, sum, delta, WARP_SIZE) };
        sum = sum.plus(other);
    }
    sum
}
