//! Parts of a few elements: a lane has all elements of a part, and compares each two of them.

use cuda_std::global::GlobalSlice;
use cuda_std::shared::SharedSlice;
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::pair::Paired;
use super::shapes::MOST_OF_LANE;
use crate::select::keys::Ranking;
use crate::warp;

/// Elements of a lane.
const N: usize = MOST_OF_LANE as usize;

/// Shared memory of a warp.
#[derive(Clone, Copy)]
pub(super) struct Staged<W: Paired> {
    /// Ranks, then results: a word is left out for each 33rd, so that lanes read their own from different banks.
    pub(super) words: SharedSlice<W::Shared>,
    /// Indices of results.
    pub(super) indices: SharedSlice<u32>,
}

/// Returns the word of shared memory for the element at a place.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn padded(place: u32) -> usize {
    (place + place / 32) as usize
}

/// Finds the first `k` elements of each part of `words`, at most one for each lane, of `part_len` elements; the last part may have fewer.
/// Calls `write` with the place among the results, the element and its index.
///
/// Called by: every lane of the warp. Scratch: `staged`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn first<W: Paired>(
    words: GlobalSlice<W>,
    ranking: Ranking<W>,
    (part_len, k): (u32, u32),
    staged: Staged<W>,
    write: impl Fn(u32, W, u32),
) {
    let (lane, len) = (lane_id(), words.len() as u32);
    let mut loaded = [W::zeroed(); N];
    unrolled!(i < N => {
        let place = lane + i as u32 * WARP_SIZE;
        if place < len {
            loaded[i] = words.read(u64::from(place));
        }
    });
    unrolled!(i < N => {
        staged.words.write(padded(lane + i as u32 * WARP_SIZE), ranking.rank(loaded[i]).widen());
    });
    warp::sync();
    let own = lane * part_len;
    let own_len = len.saturating_sub(own).min(part_len);
    let mut ranks = [!W::zeroed(); N];
    unrolled!(i < N => {
        if (i as u32) < own_len {
            ranks[i] = W::narrow(staged.words.read(padded(own + i as u32)));
        }
    });
    // For each element how many come before it.
    let mut places = [0; N];
    unrolled!(i < N => {
        unrolled!(j < N => {
            if j > i {
                let is_before = u32::from(ranks[j] < ranks[i]);
                places[i] += is_before;
                places[j] += 1 - is_before;
            }
        });
    });
    warp::sync();
    unrolled!(i < N => {
        if (i as u32) < own_len && places[i] < k {
            let place = (lane * k + places[i]) as usize;
            staged.words.write(place, ranking.word(ranks[i]).widen());
            staged.indices.write(place, i as u32);
        }
    });
    warp::sync();
    let results = len.div_ceil(part_len) * k;
    let mut place = lane;
    while place < results {
        write(place, W::narrow(staged.words.read(place as usize)), staged.indices.read(place as usize));
        place += WARP_SIZE;
    }
}
