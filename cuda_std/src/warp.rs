//! What the 32 threads of a warp do together.
//!
//! Every function with a `mask` is a collective: called by every lane named in `mask`, the same call, with
//! the same mask, the caller among them. On the device anything else is undefined behaviour, which is why
//! they are `unsafe`; the emulator reports it.

use bytemuck::Pod;

use crate::imp::{self, Shuffle};

/// Threads per warp.
pub const WARP_SIZE: u32 = 32;

/// The mask of all lanes.
pub const ALL: u32 = u32::MAX;

/// This thread's index in its warp, 0 to 31.
#[inline(always)]
#[must_use]
pub fn lane_id() -> u32 {
    imp::lane_id()
}

/// The lanes that happen to run together here. Not a way to find out who will take part in a collective.
#[inline(always)]
#[must_use]
pub fn activemask() -> u32 {
    imp::activemask()
}

/// Waits for the lanes in `mask` and orders their memory accesses (`__syncwarp`).
///
/// # Safety
/// A collective: see the [module](self).
#[inline(always)]
#[track_caller]
pub unsafe fn sync_warp(mask: u32) {
    imp::sync_warp(mask);
}

/// Whether `predicate` holds for every lane in `mask` (`__all_sync`).
///
/// # Safety
/// A collective: see the [module](self).
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn warp_vote_all(mask: u32, predicate: bool) -> bool {
    imp::vote_ballot(mask, predicate) == mask
}

/// Whether `predicate` holds for any lane in `mask` (`__any_sync`).
///
/// # Safety
/// A collective: see the [module](self).
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn warp_vote_any(mask: u32, predicate: bool) -> bool {
    imp::vote_ballot(mask, predicate) != 0
}

/// The lanes in `mask` for which `predicate` holds, as bits (`__ballot_sync`).
///
/// # Safety
/// A collective: see the [module](self).
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
    imp::vote_ballot(mask, predicate)
}

/// The lanes in `mask` whose `word` has the same lowest `bits` bits, up to 32, as the caller's: a ballot for each of them.
///
/// ```
/// use cuda_std::{emulator::Launch, warp::{ALL, lane_id, warp_match_bits}};
///
/// Launch::new(1, 32).run(|| {
///     // SAFETY: all lanes of the warp are here.
///     let same = unsafe { warp_match_bits(ALL, lane_id() % 8, 3) };
///     assert_eq!(same, 0x0101_0101 << (lane_id() % 8));
/// })?;
/// # Ok::<(), cuda_std::emulator::Misuse>(())
/// ```
///
/// # Safety
/// A collective: see the [module](self).
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn warp_match_bits(mask: u32, word: u32, bits: u32) -> u32 {
    let (mut same, mut bit) = (mask, 0);
    while bit < bits {
        same &= imp::vote_same(mask, word & 1 << bit);
        bit += 1;
    }
    same
}

/// A value that shuffles can carry: plain data of 1 to 64 bytes. A larger one is refused by the compiler.
pub trait WarpShuffleValue: Pod {}
impl<T: Pod> WarpShuffleValue for T {}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident, $lane:ident, $mode:ident, $clamp:expr);* $(;)?) => { $(
        $(#[$doc])*
        ///
        /// `width` is 1, 2, 4, 8, 16 or 32: lanes shuffle within aligned segments of that many. The second
        /// value tells whether the lane read from is in the segment; if not, the first is the caller's own.
        ///
        /// # Safety
        /// A collective: see the [module](self).
        #[inline(always)]
        #[must_use]
        #[track_caller]
        pub unsafe fn $name<T: WarpShuffleValue>(mask: u32, value: T, $lane: u32, width: u32) -> (T, bool) {
            shuffle_words(Shuffle::$mode, mask, value, $lane, ((WARP_SIZE - width) << 8) | $clamp)
        }
    )* };
}
shuffles!(
    /// The value of the lane `delta` above (`__shfl_down_sync`).
    warp_shuffle_down, delta, Down, 31;
    /// The value of the lane `delta` below (`__shfl_up_sync`).
    warp_shuffle_up, delta, Up, 0;
    /// The value of lane `index` of the segment (`__shfl_sync`).
    warp_shuffle_idx, index, Idx, 31;
    /// The value of the lane whose number differs in the bits of `lane_mask` (`__shfl_xor_sync`).
    warp_shuffle_xor, lane_mask, Xor, 31;
);

/// Words of 4 bytes of the largest value that shuffles carry.
const MOST_WORDS: usize = 16;

/// Shuffles a value word by word: each shuffle moves 4 bytes.
#[inline(always)]
#[track_caller]
fn shuffle_words<T: Pod>(mode: Shuffle, mask: u32, value: T, lane: u32, clamp: u32) -> (T, bool) {
    const { assert!(size_of::<T>() >= 1 && size_of::<T>() <= 4 * MOST_WORDS, "shuffles carry 1 to 64 bytes") }
    let bytes = size_of::<T>();
    let mut valid = true;
    if align_of::<T>().is_multiple_of(8) {
        // In registers of 64 bits, taken apart and put together by a move.
        let mut words = [0u64; MOST_WORDS / 2];
        bytemuck::bytes_of_mut(&mut words)[..bytes].copy_from_slice(bytemuck::bytes_of(&value));
        let mut word = 0;
        while word * 8 < bytes {
            let [low, high] = imp::halves(words[word]);
            let (low, _) = imp::shuffle(mode, mask, low, lane, clamp);
            let high = imp::shuffle(mode, mask, high, lane, clamp);
            (words[word], valid) = (imp::whole([low, high.0]), high.1);
            word += 1;
        }
        return (bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&words)[..bytes]), valid);
    }
    let mut words = [0u32; MOST_WORDS];
    bytemuck::bytes_of_mut(&mut words)[..bytes].copy_from_slice(bytemuck::bytes_of(&value));
    let mut word = 0;
    while word * 4 < bytes {
        (words[word], valid) = imp::shuffle(mode, mask, words[word], lane, clamp);
        word += 1;
    }
    (bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&words)[..bytes]), valid)
}
