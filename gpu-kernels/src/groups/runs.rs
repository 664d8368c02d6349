//! Runs of equal keys: how many begin in each block's portion, and then where each begins and its key.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_idx_x, grid_dim_x, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::scan::{of_block, own_first, portion, sums_of_warps};
use crate::warp;
use crate::word::Word;

/// What stands at `first` and every 32nd place after it: before `end`, and the last before it in the place of the others.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
fn column_before<W: Copy, const N: usize>(keys: GlobalSlice<W>, first: u64, end: u64) -> [W; N] {
    core::array::from_fn(|i| keys.read((first + u64::from(i as u32 * WARP_SIZE)).min(end.saturating_sub(1))))
}

/// This thread's `N` keys from `first` on, and in which of its turns a run begins, as the lanes of each turn.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn heads<W: Word + PartialEq, const N: usize>(
    keys: GlobalSlice<W>,
    first: u64,
    end: u64,
) -> ([W; N], [u32; N]) {
    let own = column_before::<W, N>(keys, first, end);
    let mut heads = [0; N];
    // Each lane is given its neighbour's key. The lowest lane is given the last key of the turn before; in the first
    // turn it reads the key itself.
    let before_first = keys.read(first.min(end).saturating_sub(1));
    let last_of_turn: [W; N] = core::array::from_fn(|i| warp::of_lane(own[i], WARP_SIZE - 1));
    unrolled!(i < N => {
        let place = first + u64::from(i as u32 * WARP_SIZE);
        let neighbour = warp::of_lane(own[i], lane_id().saturating_sub(1));
        let before = match (lane_id(), i) {
            (0, 0) => before_first,
            (0, _) => last_of_turn[i.saturating_sub(1)],
            _ => neighbour,
        };
        heads[i] = warp::ballot(place < end && (place == 0 || own[i] != before));
    });
    (own, heads)
}

/// Writes how many runs begin in each block's portion. A thread has `N` keys under way.
///
/// Called by: every thread of every block; blocks are of [`SCAN_THREADS`](super::shapes::SCAN_THREADS). Valid in: `counts`,
/// when the launch has ended. Scratch: a total per warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn count<W: Word + PartialEq, const N: usize>(
    keys: GlobalSlice<W>,
    portion_len: u64,
    counts: GlobalCells<u64>,
) {
    let (mut start, end) = portion(keys.len(), portion_len);
    let mut runs = 0;
    while start < end {
        let (_, heads) = heads::<W, N>(keys, start + own_first(N), end);
        unrolled!(i < N => {
            runs += u64::from(heads[i].count_ones());
        });
        start += of_block(N);
    }
    let (_, all) = sums_of_warps(runs);
    if thread_idx_x() == 0 {
        counts.write(u64::from(block_idx_x()), all);
    }
    let_next_launch_start();
}

/// Writes where each run begins and, behind the last, where that one ends; and the key of each. `before` has how many runs
/// begin before each block's portion, and behind those how many there are.
///
/// Called by: every thread of every block; blocks are of [`SCAN_THREADS`](super::shapes::SCAN_THREADS). Valid in: `offsets`
/// and `of_runs`, when the launch has ended. Scratch: a total per warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn write<W: Word + PartialEq, const N: usize>(
    keys: GlobalSlice<W>,
    portion_len: u64,
    before: GlobalSlice<u64>,
    offsets: GlobalCells<u64>,
    of_runs: GlobalCells<W>,
) {
    let (mut start, end) = portion(keys.len(), portion_len);
    let mut run = before.read(u64::from(block_idx_x()));
    let lower = (1 << lane_id()) - 1;
    while start < end {
        let first = start + own_first(N);
        let (own, heads) = heads::<W, N>(keys, first, end);
        let (mut of_warp, mut before_turn) = (0, [0; N]);
        unrolled!(i < N => {
            before_turn[i] = of_warp;
            of_warp += heads[i].count_ones();
        });
        let (of_warps_before, all) = sums_of_warps(u64::from(of_warp));
        let next = run + of_warps_before;
        unrolled!(i < N => {
            if heads[i] >> lane_id() & 1 == 1 {
                let number = next + u64::from(before_turn[i] + (heads[i] & lower).count_ones());
                offsets.write(number, first + u64::from(i as u32 * WARP_SIZE));
                of_runs.write(number, own[i]);
            }
        });
        run += all;
        start += of_block(N);
    }
    if thread_idx_x() == 0 && block_idx_x() == 0 {
        offsets.write(before.read(u64::from(grid_dim_x())), keys.len());
    }
    let_next_launch_start();
}
