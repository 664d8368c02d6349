//! The rank of each key of a tile by one digit, and its order among those with the same digit.
//!
//! In each turn of a warp, the lanes that have the same digit find each other by a ballot for each bit, and are numbered from
//! where the warp's counter of that digit stands. Each warp has counters of its own; when all have counted, they become the
//! ranks from which each warp's keys are numbered.

use cuda_std::shared::{SharedArray, SharedSlice};
use cuda_std::thread::{sync_threads, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::shape::{DIGIT_BITS, DIGITS};
use crate::unroll::unrolled;
use crate::warp;

/// Warps that have a digit for each lane.
const DIGIT_WARPS: usize = DIGITS / WARP_SIZE as usize;

cuda_std::shared_bytes! {
    /// For each 32 digits: how many keys of the tile; and behind these what warps without digits write.
    fn moves_radix_totals: 64
}

/// The most warps of a block.
const MOST_WARPS: usize = 16;

/// Counters for which there is room.
pub(super) const COUNTERS: usize = MOST_WARPS * DIGITS;

/// The digits of a block's tile, seen from one of its threads, of `WARPS` warps.
#[derive(Clone, Copy)]
pub(super) struct Ranks<const WARPS: usize> {
    /// The thread's index in its block.
    pub(super) thread: u32,
    /// For each warp and digit: how many keys of the tile so far; then the rank of the first.
    pub(super) counters: SharedSlice<u32>,
}

/// A digit of the tile, which a thread has.
#[derive(Clone, Copy)]
pub(super) struct Digit {
    /// How many keys have it.
    pub(super) count: u32,
    /// The rank of the first.
    pub(super) first: u32,
}

impl<const WARPS: usize> Ranks<WARPS> {
    /// Numbers the keys of this warp by digit, of which `digit` gives this thread's. Leaves in the warp's counters how many there
    /// are.
    ///
    /// Called by: every lane of the warp. Valid in: every lane. Scratch: the warp's counters. Order: turn, then lane.
    #[inline(always)]
    pub(super) fn number<const I: usize>(self, digit: impl Fn(usize) -> u32) -> [u32; I] {
        const { assert!(WARPS <= MOST_WARPS) }
        let lane = lane_id();
        unrolled!(i < DIGIT_WARPS, up to 8 => {
            self.counters.write(self.counter(lane + i as u32 * WARP_SIZE), 0);
        });
        // The lanes meet: apart, each vote would take many times as long.
        warp::sync();
        let below = (1 << lane) - 1;
        let mut numbers = [0; I];
        unrolled!(i < I, up to 24 => {
            let digit = digit(i);
            let peers = warp::same_bits(digit, DIGIT_BITS);
            let counter = self.counter(digit);
            let number = self.counters.read(counter) + (peers & below).count_ones();
            warp::sync();
            // The last of them has the highest number.
            if peers >> lane == 1 {
                self.counters.write(counter, number + 1);
            }
            warp::sync();
            numbers[i] = number;
        });
        numbers
    }

    /// Turns the warps' counters into ranks, once all warps have counted, and gives this thread's digit, if it has one. `tell`
    /// is called by such threads with the digit's count, as early as it is known.
    ///
    /// Called by: every thread of the block, after a barrier. Valid in: every thread, the ranks after a barrier. Scratch: the
    /// totals.
    #[inline(always)]
    pub(super) fn settle(self, tell: impl FnOnce(u32)) -> Option<Digit> {
        let totals: SharedArray<u32, MOST_WARPS> = moves_radix_totals().array();
        let (digit, digit_warp) = (self.thread as usize, self.thread / WARP_SIZE);
        let is_digit = digit < DIGITS;
        let mut before = [0; WARPS];
        let mut count = 0;
        if is_digit {
            unrolled!(i < WARPS => {
                before[i] = count;
                count += self.counters.read(i * DIGITS + digit);
            });
            tell(count);
        }
        let up_to_here = warp::sum_up_to_here(count);
        if lane_id() == WARP_SIZE - 1 {
            totals.write(digit_warp as usize % MOST_WARPS, up_to_here);
        }
        sync_threads();
        // Asked anew: what the compiler knows to follow from an answer before the barrier, it puts on a way of its own, barrier
        // included, which some lanes of a warp then wait at and others not.
        if unknown(self.thread) as usize >= DIGITS {
            return None;
        }
        let mut first = up_to_here - count;
        unrolled!(i < { DIGIT_WARPS - 1 }, up to 8 => {
            if (i as u32) < digit_warp {
                first += totals.read(i);
            }
        });
        unrolled!(i < WARPS => { self.counters.write(i * DIGITS + digit, first + before[i]) });
        Some(Digit { count, first })
    }

    /// The rank from which this warp's keys with this digit are numbered.
    #[inline(always)]
    pub(super) fn first_of_warp(self, digit: u32) -> u32 {
        self.counters.read(self.counter(digit))
    }

    /// The number of this warp's counter of a digit. The remainder tells the compiler that it is one: without a check there is no
    /// branch between the warp's votes.
    #[inline(always)]
    fn counter(self, digit: u32) -> usize {
        (self.thread / WARP_SIZE * DIGITS as u32 + digit) as usize % COUNTERS
    }
}
