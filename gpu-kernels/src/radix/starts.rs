//! Where the keys of each digit begin, and what follows for the passes.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_idx_x, sync_threads, sync_threads_or, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::route::{ASCENDING, DESCENDING};
use super::shapes::{DIGITS, counts_len};
use crate::warp;

/// Warps of a block.
const WARPS: usize = DIGITS / WARP_SIZE as usize;

cuda_std::shared_bytes! {
    /// For each warp: the sum of its counts.
    fn moves_radix_sums: 64
}

/// Writes to `starts` the sum of the counts of all lower values of the block's digit, and adds what the digits and the order of
/// keys say to the route, which is 0.
///
/// Called by: every thread of every block, of [`STARTS_THREADS`](super::shapes::STARTS_THREADS), one for each digit. Valid in: what
/// is written, when the launch has ended. Scratch: the sums.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn sum(counts: GlobalSlice<u64>, len: u64, starts: GlobalCells<u64>, route: AtomicCells<u64>) {
    let (pass, digit) = (block_idx_x(), thread_idx_x());
    let at = u64::from(pass) * DIGITS as u64 + u64::from(digit);
    let count = counts.read(at);
    let sums = moves_radix_sums().array::<u64, WARPS>();
    let up_to_here = warp::sum_up_to_here(count);
    let own = digit / WARP_SIZE;
    if lane_id() == WARP_SIZE - 1 {
        sums.write(own as usize, up_to_here);
    }
    sync_threads();
    let mut before = up_to_here - count;
    unrolled!(i < { WARPS - 1 }, up to 8 => {
        if (i as u32) < own {
            before += sums.read(i);
        }
    });
    starts.write(at, before);
    let is_one = sync_threads_or(count == len);
    if digit == 0 {
        let mut word = if is_one { 0 } else { 1 << pass };
        if pass == 0 {
            let flags = counts.len() - 2;
            const { assert!(counts_len(1) == DIGITS as u64 + 2) }
            let is_some = |flag: u64| counts.read(flags + flag) != 0;
            word |= if is_some(0) { 0 } else { ASCENDING };
            word |= if is_some(1) { 0 } else { DESCENDING };
        }
        if word != 0 {
            route.add(0, word);
        }
    }
    let_next_launch_start();
}
