//! Rung 14: a single block.
//!
//! [`any_length`] is the simplest kernel that is right for every n. It sums what other rungs leave, and small inputs. **Look
//! at:** the bandwidth: one multiprocessor of many cannot read as fast as the memory can send.
//!
//! [`threads_only`] is the beginning of CUDA.jl's introduction to reductions: a block with barriers and nothing else, neither
//! shared memory nor registers that carry a sum, so at most two elements for each of 1024 threads. **Look at:** global
//! accesses, which take the place of rung 3's shared accesses.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, sync_threads, thread_idx_x};

use super::addend::{Addend, element};
use super::any_size::fold_block;

/// Writes the total to `out[0]`. One block of any size.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn any_length<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let mut sum = T::ZERO;
    let mut index = u64::from(thread_idx_x());
    while index < input.len() {
        sum = sum.plus(input.read(index));
        index += u64::from(block_dim_x());
    }
    let total = fold_block(sum);
    if thread_idx_x() == 0 {
        out.write(0, total);
    }
}

/// Adds in place, in `out`, and leaves the total in `out[0]`. One block, at most two elements per thread.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn threads_only<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>) {
    let (thread, len) = (u64::from(thread_idx_x()), 2 * u64::from(block_dim_x()));
    // The input must not be written.
    out.write(2 * thread, element(input, 2 * thread));
    out.write(2 * thread + 1, element(input, 2 * thread + 1));
    let mut distance = 1;
    while distance < len {
        sync_threads();
        let first = 2 * distance * thread;
        if first + distance < len {
            out.write(first, out.read_handed_over(first).plus(out.read_handed_over(first + distance)));
        }
        distance *= 2;
    }
}
