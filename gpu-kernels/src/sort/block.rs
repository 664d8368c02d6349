//! The sort of a tile by a block, in registers and shared memory, by digits, the least significant first.
//!
//! Long keys are first sorted by their highest [`MOST_BITS`] bits: usually no two keys of a tile are equal in these but differ
//! below. If some do, which a comparison of all neighbours shows, the tile is sorted again by all bits.

use cuda_std::shared::SharedSlice;
use cuda_std::thread::{sync_threads, sync_threads_or, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::coding::Key;
use super::ranks::Ranks;
use super::segment::own_first;
use super::shapes::MOST_DIGIT_BITS;

/// Bits by which long keys are sorted at first. Two of 4096 random keys are equal in these in one of 500 cases.
const MOST_BITS: u32 = 32;

/// Shared memory for a tile.
#[derive(Clone, Copy)]
pub(super) struct Staged<W: Key> {
    /// Keys.
    pub(super) keys: SharedSlice<W::Shared>,
    /// A word beside each key.
    pub(super) beside: SharedSlice<u32>,
}

/// Sorts the tile by the lowest `bits` bits of its keys, at least 1, stably, and leaves it in `staged`. Returns to each thread
/// the keys at the places of its own.
///
/// Called by: every thread of a block of [`SORT_THREADS`](super::shapes::SORT_THREADS). Valid in: every thread; `staged.keys`
/// after a barrier. Scratch: `staged.keys`, and the ranks'. Order: warp, turn, lane.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn sort<W: Key, const I: usize>(mut keys: [W; I], bits: u32, staged: Staged<W>) -> [W; I] {
    let own = own_first(I);
    let mut first = first_bit::<W>(bits);
    loop {
        let (digit_bits, mut shift) = (digit_bits(bits - first), first);
        while shift < bits {
            let mut digits = [0; I];
            unrolled!(i < I => { digits[i] = keys[i].digit(shift, digit_bits) });
            let ranks = rank::<I>(digits, digit_bits);
            unrolled!(i < I => { staged.keys.write(ranks[i] as usize, keys[i].widen()) });
            sync_threads();
            unrolled!(i < I => {
                keys[i] = W::narrow(staged.keys.read((own + i as u32 * WARP_SIZE) as usize));
            });
            shift = unknown(shift + digit_bits);
        }
        if !is_long::<W>() || first == 0 {
            return keys;
        }
        let mut is_before = false;
        unrolled!(i < I => {
            let before = (own + i as u32 * WARP_SIZE).saturating_sub(1) as usize;
            is_before |= keys[i] < W::narrow(staged.keys.read(before));
        });
        if !sync_threads_or(is_before) {
            return keys;
        }
        first = 0;
    }
}

/// Sorts the places of the keys instead of the keys, which stay where they are in `staged`. Returns to each thread the sorted
/// places at the places of its own keys.
///
/// Called by: as [`sort`]. Valid in: every thread, `staged.keys` too. Scratch: `staged`, and the ranks'.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn sort_places<W: Key, const I: usize>(keys: [W; I], bits: u32, staged: Staged<W>) -> [u32; I] {
    let own = own_first(I);
    let mut places = [0; I];
    unrolled!(i < I => {
        places[i] = own + i as u32 * WARP_SIZE;
        staged.keys.write(places[i] as usize, keys[i].widen());
    });
    sync_threads();
    let key_at = |place: u32| W::narrow(staged.keys.read(place as usize));
    let mut first = first_bit::<W>(bits);
    loop {
        let (digit_bits, mut shift) = (digit_bits(bits - first), first);
        while shift < bits {
            let mut digits = [0; I];
            unrolled!(i < I => { digits[i] = key_at(places[i]).digit(shift, digit_bits) });
            let ranks = rank::<I>(digits, digit_bits);
            unrolled!(i < I => { staged.beside.write(ranks[i] as usize, places[i]) });
            sync_threads();
            unrolled!(i < I => { places[i] = staged.beside.read((own + i as u32 * WARP_SIZE) as usize) });
            shift = unknown(shift + digit_bits);
        }
        if !is_long::<W>() || first == 0 {
            return places;
        }
        let mut is_before = false;
        unrolled!(i < I => {
            let before = (own + i as u32 * WARP_SIZE).saturating_sub(1) as usize;
            is_before |= key_at(places[i]) < key_at(staged.beside.read(before));
        });
        if !sync_threads_or(is_before) {
            return places;
        }
        first = 0;
    }
}

/// Returns whether keys have more bits than those by which they are sorted at first.
const fn is_long<W: Key>() -> bool {
    W::BITS > MOST_BITS
}

/// Returns the lowest bit of those by which keys are sorted at first.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn first_bit<W: Key>(bits: u32) -> u32 {
    if is_long::<W>() { bits.saturating_sub(MOST_BITS) } else { 0 }
}

/// Returns the bits of a digit: as few digits as possible, with the bits shared evenly among them.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn digit_bits(bits: u32) -> u32 {
    bits.div_ceil(bits.div_ceil(MOST_DIGIT_BITS).max(1))
}

/// Returns the rank in the tile of each of this thread's digits.
///
/// Called by: every thread of the block, after all have finished with the last ranks. Valid in: every thread. Scratch: the
/// ranks'.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn rank<const I: usize>(digits: [u32; I], bits: u32) -> [u32; I] {
    let ranks = Ranks::new(bits, thread_idx_x());
    let mut numbers = ranks.number::<I>(digits);
    sync_threads();
    ranks.settle();
    sync_threads();
    // The addresses of the counters are computed again instead of kept.
    let ranks = Ranks::new(bits, unknown(thread_idx_x()));
    unrolled!(i < I => { numbers[i] += ranks.first_of_warp(digits[i]) });
    numbers
}
