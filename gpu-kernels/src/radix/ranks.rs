//! The rank of each key of a tile by one digit, and its order among those with the same digit.
//!
//! Each warp counts its keys by digit. From the counts of all warps follow the ranks from which each warp's keys are
//! numbered, and, as early as that, what other tiles wait for. In each turn of a warp, the lanes that have the same
//! digit then find each other by a ballot for each bit, and are numbered from where the warp's counter of that digit
//! stands.

use cuda_std::shared::{SharedArray, SharedSlice};
use cuda_std::thread::{sync_threads, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::packed::Numbers;
use super::shapes::{DIGIT_BITS, DIGITS};
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
    /// Counts the `I` keys of each lane of this warp. `digit` gives the digits of this thread's keys.
    ///
    /// Called by: every lane of the warp. Valid in: the warp's counters, after a barrier.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn count<const I: usize>(self, digit: impl Fn(usize) -> u32) {
        const { assert!(WARPS <= MOST_WARPS) }
        let counters = self.of_warp();
        unrolled!(i < DIGIT_WARPS, up to 8 => {
            counters.write((lane_id() % WARP_SIZE) as usize + i * WARP_SIZE as usize, 0);
        });
        warp::sync();
        unrolled!(i < I, up to 24 => { counters.add(digit(i) as usize, 1) });
    }

    /// Returns the ranks of this thread's keys in the tile. Leaves in the warp's counters where the next warp's begin.
    ///
    /// Called by: every lane of the warp, after the counters are [settled](Self::settle) and a barrier. Valid in: every lane.
    /// Scratch: the warp's counters. Order: warp, then turn, then lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn rank<const I: usize>(self, digit: impl Fn(usize) -> u32) -> Numbers {
        let (lane, counters) = (lane_id(), self.of_warp());
        // The lanes meet: apart, each vote would take many times as long.
        warp::sync();
        let (below, above) = ((1 << lane) - 1, u32::MAX << lane << 1);
        let mut ranks = Numbers::none();
        unrolled!(i < I, up to 24 => {
            let digit = digit(i);
            let peers = warp::same_bits(digit, DIGIT_BITS);
            let rank = counters.read(digit as usize) + (peers & below).count_ones();
            warp::sync();
            // The last of them has the highest rank.
            if peers & above == 0 {
                counters.write(digit as usize, rank + 1);
            }
            warp::sync();
            ranks.set(i, rank);
        });
        ranks
    }

    /// Turns the warps' counters into ranks, once all warps have counted, and gives this thread's digit, if it has one.
    /// `post` is called by such threads with the digit's count, as early as it is known.
    ///
    /// Called by: every thread of the block, after a barrier. Valid in: every thread, the ranks after a barrier. Scratch: the
    /// totals.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn settle(self, post: impl FnOnce(u32)) -> Option<Digit> {
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
            post(count);
        }
        let up_to_here = warp::sum_up_to_here(count);
        if lane_id() == WARP_SIZE - 1 {
            totals.write(digit_warp as usize % MOST_WARPS, up_to_here);
        }
        sync_threads();
        // Asked anew: what the compiler knows to follow from an answer before the barrier, it puts on a way of its own,
        // barrier included, which some lanes of a warp then wait at and others not.
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

    /// For each digit, this warp's counter.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_warp(self) -> SharedSlice<u32> {
        self.counters.part((self.thread / WARP_SIZE) as usize * DIGITS, DIGITS)
    }
}
