//! How many of a block's elements have each digit.
//!
//! **A counter of one byte per thread and digit**, four digits to a word, in shared memory: a thread counts in a column of
//! its own, so that threads whose ids are equal do not wait for each other, and no atomics are needed, whatever the ids. A
//! warp's columns lie in different banks. Before a counter can overflow, the columns are added up.

use bytemuck::Pod;
use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{block_dim_x, block_idx_x, grid_dim_x, sync_threads, thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::ids::IdsOut;
use super::pass::Pass;
use super::shape::{HISTOGRAM_WORDS, MOST_DIGITS};
use crate::unroll::unrolled;
use crate::warp;

/// Ids that a thread has under way.
const AT_ONCE: usize = 8;

/// Turns of a thread before its counters are added up: they hold 255.
const TURNS: u32 = (u8::MAX as usize / AT_ONCE) as u32;

cuda_std::shared_bytes! {
    /// The columns.
    fn warpfold_histogram: 32768
}

cuda_std::shared_bytes! {
    /// A total per digit.
    fn warpfold_histogram_totals: 1024
}

const _: () = assert!(HISTOGRAM_WORDS * 4 == 32768 && MOST_DIGITS * 4 == 1024);

/// What ids must be.
#[derive(Clone, Copy)]
pub(crate) struct Check {
    /// They are less than this.
    pub(crate) groups: u64,
    /// One cell for the place of the first that is not.
    pub(crate) first_bad: AtomicCells<u64>,
}

/// Counts each block's elements by digit: digit `d` of block `b` at `d * blocks + b` of `out`. Checks the ids, if asked to,
/// and copies them to where the pass reads them.
///
/// Called by: every thread of every block; blocks are of [`histogram_threads`](super::shape::histogram_threads), and have
/// fewer than 2^32 elements. Valid in: what is written, when the launch has ended. Scratch: the columns, the totals.
#[inline(always)]
pub(crate) fn count<I: Pod + Into<u64>>(
    ids: GlobalSlice<I>,
    pass: Pass,
    check: Option<Check>,
    copy: IdsOut,
    out: GlobalCells<u64>,
) {
    let (thread, threads) = (thread_idx_x(), block_dim_x());
    let (warp, warps, lane) = (thread / WARP_SIZE, threads / WARP_SIZE, lane_id());
    let columns = warpfold_histogram().array::<u32, HISTOGRAM_WORDS>().slice();
    let totals = warpfold_histogram_totals().array::<u32, MOST_DIGITS>();
    // Four digits each.
    let rows = pass.digits() / 4;
    each_row(warp, warps, rows, |row| {
        if lane < 4 {
            totals.write((4 * row + lane) as usize, 0);
        }
    });
    let count_one = |place: u64, id: u64| {
        if let Some(check) = check
            && id >= check.groups
        {
            check.first_bad.min(0, place);
        }
        copy.write(place, id as u32);
        let digit = pass.digit(id as u32);
        let at = (digit / 4 * threads + thread) as usize;
        columns.write(at, columns.read(at) + (1 << (8 * (digit % 4))));
    };
    let (start, end) = pass.range();
    let mut next = start + u64::from(thread);
    // Threads of a block take as many turns, so that they meet: the last one may be of fewer ids, and is taken one by one.
    let mut turns_left = (end - start).div_ceil(u64::from(AT_ONCE as u32 * threads)) as u32;
    while turns_left > 0 {
        each_row(0, 1, rows, |row| columns.write((row * threads + thread) as usize, 0));
        let mut turns = turns_left.min(TURNS);
        turns_left -= turns;
        while turns > 0 {
            let last = next + u64::from((AT_ONCE as u32 - 1) * threads);
            if last < end {
                let loaded = ids.read_column::<AT_ONCE>(next, threads);
                unrolled!(i < AT_ONCE => {
                    count_one(next + u64::from(i as u32 * threads), loaded[i].into());
                });
                next = last + u64::from(threads);
            } else {
                while next < end {
                    count_one(next, ids.read(next).into());
                    next += u64::from(threads);
                }
            }
            turns = unknown(turns - 1);
        }
        sync_threads();
        each_row(warp, warps, rows, |row| {
            let total = add_up(columns, row, threads);
            if lane < 4 {
                let at = (4 * row + lane) as usize;
                totals.write(at, totals.read(at) + total);
            }
        });
        // The columns are cleared next.
        sync_threads();
    }
    each_row(warp, warps, rows, |row| {
        if lane < 4 {
            let digit = 4 * row + lane;
            let place = u64::from(digit) * u64::from(grid_dim_x()) + u64::from(block_idx_x());
            out.write(place, u64::from(totals.read(digit as usize)));
        }
    });
    let_next_launch_start();
}

/// Does something with every `step`th row.
#[inline(always)]
fn each_row(first: u32, step: u32, rows: u32, mut call: impl FnMut(u32)) {
    let mut row = first;
    while row < rows {
        call(row);
        row = unknown(row + step);
    }
}

/// The sums of a row's counters of all threads: of its digit `i` in lane `i`.
///
/// Called by: every lane of the warp. Valid in: the first four lanes. Scratch: none.
#[inline(always)]
fn add_up(columns: SharedSlice<u32>, row: u32, threads: u32) -> u32 {
    let lane = lane_id();
    // Two sums of 16 bits in a word: 256 threads count up to 65280.
    let (mut even, mut odd) = (0, 0);
    let mut thread = lane;
    while thread < threads {
        let four = columns.read((row * threads + thread) as usize);
        even += four & 0x00ff_00ff;
        odd += four >> 8 & 0x00ff_00ff;
        thread = unknown(thread + WARP_SIZE);
    }
    unrolled!(level < 5 => {
        even += warp::exchange(even, 1 << level);
        odd += warp::exchange(odd, 1 << level);
    });
    let two = if lane & 1 == 0 { even } else { odd };
    two >> (8 * (lane & 2)) & 0xffff
}
