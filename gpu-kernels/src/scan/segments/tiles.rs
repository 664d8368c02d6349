//! Segments of more than a tile, tile by tile.
//!
//! Each block takes a listed tile by a ticket, drawn in order from one counter. When it has scanned the tile it draws the next
//! ticket, until there are no more tiles. The tiles of a segment are neighbours in the list, in order, and a tile waits only
//! for earlier tiles of its own segment, so only for tiles with lower tickets: [so every wait ends](crate::hand_over). One
//! block for each possible tile takes longer if there are few long segments (docs/tuning/gpu.md).

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalSlice;
use cuda_std::posts::Posts;

use super::spans::Arrays;
use crate::hand_over::in_order::{Board, Positions};
use crate::op::{Element, Op};
use crate::scan::tile::{self, Wanted};
use crate::scan::tree::{GROUP_STRETCHES, GROUP_TILES, STRETCH_TILES, tile_len};
use crate::stored::{Storable, StoredOf};

/// The listed tiles.
#[derive(Clone, Copy)]
pub(crate) struct Tiles {
    /// For each tile the place of its segment in `long`.
    pub(crate) list: GlobalSlice<u64>,
    /// Of each segment the start, the length, its first tile's place in the list, and the number of its first stretch.
    pub(crate) long: GlobalSlice<[u64; 4]>,
}

/// The posts of all segments.
#[derive(Clone, Copy)]
pub(crate) struct AllPosts<A> {
    pub(crate) tiles: Posts<A>,
    pub(crate) totals: Posts<A>,
    pub(crate) groups: Posts<A>,
}

/// The places of a segment: the places of its stretches, from the first on.
///
/// In its last group, the number of neighbouring tiles is the number of that group's stretches. The places of groups begin at
/// the first stretch's number / 32, rounded up. Of `g` groups the first `g - 1` have totals, and prefixes are posted for the
/// last `g - 1`. Proof that the places of segments do not overlap: x and y stretches together have at least as many groups as x
/// and y separately, less one. So the next segment's places begin after this segment's.
#[derive(Clone, Copy)]
struct OfSegment {
    first: u64,
    stretches: u64,
}

impl OfSegment {
    /// Returns the stretches of a group.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of_group(self, group: u64) -> u32 {
        self.stretches.saturating_sub(group * GROUP_STRETCHES as u64).min(GROUP_STRETCHES as u64) as u32
    }
}

impl Positions for OfSegment {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tile(self, group: u64, stretch: u32, tile: u32) -> u64 {
        let first = self.first * STRETCH_TILES as u64 + group * GROUP_TILES as u64;
        first + u64::from(tile * self.of_group(group) + stretch)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn step(self, group: u64) -> u32 {
        self.of_group(group)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn group(self, group: u64) -> u64 {
        self.first.div_ceil(GROUP_STRETCHES as u64) + group
    }
}

/// Scans the listed tiles.
///
/// Called by: every thread of every block, of [`SCAN_THREADS`](crate::scan::shapes::SCAN_THREADS) threads. Valid in: the
/// outputs' places, when the launch has ended. Scratch: the posts, the exchange's and a tile's. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn scan<
    T: Element,
    O: Op<T, Out: Storable>,
    const R: usize,
    const Q: usize,
    const N: usize,
    const U: usize,
    const K: usize,
    const W: usize,
>(
    op: O,
    wanted: Wanted<O::Acc>,
    arrays: Arrays<T, StoredOf<T, O>>,
    tiles: Tiles,
    tickets: AtomicCells<u32>,
    posts: AllPosts<O::Acc>,
) {
    loop {
        // Its barrier separates the uses of shared memory for the tile before from those for this one.
        let ticket = tile::draw(tickets);
        if ticket >= tiles.list.len() {
            return;
        }
        let [start, len, first, first_stretch] = tiles.long.read(tiles.list.read(ticket));
        let stretches = (len.max(1) - 1) / (tile_len::<T>() * STRETCH_TILES) as u64 + 1;
        let places = OfSegment { first: first_stretch, stretches };
        let board = Board { tiles: posts.tiles, totals: posts.totals, groups: posts.groups, places };
        let (input, out) = arrays.segment(start, len);
        tile::scan_tile::<T, O, _, R, Q, N, U, K, W>(op, wanted, (input, out), board, ticket - first);
    }
}
