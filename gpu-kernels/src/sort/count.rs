//! The bucket of each key of a tile, and the number of keys in each bucket.
//!
//! The bounds are in shared memory as a search tree, level by level, in the layout of a heap. The bounds of a level are
//! neighbours, so lanes that read different ones use different banks, except in the last levels.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::coding::{Key, Keys};
use super::segment::{Segments, own_first};
use super::shapes::{BOUNDS, BUCKETS};

/// Levels of the tree.
const LEVELS: usize = BUCKETS.ilog2() as usize;

/// Counters per bucket, side by side, since lanes of one bucket wait for each other at one counter.
const SIDE: u32 = 8;

cuda_std::shared_bytes! {
    /// The counters.
    fn moves_sort_counters: 8192
}

const _: () = assert!(BUCKETS as usize * SIDE as usize * 4 == 8192);

/// Writes the bucket of each key of the block's tile, and the number of keys in each bucket.
///
/// Called by: every thread of every block, of [`SORT_THREADS`](super::shapes::SORT_THREADS), one block per tile. Valid in: `ids`
/// and `counts`, when the launch has ended. Scratch: `tree`, one place per bucket; the counters.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn count<W: Key, const I: usize>(
    keys: Keys<W>,
    segments: Segments,
    bounds: GlobalSlice<W>,
    ids: GlobalCells<u8>,
    counts: GlobalCells<u64>,
    tree: SharedSlice<W::Shared>,
) {
    let (thread, own) = (thread_idx_x(), own_first(I));
    let (tile, segment) = segments.tile(I);
    let keys = keys.warp_column::<I>((tile.first, u64::from(tile.len)), u64::from(own), tile.is_whole);
    let counters = moves_sort_counters().array::<u32, { BUCKETS as usize * SIDE as usize }>().slice();
    if thread > 0 {
        // The node's level, and the number among all bounds of this node's bound.
        let level = thread.ilog2();
        let bound = ((2 * (thread - (1 << level)) + 1) << (LEVELS as u32 - 1 - level)) - 1;
        tree.write(thread as usize, bounds.read(segment * BOUNDS + u64::from(bound)).widen());
    }
    unrolled!(i < { SIDE as usize } => { counters.write(i * BUCKETS as usize + thread as usize, 0) });
    sync_threads();

    let mut nodes = [1_u32; I];
    unrolled!(_level < LEVELS => {
        unrolled!(i < I => {
            let bound = W::narrow(tree.read(nodes[i] as usize % BUCKETS as usize));
            nodes[i] = 2 * nodes[i] + u32::from(bound <= keys[i]);
        });
    });
    let side = lane_id() % SIDE;
    unrolled!(i < I => {
        let (bucket, place) = (nodes[i] % BUCKETS as u32, own + i as u32 * WARP_SIZE);
        if place < tile.len {
            ids.write(tile.first + u64::from(place), bucket as u8);
            counters.add((bucket * SIDE + side) as usize, 1);
        }
    });
    sync_threads();
    let mut total = 0;
    // Threads begin at different counters, so that their banks differ.
    unrolled!(i < { SIDE as usize } => {
        total += counters.read((thread * SIDE + (thread + i as u32) % SIDE) as usize);
    });
    counts.write(tile.count_of(thread), u64::from(total));
    let_next_launch_start();
}
