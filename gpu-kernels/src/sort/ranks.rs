//! The rank of each key of a tile by one digit of any few bits, and its order among those with the same digit.
//!
//! In each turn of a warp, the lanes that have the same digit find each other by a ballot for each bit, and are numbered
//! from where the warp's counter of that digit stands. Each warp has counters of its own; when all have counted, they become
//! the ranks from which each warp's elements are numbered.

use cuda_std::shared::SharedArray;
use cuda_std::thread::{sync_threads, unknown};
use cuda_std::warp::{ALL, WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::shapes::{MOST_DIGIT_BITS, SORT_THREADS};
use crate::warp;

/// Warps of a block.
const WARPS: usize = (SORT_THREADS / WARP_SIZE) as usize;

/// Values of the longest digit.
const MOST_DIGITS: usize = 1 << MOST_DIGIT_BITS;

/// Warps that have a digit for each lane.
const DIGIT_WARPS: usize = MOST_DIGITS / WARP_SIZE as usize;

cuda_std::shared_bytes! {
    /// For each warp and digit: how many keys of the tile so far; then the rank of the first.
    fn warpfold_ranks_counters: 8192
}

cuda_std::shared_bytes! {
    /// For each 32 digits: how many keys of the tile.
    fn warpfold_ranks_totals: 32
}

const _: () = assert!(WARPS * MOST_DIGITS * 4 <= 8192 && DIGIT_WARPS * 4 <= 32);
const _: () = assert!(SORT_THREADS as usize >= MOST_DIGITS);

/// The digits of a block's tile, seen from one of its threads.
#[derive(Clone, Copy)]
pub(super) struct Ranks {
    /// Bits of the digit.
    bits: u32,
    thread: u32,
    counters: SharedArray<u32, { WARPS * MOST_DIGITS }>,
    totals: SharedArray<u32, DIGIT_WARPS>,
}

impl Ranks {
    /// Of digits of `bits` bits, at least 1 and at most [`MOST_DIGIT_BITS`], and of the thread with this index in its block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new(bits: u32, thread: u32) -> Self {
        let (counters, totals) = (warpfold_ranks_counters().array(), warpfold_ranks_totals().array());
        Self { bits, thread, counters, totals }
    }

    /// Numbers this warp's keys by digit, and returns the numbers for this thread's `digits`. Leaves the count
    /// of each digit in the warp's counters.
    ///
    /// Called by: every lane of the warp. Valid in: every lane. Scratch: the warp's counters. Order: turn, then lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn number<const I: usize>(self, digits: [u32; I]) -> [u32; I] {
        let lane = lane_id();
        let mut digit = lane;
        while digit < self.digits() {
            self.counters.write(self.counter(digit), 0);
            digit = unknown(digit + WARP_SIZE);
        }
        // The lanes meet: apart, each vote would take many times as long.
        warp::sync();
        // The lanes with the same digit in each turn.
        let mut peers = [ALL; I];
        let mut bit = 0;
        while bit < self.bits {
            unrolled!(i < I => {
                let is_set = digits[i] >> bit & 1 != 0;
                let set = warp::ballot(is_set);
                peers[i] &= if is_set { set } else { !set };
            });
            bit = unknown(bit + 1);
        }
        let below = (1 << lane) - 1;
        unrolled!(i < I => {
            let counter = self.counter(digits[i]);
            let number = self.counters.read(counter) + (peers[i] & below).count_ones();
            warp::sync();
            // The last of them has the highest number.
            if peers[i] >> lane == 1 {
                self.counters.write(counter, number + 1);
            }
            warp::sync();
            peers[i] = number;
        });
        peers
    }

    /// Turns the warps' counters into ranks, once all warps have counted. Returns the rank of the first key of this thread's
    /// digit, if it has one.
    ///
    /// Called by: every thread of the block, after a barrier. Valid in: every thread, the ranks after a barrier. Scratch: the
    /// totals.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn settle(self) -> Option<u32> {
        let digit = self.thread;
        let digit_warp = digit / WARP_SIZE;
        let is_digit = digit < self.digits();
        let mut before = [0; WARPS];
        let mut count = 0;
        if is_digit {
            unrolled!(i < WARPS => {
                before[i] = count;
                count += self.counters.read(i * MOST_DIGITS + digit as usize);
            });
        }
        let up_to_here = warp::sum_up_to_here(count);
        if lane_id() == WARP_SIZE - 1 && (digit_warp as usize) < DIGIT_WARPS {
            self.totals.write(digit_warp as usize, up_to_here);
        }
        sync_threads();
        if !is_digit {
            return None;
        }
        let mut first = up_to_here - count;
        unrolled!(i < { DIGIT_WARPS - 1 } => {
            if (i as u32) < digit_warp {
                first += self.totals.read(i);
            }
        });
        unrolled!(i < WARPS => {
            self.counters.write(i * MOST_DIGITS + digit as usize, first + before[i]);
        });
        Some(first)
    }

    /// The rank from which this warp's keys with this digit are numbered.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn first_of_warp(self, digit: u32) -> u32 {
        self.counters.read(self.counter(digit))
    }

    /// How many values the digit has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn digits(self) -> u32 {
        1 << self.bits
    }

    /// The number of this warp's counter of a digit. The number is in range; the remainder tells the compiler so.
    /// Without a bounds check there is no branch between the warp's votes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn counter(self, digit: u32) -> usize {
        (self.thread / WARP_SIZE * MOST_DIGITS as u32 + digit) as usize % (WARPS * MOST_DIGITS)
    }
}
