//! Tickets: numbers that blocks take from one counter.

use cuda_std::atomic::{AtomicCells, AtomicNumber, Ticket};
use cuda_std::shared::SharedArray;
use cuda_std::thread::{sync_threads, sync_threads_or, thread_idx_x};

use crate::warp;

/// Draws the block's ticket, the number of its tile. The ticket is the count in the first cell, and the draw adds one
/// to that count. Nothing is handed over with a ticket, so the addition orders no memory.
///
/// Called by: every thread of the block. Valid in: every thread. Scratch: the first place of `place`, which another draw may use
/// again after a barrier.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn draw<N: AtomicNumber + From<u8>, const LEN: usize>(
    tickets: AtomicCells<N>,
    place: SharedArray<N, LEN>,
) -> N {
    if thread_idx_x() == 0 {
        place.write(0, tickets.fetch_add(0, N::from(1)));
    }
    sync_threads();
    place.read(0)
}

/// Returns whether this block is the last to take a number. Then it reads what the others wrote before they took theirs.
///
/// Called by: every thread of the block, or, if `in_warp`, every lane of its first warp alone. `takes` holds in thread 0, which
/// has written what the block hands over. Valid in: every thread that calls. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn is_last(ticket: Ticket, takes: bool, last: u32, in_warp: bool) -> bool {
    let took_last = ticket.take_if(takes, last) == last;
    if in_warp { warp::any(took_last) } else { sync_threads_or(took_last) }
}
