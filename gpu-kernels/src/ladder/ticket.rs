//! Rung 13: one launch without atomics on the value.
//!
//! **Changes:** each block writes its sum to a place of its own and takes a number. The block with the last number knows that
//! all others have written, and adds their sums. **Why:** the sums are added in one order, whoever comes first, so every run
//! with the same launch shape has equal bits. CUDA's samples use a fence and an atomic increment (`__threadfence`,
//! `atomicInc`); [`Ticket`] is both in one, a release and an acquire. No block waits for another, so it does not matter how
//! many run at once. **Look at:** tickets, one per block; fences, none of their own; and the emulator, which reports a
//! hand-over without an order.

use cuda_std::atomic::Ticket;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, block_idx_x, grid_dim_x, sync_threads_or, thread_idx_x};

use super::addend::Addend;
use super::any_size::fold_block;
use super::grid_stride::own_elements;

/// Writes the total to `out[0]`, with the blocks' sums behind it. The ticket is 0 before and after.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn reduce<T: Addend>(input: GlobalSlice<T>, out: GlobalCells<T>, ticket: Ticket) {
    let (thread, blocks) = (u64::from(thread_idx_x()), u64::from(grid_dim_x()));
    let sum = fold_block(own_elements(input));
    let mut is_last = false;
    if thread == 0 {
        out.write(1 + u64::from(block_idx_x()), sum);
        is_last = ticket.take(grid_dim_x() - 1) == grid_dim_x() - 1;
    }
    // The barrier tells all threads, hands on to them what thread 0 has acquired, and frees the shared memory.
    if !sync_threads_or(is_last) {
        return;
    }
    let mut sum = T::ZERO;
    let mut block = thread;
    while block < blocks {
        sum = sum.plus(out.read_handed_over(1 + block));
        block += u64::from(block_dim_x());
    }
    let total = fold_block(sum);
    if thread == 0 {
        out.write(0, total);
    }
}
