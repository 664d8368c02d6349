//! A block's sort: a tile in registers and shared memory, by digits, the least significant first.

use cuda_std::shared::SharedSlice;
use cuda_std::thread::{sync_threads, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;

use super::coding::Key;
use super::segment::own_first;
use crate::moves::groups::pass::Pass;
use crate::moves::groups::ranks::Ranks;
use crate::moves::groups::shape::MOST_DIGIT_BITS;
use crate::unroll::unrolled;

/// Shared memory for a tile.
#[derive(Clone, Copy)]
pub(super) struct Staged<W: Key> {
    /// Keys.
    pub(super) keys: SharedSlice<W::Shared>,
    /// A word beside each.
    pub(super) beside: SharedSlice<u32>,
}

/// Sorts the tile by the lowest `bits` bits of its keys, at least 1, stably, and leaves it in `staged`; gives each thread the
/// keys that stand where its own did.
///
/// Called by: every thread of a block of [`SORT_THREADS`](super::shape::SORT_THREADS). Valid in: every thread; `staged.keys`
/// after a barrier. Scratch: `staged.keys`, what the ranks have. Order: warp, turn, lane.
#[inline(always)]
pub(super) fn sort<W: Key, const I: usize>(mut keys: [W; I], bits: u32, staged: Staged<W>) -> [W; I] {
    let own = own_first(I);
    let (digit_bits, mut shift) = (digit_bits(bits), 0);
    while shift < bits {
        let mut digits = [0; I];
        unrolled!(i < I => { digits[i] = keys[i].digit(shift, digit_bits) });
        let ranks = rank::<I>(digits, digit_bits);
        unrolled!(i < I => { staged.keys.write(ranks[i] as usize, keys[i].widen()) });
        sync_threads();
        unrolled!(i < I => { keys[i] = W::narrow(staged.keys.read((own + i as u32 * WARP_SIZE) as usize)) });
        shift = unknown(shift + digit_bits);
    }
    keys
}

/// As [`sort`], but the keys stay where they are in `staged`, and what is sorted is their places, which each thread is given
/// of those that come to stand where its own did.
///
/// Called by: as `sort`. Valid in: every thread, `staged.keys` too. Scratch: `staged`, what the ranks have.
#[inline(always)]
pub(super) fn sort_places<W: Key, const I: usize>(keys: [W; I], bits: u32, staged: Staged<W>) -> [u32; I] {
    let own = own_first(I);
    let mut places = [0; I];
    unrolled!(i < I => {
        places[i] = own + i as u32 * WARP_SIZE;
        staged.keys.write(places[i] as usize, keys[i].widen());
    });
    sync_threads();
    let (digit_bits, mut shift) = (digit_bits(bits), 0);
    while shift < bits {
        let mut digits = [0; I];
        unrolled!(i < I => {
            digits[i] = W::narrow(staged.keys.read(places[i] as usize)).digit(shift, digit_bits);
        });
        let ranks = rank::<I>(digits, digit_bits);
        unrolled!(i < I => { staged.beside.write(ranks[i] as usize, places[i]) });
        sync_threads();
        unrolled!(i < I => { places[i] = staged.beside.read((own + i as u32 * WARP_SIZE) as usize) });
        shift = unknown(shift + digit_bits);
    }
    places
}

/// Bits of a digit: as few digits as may be, the bits shared evenly among them.
#[inline(always)]
fn digit_bits(bits: u32) -> u32 {
    bits.div_ceil(bits.div_ceil(MOST_DIGIT_BITS).max(1))
}

/// The rank in the tile of each of this thread's digits.
///
/// Called by: every thread of the block; all have read what the last ranks were for. Valid in: every thread. Scratch: what the
/// ranks have.
#[inline(always)]
pub(super) fn rank<const I: usize>(digits: [u32; I], bits: u32) -> [u32; I] {
    let pass = Pass { shift: 0, bits };
    let ranks = Ranks::new(pass, thread_idx_x());
    let mut numbers = ranks.number::<I>(digits);
    sync_threads();
    ranks.settle(|_| {});
    sync_threads();
    // Where the counters are is found again, not kept.
    let ranks = Ranks::new(pass, unknown(thread_idx_x()));
    unrolled!(i < I => { numbers[i] += ranks.first_of_warp(digits[i]) });
    numbers
}
