//! Elements, then outputs, that a warp keeps in its own shared memory while it scans a row, in whole words.

use cuda_std::shared::SharedArray;
use cuda_std::thread::thread_idx_x;
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::shapes::{LANE_WORDS, LANES_THREADS, words_of};

/// Words of a warp's row.
pub(super) const WARP_WORDS: usize = LANE_WORDS * WARP_SIZE as usize;

/// Places of a warp: one is left free after each 32, and some follow the last run that may begin.
const WARP_PLACES: usize = WARP_WORDS + 32;

/// Places of a block.
const PLACES: usize = WARP_PLACES * (LANES_THREADS / WARP_SIZE) as usize;

cuda_std::shared_bytes! {
    /// A row of each of a block's warps.
    fn warpfold_scan_lanes: 17408
}

const _: () = assert!(4 * PLACES == 17408);

/// Returns whether `count` values of each lane go through shared memory. Only longer ones than there is room for do not.
pub(super) const fn are_exchanged<V>(count: usize) -> bool {
    count * words_of::<V>() <= LANE_WORDS
}

/// Returns the place of the warp's word `first + beyond`. Places are padded so that lanes use different banks, both for the
/// same word of neighbouring runs and for neighbouring words. `beyond` is less than [`LANE_WORDS`].
///
/// Not `inline(always)`: without optimisation, each of the many calls would take room on a thread's stack.
#[inline]
fn place(first: usize, beyond: usize) -> usize {
    let number = first % WARP_WORDS + beyond;
    first_place() + number + number / WARP_SIZE as usize
}

/// Returns the place of word `32 (4 four + i) + lane`, at constant distances from the lane's first one.
#[inline]
pub(super) fn place_in_column(four: usize, i: usize, lane: usize) -> usize {
    let column = four % (LANE_WORDS / 4) * 4 + i % 4;
    first_place() + lane % WARP_SIZE as usize + column * (WARP_SIZE as usize + 1)
}

/// Returns the warp's first place.
#[inline]
fn first_place() -> usize {
    (thread_idx_x() % LANES_THREADS / WARP_SIZE) as usize * WARP_PLACES
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn words() -> SharedArray<u32, PLACES> {
    warpfold_scan_lanes().array()
}

/// Stores value `first + beyond`, of a run that begins with `first`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn keep<V: Copy>(first: usize, beyond: usize, value: V) {
    unrolled!(word < LANE_WORDS => {
        if word < words_of::<V>() {
            let place = place(first * words_of::<V>(), (beyond * words_of::<V>() + word) % LANE_WORDS);
            words().write(place, word_of(&value, word));
        }
    });
}

/// Returns a value that was stored, or whose words were.
///
/// # Safety
/// The words stored for value `number` are the words of a `V`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn kept<V: Copy>(number: usize) -> V {
    let mut found = [0; LANE_WORDS];
    unrolled!(word < LANE_WORDS => {
        if word < words_of::<V>() {
            found[word] = words().read(place(number * words_of::<V>(), word));
        }
    });
    // SAFETY: a value that is exchanged has at most `LANE_WORDS` words, and they are the words of a `V`, by this
    // function's contract.
    unsafe { core::mem::transmute_copy::<[u32; LANE_WORDS], V>(&found) }
}

/// Returns word `word` of a value, whose last word may be cut short.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn word_of<V: Copy>(value: &V, word: usize) -> u32 {
    let mut bytes = [0_u8; 4];
    let start = core::ptr::from_ref(value).cast::<u8>();
    let mut i = 0;
    while i < 4 {
        if 4 * word + i < size_of::<V>() {
            // SAFETY: within the value, by the line above. Elements and outputs have no padding.
            bytes[i] = unsafe { start.add(4 * word + i).read() };
        }
        i += 1;
    }
    u32::from_ne_bytes(bytes)
}
