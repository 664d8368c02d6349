//! Operations of the 32 threads of a warp.
//!
//! Every function with a `mask` is a collective: every lane in `mask` calls it, at the same call and with the same
//! mask, and the caller is among them. On the device anything else is undefined behaviour, so these functions are
//! `unsafe`; the emulator reports it.

use bytemuck::Pod;

use crate::imp::{self, Shuffle};

/// Threads per warp.
pub const WARP_SIZE: u32 = 32;

/// The mask of all 32 lanes.
pub const ALL: u32 = u32::MAX;

/// Returns this thread's index in its warp, 0 to 31.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
pub fn lane_id() -> u32 {
    imp::lane_id()
}

/// Returns the mask of lanes that currently run together. It does not tell which lanes will take part in a collective.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
pub fn activemask() -> u32 {
    imp::activemask()
}

/// Waits for the lanes in `mask` and orders their memory accesses (`__syncwarp`).
///
/// # Safety
/// A collective: see the [module](self).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub unsafe fn sync_warp(mask: u32) {
    imp::sync_warp(mask);
}

/// Returns whether `predicate` holds in every lane of `mask` (`__all_sync`).
///
/// # Safety
/// A collective: see the [module](self).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
#[track_caller]
pub unsafe fn warp_vote_all(mask: u32, predicate: bool) -> bool {
    imp::vote_ballot(mask, predicate) == mask
}

/// Returns whether `predicate` holds in any lane of `mask` (`__any_sync`).
///
/// # Safety
/// A collective: see the [module](self).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
#[track_caller]
pub unsafe fn warp_vote_any(mask: u32, predicate: bool) -> bool {
    imp::vote_ballot(mask, predicate) != 0
}

/// Returns the mask of the lanes of `mask` in which `predicate` holds (`__ballot_sync`).
///
/// # Safety
/// A collective: see the [module](self).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
#[track_caller]
pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
    imp::vote_ballot(mask, predicate)
}

/// Returns the mask of the lanes of `mask` whose `word` equals the caller's in the lowest `bits` bits, up to 32. Takes
/// one ballot per bit.
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
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
#[track_caller]
pub unsafe fn warp_match_bits(mask: u32, word: u32, bits: u32) -> u32 {
    let vote = |bit: u32| imp::vote_same(mask, word & 1 << bit);
    let (mut same, mut bit) = (mask, 0);
    while bit + 1 < bits {
        same = imp::and_3(same, vote(bit), vote(bit + 1));
        bit += 2;
    }
    if bit < bits { same & vote(bit) } else { same }
}

/// A value that shuffles can carry: plain data of 1 to 64 bytes. A larger one is a compile error.
pub trait WarpShuffleValue: Pod {}
impl<T: Pod> WarpShuffleValue for T {}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident, $lane:ident, $mode:ident, $clamp:expr);* $(;)?) => { $(
        $(#[$doc])*
        ///
        /// `width` is 1, 2, 4, 8, 16 or 32: lanes shuffle within aligned segments of that many lanes. The second value
        /// tells whether the source lane is in the segment; if not, the first is the caller's own value.
        ///
        /// # Safety
        /// A collective: see the [module](self).
        #[cfg_attr(target_arch = "nvptx64", inline(always))]
        #[must_use]
        #[track_caller]
        pub unsafe fn $name<T: WarpShuffleValue>(mask: u32, value: T, $lane: u32, width: u32) -> (T, bool) {
            shuffle_words(Shuffle::$mode, mask, value, $lane, ((WARP_SIZE - width) << 8) | $clamp)
        }
    )* };
}
shuffles!(
    /// Returns the value of the lane `delta` above (`__shfl_down_sync`).
    warp_shuffle_down, delta, Down, 31;
    /// Returns the value of the lane `delta` below (`__shfl_up_sync`).
    warp_shuffle_up, delta, Up, 0;
    /// Returns the value of lane `index` of the segment (`__shfl_sync`).
    warp_shuffle_idx, index, Idx, 31;
    /// Returns the value of the lane whose number differs in the bits of `lane_mask` (`__shfl_xor_sync`).
    warp_shuffle_xor, lane_mask, Xor, 31;
);

/// Most words of 4 bytes that shuffles carry.
const MOST_WORDS: usize = 16;

/// Shuffles a value in words of 4 bytes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
fn shuffle_words<T: Pod>(mode: Shuffle, mask: u32, value: T, lane: u32, clamp: u32) -> (T, bool) {
    const { assert!(size_of::<T>() >= 1 && size_of::<T>() <= 4 * MOST_WORDS, "shuffles carry 1 to 64 bytes") }
    let bytes = size_of::<T>();
    let mut valid = true;
    if align_of::<T>().is_multiple_of(8) {
        // In registers of 64 bits, which a move splits and joins.
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
