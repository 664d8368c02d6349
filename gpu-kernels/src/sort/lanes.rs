//! Parts of a few keys: each lane of a warp sorts a part in registers, by Batcher's odd-even merges (*Sorting networks and their
//! applications*, AFIPS 1968). Neighbouring parts lie side by side, so the warp copies them to shared memory and back as one piece.
//!
//! A network is not stable. Keys that are wanted alone need not be; otherwise a key's place decides between equals.

use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{block_dim_x, block_idx_x, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::coding::{Key, Keys};
use super::leaf::Result;
use super::parts::Parts;
use crate::warp;

/// Shared memory of a warp, as words for keys and as words for places.
#[derive(Clone, Copy)]
pub(super) struct Staged<W: Key> {
    pub(super) keys: SharedSlice<W::Shared>,
    pub(super) places: SharedSlice<u32>,
}

/// Returns the word of shared memory for a place: one in 33 is left out, so that lanes read their own from different banks.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn padded(place: u32) -> usize {
    (place + place / 32) as usize
}

/// The parts of a warp, side by side.
#[derive(Clone, Copy)]
struct Own {
    /// Where the first one begins.
    start: u64,
    /// Number of keys of all.
    all: u32,
    /// Where the lane's part begins, from `start` on.
    before: u32,
    /// Number of its keys.
    len: u32,
}

/// Sorts `count` parts of at most `N` keys each.
///
/// Called by: every thread of every block; blocks are whole warps, and there is a lane for each part. Valid in: `result`, when the
/// launch has ended. Scratch: `staged`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn sort<W: Key, const N: usize>(
    keys: Keys<W>,
    (parts, count): (Parts, u64),
    result: Result<W>,
    staged: Staged<W>,
) {
    let lane = lane_id();
    let number = u64::from(block_idx_x()) * u64::from(block_dim_x()) + u64::from(thread_idx_x());
    let first = number - u64::from(lane);
    if first < count {
        let (from, len) = if number < count { parts.at(number, keys.elements.len()) } else { (0, 0) };
        let last = (count - first - 1).min(u64::from(WARP_SIZE - 1)) as u32;
        let start = warp::of_lane(from, 0);
        let all = (warp::of_lane(from + len, last) - start) as u32;
        let own = Own { start, all, before: from.wrapping_sub(start) as u32, len: len as u32 };
        if result.indices.is_some() {
            in_registers::<W, N, true>(keys, own, result, staged);
        } else {
            in_registers::<W, N, false>(keys, own, result, staged);
        }
    }
    let_next_launch_start();
}

/// Calls `visit` with the places of a warp's keys that this lane copies, neighbours by neighbouring lanes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn each<const N: usize>(all: u32, mut visit: impl FnMut(usize, u32)) {
    unrolled!(half < 2, up to 2 => {
        unrolled!(i < { N / 2 } => {
            let at = half * (N / 2) + i;
            let place = lane_id() + at as u32 * WARP_SIZE;
            if place < all {
                visit(at, place);
            }
        });
    });
}

/// Calls `visit` with the numbers of the keys that this lane sorts.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn own_keys<const N: usize>(len: u32, mut visit: impl FnMut(usize)) {
    unrolled!(half < 2, up to 2 => {
        unrolled!(i < { N / 2 } => {
            if ((half * (N / 2) + i) as u32) < len {
                visit(half * (N / 2) + i);
            }
        });
    });
}

/// Called by: every lane of the warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn in_registers<W: Key, const N: usize, const WITH_PLACES: bool>(
    keys: Keys<W>,
    own: Own,
    result: Result<W>,
    staged: Staged<W>,
) {
    let elements = keys.elements.window(own.start, u64::from(own.all));
    let mut loaded = [W::zeroed(); N];
    each::<N>(own.all, |at, place| loaded[at] = elements.read(u64::from(place)));
    each::<N>(own.all, |at, place| {
        staged.keys.write(padded(place), keys.coding.encode(loaded[at]).widen());
    });
    warp::sync();
    // The greatest keys, with the last places, stand behind the lane's own.
    let mut sorted = Network { keys: [!W::zeroed(); N], places: [u32::MAX; N] };
    own_keys::<N>(own.len, |i| {
        sorted.keys[i] = W::narrow(staged.keys.read(padded(own.before + i as u32)));
        sorted.places[i] = i as u32;
    });
    sorted.sort::<WITH_PLACES>();
    warp::sync();
    if let Some(out) = result.elements {
        own_keys::<N>(own.len, |i| {
            staged.keys.write(padded(own.before + i as u32), sorted.keys[i].widen());
        });
        warp::sync();
        each::<N>(own.all, |_, place| {
            let key = W::narrow(staged.keys.read(padded(place)));
            out.write(own.start + u64::from(place), result.coding.decode(key));
        });
    }
    if WITH_PLACES {
        warp::sync();
        let before = if result.wanted.are_within { 0 } else { own.before };
        own_keys::<N>(own.len, |i| {
            staged.places.write(padded(own.before + i as u32), before + sorted.places[i]);
        });
        warp::sync();
        let start = if result.wanted.are_within { 0 } else { own.start };
        each::<N>(own.all, |_, place| {
            let index = start + u64::from(staged.places.read(padded(place)));
            result.indices.write(own.start + u64::from(place), index);
        });
    }
}

/// The keys of a lane, and for each its place in the part.
struct Network<W, const N: usize> {
    keys: [W; N],
    places: [u32; N],
}

impl<W: Key, const N: usize> Network<W, N> {
    /// Sorts the keys: runs of `P` are merged, and in each merge keys `D` apart are compared.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sort<const WITH_PLACES: bool>(&mut self) {
        const { assert!(N.is_power_of_two() && N <= 32) }
        macro_rules! merges {
            ($($p:literal: $($d:literal)*;)*) => { $( $( self.step::<$p, $d, WITH_PLACES>(); )* )* };
        }
        merges! { 1: 1; 2: 2 1; 4: 4 2 1; 8: 8 4 2 1; 16: 16 8 4 2 1; }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn step<const P: usize, const D: usize, const WITH_PLACES: bool>(&mut self) {
        if P >= N {
            return;
        }
        unrolled!(half < 2, up to 2 => {
            unrolled!(i < { N / 2 } => {
                let left = half * (N / 2) + i;
                let right = left + D;
                let is_pair = right < N && left >= D % P && ((left - D % P) / D).is_multiple_of(2);
                if is_pair && left / (2 * P) == right / (2 * P) {
                    self.exchange::<WITH_PLACES>(left, right);
                }
            });
        });
    }

    /// Exchanges two keys if the second one is less.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn exchange<const WITH_PLACES: bool>(&mut self, left: usize, right: usize) {
        let keys = (self.keys[left], self.keys[right]);
        let places = (self.places[left], self.places[right]);
        let is_less = keys.1 < keys.0 || (WITH_PLACES && keys.1 == keys.0 && places.1 < places.0);
        (self.keys[left], self.keys[right]) = if is_less { (keys.1, keys.0) } else { keys };
        if WITH_PLACES {
            (self.places[left], self.places[right]) = if is_less { (places.1, places.0) } else { places };
        }
    }
}
