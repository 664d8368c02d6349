//! The second launch: tiles of long segments, by a warp each, or by blocks in [`batches`].

use cuda_std::global::{GlobalCells, GlobalSlice};

use super::offsets::{Segments, Tile};
use crate::op::{Element, Op};
use crate::rows::loads::Loads;
use crate::rows::parts::{Part, Parts};
use crate::rows::{batches, tiles, warps};
use crate::shapes::{do_rows_lie_across, do_warps_fold_tiles};
use crate::tree::tile_len_of_lanes;

/// The listed tiles.
#[derive(Clone, Copy)]
pub(crate) struct Tiles {
    pub(crate) segments: Segments,
    pub(crate) list: GlobalSlice<u64>,
    /// Lanes of a tile.
    pub(crate) lanes: u64,
}

impl Parts for Tiles {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(self) -> u64 {
        self.list.len()
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn part(self, item: u64) -> Part {
        let tile = Tile::of(self.list.read(item));
        let (row, len) = self.segments.get(tile.segment());
        let log2_tile = tile_len_of_lanes(self.lanes, len).ilog2();
        let start = tile.tile() << log2_tile;
        Part { row, start, end: (start + (1 << log2_tile)).min(len), log2_tile }
    }
}

/// Folds the listed tiles: to `out` if the segment has no other, otherwise to the tile's place in `partials`.
///
/// Called by: every thread of every block; blocks are of 256, 512 or 1024 threads. Valid in: `out` and `partials`, when the
/// launch has ended. Scratch: the block's, for batches. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T, O, R, const V: usize>(
    op: O,
    tiles: Tiles,
    (elements, loads): (GlobalSlice<T>, R),
    partials: GlobalCells<O::Acc>,
    out: GlobalCells<O::Acc>,
) where
    T: Element,
    O: Op<T>,
    R: Loads<T, V>,
{
    let write = |item, total| {
        let tile = Tile::of(tiles.list.read(item));
        let (_, len) = tiles.segments.get(tile.segment());
        if len <= tile_len_of_lanes(tiles.lanes, len) {
            out.write(tile.segment(), total);
        } else {
            partials.write(item, total);
        }
    };
    if do_warps_fold_tiles::<T, O>() {
        tiles::reduce_parts::<T, O, _, V>(op, tiles, 1, elements, write);
    } else if do_rows_lie_across::<T, O>() {
        batches::reduce_parts::<T, O, _, V>(op, tiles, 0, elements, write);
    } else {
        warps::reduce_parts::<T, O, R, _, V>(op, tiles, loads, write);
    }
}
