//! Sums of all integers before each: in three launches (each block's total, the totals' sums, and from those each block's
//! own), or in one of one block. Nothing waits for another block.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedArray;
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::shapes::{SCAN_ITEMS, SCAN_THREADS};
use crate::warp;

/// Warps of a block.
const WARPS: usize = (SCAN_THREADS / WARP_SIZE) as usize;

/// Items that a block has under way if each of its threads has `items`.
pub(crate) const fn of_block(items: usize) -> u64 {
    SCAN_THREADS as u64 * items as u64
}

cuda_std::shared_bytes! {
    /// A total per warp.
    fn warpfold_scan_totals: 64
}

const _: () = assert!(WARPS * 8 == 64);

/// The beginning and end of this block's portion of `portion` items.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn portion(len: u64, portion: u64) -> (u64, u64) {
    let start = (u64::from(block_idx_x()) * portion).min(len);
    (start, start + portion.min(len - start))
}

/// The place of this thread's first item among its block's items. Its `items` items are [`WARP_SIZE`] apart.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn own_first(items: usize) -> u64 {
    u64::from(thread_idx_x() / WARP_SIZE * (WARP_SIZE * items as u32) + lane_id())
}

/// The sum of the warps' `total`s before this warp's, and of all. A lane's total is the same as its warp's others'.
///
/// Called by: every thread of the block. Valid in: every thread. Scratch: the totals, which a barrier ends the use of.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn sums_of_warps(total: u64) -> (u64, u64) {
    let totals: SharedArray<u64, WARPS> = warpfold_scan_totals().array();
    let warp = thread_idx_x() / WARP_SIZE;
    // The totals of the turn before have been read.
    sync_threads();
    if lane_id() == 0 {
        totals.write(warp as usize, total);
    }
    sync_threads();
    let (mut before, mut all) = (0, 0);
    unrolled!(i < WARPS => {
        let total = totals.read(i);
        if (i as u32) < warp {
            before += total;
        }
        all += total;
    });
    (before, all)
}

/// Writes each block's total to its place in `totals`.
///
/// Called by: every thread of every block; blocks are of [`SCAN_THREADS`]. Valid in: `totals`, when the launch has ended.
/// Scratch: a total per warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn total(input: GlobalSlice<u64>, portion_len: u64, totals: GlobalCells<u64>) {
    let (mut start, end) = portion(input.len(), portion_len);
    let mut sum = 0;
    while start < end {
        let first = start + own_first(SCAN_ITEMS);
        unrolled!(i < SCAN_ITEMS => {
            let place = first + (i as u64 * u64::from(WARP_SIZE));
            if place < end {
                sum += input.read(place);
            }
        });
        start += of_block(SCAN_ITEMS);
    }
    let of_warp = warp::of_lane(warp::sum_up_to_here(sum), WARP_SIZE - 1);
    let (_, all) = sums_of_warps(of_warp);
    if thread_idx_x() == 0 {
        totals.write(u64::from(block_idx_x()), all);
    }
    let_next_launch_start();
}

/// Replaces each of the `len` integers by the sum of all before it, and writes the sum of all behind the last. `before`, if
/// given, has the sum of the integers before each block's.
///
/// Called by: every thread of every block; blocks are of [`SCAN_THREADS`]. Valid in: `cells`, when the launch has ended.
/// Scratch: a total per warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn scan(cells: GlobalCells<u64>, len: u64, portion_len: u64, before: Option<GlobalSlice<u64>>) {
    let (mut start, end) = portion(len, portion_len);
    let has_last = start < end && end == len;
    let mut sum = before.map_or(0, |before| before.read(u64::from(block_idx_x())));
    while start < end {
        let first = start + own_first(SCAN_ITEMS);
        let mut integers = [0; SCAN_ITEMS];
        unrolled!(i < SCAN_ITEMS => {
            let place = first + i as u64 * u64::from(WARP_SIZE);
            if place < end {
                integers[i] = cells.read_handed_over(place);
            }
        });
        let mut of_warp = 0;
        unrolled!(i < SCAN_ITEMS => {
            let up_to_here = of_warp + warp::sum_up_to_here(integers[i]);
            integers[i] = up_to_here - integers[i];
            of_warp = warp::of_lane(up_to_here, WARP_SIZE - 1);
        });
        let (before, all) = sums_of_warps(of_warp);
        unrolled!(i < SCAN_ITEMS => {
            let place = first + i as u64 * u64::from(WARP_SIZE);
            if place < end {
                cells.write(place, sum + before + integers[i]);
            }
        });
        sum += all;
        start += of_block(SCAN_ITEMS);
    }
    if thread_idx_x() == 0 && has_last {
        cells.write(len, sum);
    }
    let_next_launch_start();
}
