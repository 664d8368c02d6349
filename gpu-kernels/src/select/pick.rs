//! The `k`-th of some pairs of a rank and an index, and the first `k` sorted, by one block.
//!
//! **By digits**, the highest first: the pairs that share the digits found so far are counted by the next one, and the `k`-th
//! is in the first value at which the counts sum up to what is left of `k`. This takes as many passes over the pairs as there
//! are digits, for any input. Indices are read if several pairs have the `k`-th's rank. No two pairs are equal, so there is one
//! `k`-th, and one order of the first `k`, whatever the order in which the pairs are stored.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::shared::{SharedArray, SharedSlice};
use cuda_std::thread::{sync_threads, thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::sample::{NONE, Pair, first_of_warp};
use super::shapes::{DIGIT_BITS, DIGITS, MOST_SORTED, PICK_THREADS};
use crate::warp;

/// Warps of the block.
const WARPS: usize = (PICK_THREADS / WARP_SIZE) as usize;

/// Pairs that a thread has in flight.
const AT_ONCE: usize = 8;

/// Digits of a thread.
const OWN: usize = DIGITS / PICK_THREADS as usize;

cuda_std::shared_bytes! {
    /// The number of pairs with each digit.
    fn moves_pick_counts: 8192
}

cuda_std::shared_bytes! {
    /// The counts of warps; then the digit that is found, and the numbers of pairs before it and in it.
    fn moves_pick_warps: 144
}

cuda_std::shared_bytes! {
    /// The first pairs' ranks.
    fn moves_pick_ranks: 16384
}

cuda_std::shared_bytes! {
    /// The first pairs' indices.
    fn moves_pick_indices: 16384
}

const _: () = assert!(DIGITS * 4 == 8192 && (WARPS + 4) * 4 == 144 && MOST_SORTED * 8 == 16384);

/// Pairs in memory.
#[derive(Clone, Copy)]
pub(super) struct Pairs {
    pub(super) ranks: GlobalSlice<u64>,
    pub(super) indices: GlobalSlice<u64>,
}

/// The bound of the wanted pairs, which do not come after it.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub(super) rank: u64,
    pub(super) limit: u64,
}

impl Last {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn has(self, rank: u64, index: u64) -> bool {
        (rank, index) <= (self.rank, self.limit)
    }
}

/// Returns the first pair, in one pass.
///
/// Called by: every thread of the one block, of [`PICK_THREADS`]. Valid in: every thread. Scratch: a place for each warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn first(pairs: Pairs) -> Pair {
    let mut first = NONE;
    each(pairs.ranks, |place, rank| {
        if rank <= first.0 {
            first = first.min((rank, pairs.indices.read(place)));
        }
    });
    let first = first_of_warp(first);
    let (ranks, indices) = (ranks(), indices());
    let warp = thread_idx_x() / WARP_SIZE;
    if lane_id() == 0 {
        ranks.write(warp as usize % WARPS, first.0);
        indices.write(warp as usize % WARPS, first.1);
    }
    sync_threads();
    first_of_warp((ranks.read(lane_id() as usize), indices.read(lane_id() as usize)))
}

/// Returns the `k`-th pair: `k` pairs do not come after it. Ranks have `bits` bits and indices `index_bits`, 1 to 64. If all
/// pairs of its rank are among the first `k`, the limit is the greatest integer.
///
/// Called by: every thread of the one block, of [`PICK_THREADS`], with `k` from 1 to the number of pairs, which is less than
/// 2^32. Valid in: every thread. Scratch: counters.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn last(pairs: Pairs, k: u32, bits: u32, index_bits: u32) -> Last {
    let Nth { key: rank, wanted, count } = nth(pairs.ranks, k, bits, |_, rank| Some(rank));
    if wanted == count {
        return Last { rank, limit: u64::MAX };
    }
    let index = |place, other| (other == rank).then(|| pairs.indices.read(place));
    Last { rank, limit: nth(pairs.ranks, wanted, index_bits, index).key }
}

/// Writes the first `k` pairs in their order, each rank before its index, from place `first` on. `last` is the `k`-th as
/// [`last`] returns it or, for one pair, as [`first`] does.
///
/// Called by: every thread of the one block, of [`PICK_THREADS`], with `k` at most [`MOST_SORTED`]. Valid in: `out`, when the
/// launch has ended. Scratch: a place for each pair.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn sorted(pairs: Pairs, k: u32, last: Last, out: GlobalCells<u64>, first: u64) {
    let thread = thread_idx_x();
    if k == 1 {
        // `first` returned the pair itself.
        if thread == 0 {
            out.write(first, last.rank);
            out.write(first + 1, last.limit);
        }
        return;
    }
    let (ranks, indices) = (ranks(), indices());
    let size = k.next_power_of_two();
    // Padding that orders after all pairs.
    let mut place = thread;
    while place < size {
        ranks.write(place as usize, u64::MAX);
        indices.write(place as usize, u64::MAX);
        place += PICK_THREADS;
    }
    let has = |place, rank| rank <= last.rank && last.has(rank, pairs.indices.read(place));
    let mut own = 0;
    each(pairs.ranks, |place, rank| own += u32::from(has(place, rank)));
    let mut to = before(own);
    each(pairs.ranks, |place, rank| {
        if has(place, rank) && to < k {
            ranks.write(to as usize % MOST_SORTED, rank);
            indices.write(to as usize % MOST_SORTED, pairs.indices.read(place));
            to += 1;
        }
    });
    sync_threads();
    sort(ranks.slice(), indices.slice(), size);
    let mut place = thread;
    while place < k {
        let to = first + 2 * u64::from(place);
        out.write(to, ranks.read(place as usize));
        out.write(to + 1, indices.read(place as usize));
        place += PICK_THREADS;
    }
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn ranks() -> SharedArray<u64, MOST_SORTED> {
    moves_pick_ranks().array()
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn indices() -> SharedArray<u64, MOST_SORTED> {
    moves_pick_indices().array()
}

/// The `k`-th key.
struct Nth {
    key: u64,
    /// The number of equal keys among the first `k`.
    wanted: u32,
    /// The number of equal keys.
    count: u32,
}

/// Returns the `k`-th of the keys, of `bits` bits, that `key_of` returns for a place and its rank.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn nth(ranks: GlobalSlice<u64>, k: u32, bits: u32, key_of: impl Fn(u64, u64) -> Option<u64>) -> Nth {
    let counts = moves_pick_counts().array::<u32, DIGITS>().slice();
    let found: SharedArray<u32, { WARPS + 4 }> = moves_pick_warps().array();
    let own = thread_idx_x() as usize * OWN;
    let (mut nth, mut shift) = (Nth { key: 0, wanted: k, count: 0 }, bits);
    while shift > 0 {
        let step = shift.min(DIGIT_BITS);
        let below = shift - step;
        unrolled!(i < OWN => { counts.write(own + i, 0) });
        sync_threads();
        each(ranks, |place, rank| {
            if let Some(key) = key_of(place, rank)
                && key.checked_shr(shift).unwrap_or(0) == nth.key
            {
                counts.add((key >> below) as usize % (1 << step) % DIGITS, 1);
            }
        });
        sync_threads();
        let mut of_own = [0; OWN];
        let mut all = 0;
        unrolled!(i < OWN => {
            of_own[i] = counts.read(own + i);
            all += of_own[i];
        });
        let mut up_to = before(all);
        unrolled!(i < OWN => {
            if up_to < nth.wanted && nth.wanted - up_to <= of_own[i] {
                found.write(WARPS, (own + i) as u32);
                found.write(WARPS + 1, up_to);
                found.write(WARPS + 2, of_own[i]);
            }
            up_to += of_own[i];
        });
        sync_threads();
        nth = Nth {
            key: nth.key << step | u64::from(found.read(WARPS)),
            wanted: nth.wanted - found.read(WARPS + 1),
            count: found.read(WARPS + 2),
        };
        shift = unknown(below);
    }
    nth
}

/// Calls `call` with each of this thread's places and its rank.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn each(ranks: GlobalSlice<u64>, mut call: impl FnMut(u64, u64)) {
    let step = u64::from(PICK_THREADS);
    let mut place = u64::from(thread_idx_x());
    while place + (AT_ONCE as u64 - 1) * step < ranks.len() {
        let column = ranks.read_column::<AT_ONCE>(place, PICK_THREADS);
        unrolled!(i < AT_ONCE => { call(place + i as u64 * step, column[i]) });
        place += AT_ONCE as u64 * step;
    }
    while place < ranks.len() {
        call(place, ranks.read(place));
        place += step;
    }
}

/// Returns the sum of `own` in the threads before this one.
///
/// Called by: every thread of the block. Valid in: every thread. Scratch: a place for each warp.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn before(own: u32) -> u32 {
    let sums: SharedArray<u32, { WARPS + 4 }> = moves_pick_warps().array();
    let up_to_here = warp::sum_up_to_here(own);
    let warp = thread_idx_x() / WARP_SIZE;
    if lane_id() == WARP_SIZE - 1 {
        sums.write(warp as usize % WARPS, up_to_here);
    }
    sync_threads();
    const { assert!(WARPS == WARP_SIZE as usize) }
    let of_warp = sums.read(lane_id() as usize);
    let before_warp = warp::of_lane(warp::sum_up_to_here(of_warp) - of_warp, warp);
    sync_threads();
    before_warp + (up_to_here - own)
}

/// Sorts the first `size` pairs, a power of two, by a bitonic network in which each thread compares two (K. E. Batcher,
/// *Sorting networks and their applications*, 1968).
///
/// Called by: every thread of the block, after a barrier. Valid in: every thread.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn sort(ranks: SharedSlice<u64>, indices: SharedSlice<u64>, size: u32) {
    let thread = thread_idx_x();
    let mut stage = 2;
    while stage <= size {
        let mut distance = stage / 2;
        while distance > 0 {
            if thread < size / 2 {
                let low = thread & (distance - 1);
                let a = (2 * (thread - low) + low) as usize;
                let b = a + distance as usize;
                let (first, second) = ((ranks.read(a), indices.read(a)), (ranks.read(b), indices.read(b)));
                if (first > second) == (a as u32 & stage == 0) {
                    ranks.write(a, second.0);
                    indices.write(a, second.1);
                    ranks.write(b, first.0);
                    indices.write(b, first.1);
                }
            }
            sync_threads();
            distance = unknown(distance / 2);
        }
        stage = unknown(stage * 2);
    }
}
