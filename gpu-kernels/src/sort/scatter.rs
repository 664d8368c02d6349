//! Moves the keys of a tile to their buckets, stably.
//!
//! The tile's keys are ranked by bucket and stored in shared memory by rank. Neighbours there are written to neighbouring
//! places, as in a [radix sort](crate::radix), but to places that are known beforehand.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{sync_threads, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::block::Staged;
use super::coding::{Key, Keys};
use super::indices::{Indices, IndicesOut};
use super::ranks::Ranks;
use super::segment::{Segments, own_first};
use super::shapes::{BUCKETS, MOST_DIGIT_BITS, SORT_THREADS};
use crate::radix::column::warp_column;

/// Keys that a thread writes at once.
const AT_ONCE: usize = 4;

/// Bits of a bucket's number in a word that also holds a place in a tile.
const ID_BITS: u32 = MOST_DIGIT_BITS;

cuda_std::shared_bytes! {
    /// For each bucket the distance from a key's rank to its place.
    fn moves_sort_shifts: 2048
}

const _: () = assert!(BUCKETS == 1 << ID_BITS && BUCKETS as usize * 8 == 2048);

/// The place of keys that nobody reads.
const NOWHERE: u64 = u64::MAX;

/// The output of a level.
#[derive(Clone, Copy)]
pub(super) struct Out<W> {
    /// The keys.
    pub(super) keys: GlobalCells<W>,
    /// The indices.
    pub(super) indices: IndicesOut,
    /// Results of each part: keys in buckets behind these are not moved.
    pub(super) wanted: u64,
}

/// Moves the keys of the block's tile to their buckets. `ids` has the number of each key's bucket, and `before` the sum of all
/// counts before each count.
///
/// Called by: every thread of every block, of [`SORT_THREADS`], one block per tile. Valid in: `out`, when the launch has ended.
/// Scratch: `staged`, the shifts, and the ranks'.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn scatter<W: Key, const I: usize>(
    keys: Keys<W>,
    indices: Indices,
    segments: Segments,
    ids: GlobalSlice<u8>,
    before: GlobalSlice<u64>,
    out: Out<W>,
    staged: Staged<W>,
) {
    let (thread, own) = (thread_idx_x(), own_first(I));
    let (tile, _) = segments.tile(I);
    let window = (tile.first, u64::from(tile.len));
    // Keys beyond the end count for the last bucket. They are the tile's last by rank, and are not written.
    let buckets =
        warp_column::<u8, I>(ids.window(window.0, window.1), u64::from(own), tile.is_whole, u8::MAX);
    let buckets = buckets.map(u32::from);
    let ranks = Ranks::new(ID_BITS, thread);
    let numbers = ranks.number::<I>(buckets);
    // In flight during the barrier. If few are moved, these alone are read.
    let are_all_moved = out.wanted == u64::MAX;
    let mut own_keys = [W::zeroed(); I];
    if are_all_moved {
        own_keys = keys.warp_column::<I>(window, u64::from(own), tile.is_whole);
    }
    sync_threads();
    let shifts = moves_sort_shifts().array::<u64, { BUCKETS as usize }>();
    if let Some(first_rank) = ranks.settle() {
        let in_segment = before.read(tile.count_of(thread)) - before.read(tile.counts);
        let first_of_bucket = before.read(tile.first_count_of(thread)) - before.read(tile.counts);
        let is_wanted = tile.start + first_of_bucket - tile.part.start < out.wanted;
        let shift = (tile.start + in_segment).wrapping_sub(u64::from(first_rank));
        shifts.write(thread as usize, if is_wanted { shift } else { NOWHERE });
    }
    sync_threads();
    // The addresses of the counters are computed again instead of kept.
    let ranks = Ranks::new(ID_BITS, unknown(thread));
    unrolled!(i < I => {
        let rank = (ranks.first_of_warp(buckets[i]) + numbers[i]) as usize;
        staged.keys.write(rank, own_keys[i].widen());
        staged.beside.write(rank, (own + i as u32 * WARP_SIZE) << ID_BITS | buckets[i]);
    });
    sync_threads();

    let last = I as u32 * SORT_THREADS - 1;
    let mut first = thread;
    while first < tile.len {
        let (mut besides, mut places, mut moved) = ([0; AT_ONCE], [0; AT_ONCE], [W::zeroed(); AT_ONCE]);
        // First reads side by side, then writes.
        unrolled!(i < AT_ONCE => {
            let rank = (first + i as u32 * SORT_THREADS).min(last) as usize;
            besides[i] = staged.beside.read(rank);
            moved[i] = W::narrow(staged.keys.read(rank));
        });
        unrolled!(i < AT_ONCE => {
            let rank = u64::from(first + i as u32 * SORT_THREADS);
            let shift = shifts.read(besides[i] as usize % BUCKETS as usize);
            places[i] = if shift == NOWHERE { NOWHERE } else { shift.wrapping_add(rank) };
        });
        unrolled!(i < AT_ONCE => {
            if first + (i as u32 * SORT_THREADS) < tile.len && places[i] != NOWHERE {
                let from = tile.first + u64::from(besides[i] >> ID_BITS);
                out.keys.write(places[i], if are_all_moved { moved[i] } else { keys.read(from) });
                if out.indices.is_some() {
                    out.indices.write(places[i], indices.read(from));
                }
            }
        });
        first = unknown(first + AT_ONCE as u32 * SORT_THREADS);
    }
    let_next_launch_start();
}
