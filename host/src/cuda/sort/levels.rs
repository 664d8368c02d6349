//! The launches of a sort, level by level, until every segment fits one block.

use gpu_kernels::moves::sort::shape::{BUCKETS, COUNTERS, codes};

use crate::cuda::Cuda;
use crate::cuda::lane::Lane;
use crate::cuda::launch::{Items, Region, SortIndices, SortKeys, SortLevel};
use crate::cuda::sort::plan::SortPlaces;
use crate::error::Error;

/// Where a sort writes its results.
#[derive(Clone, Copy)]
pub(in crate::cuda) struct Sorted<'a> {
    /// The elements, unless only indices are wanted. May be the memory of the input.
    pub(in crate::cuda) elements: Option<Region<'a>>,
    /// The original index of each element, in 4 or 8 bytes.
    pub(in crate::cuda) indices: Option<Items<'a>>,
}

impl Lane {
    /// Sorts `keys`, at most one tile, stably. Takes one launch and no other memory.
    pub(in crate::cuda) fn sort_tile(
        &self,
        cuda: &Cuda,
        keys: SortKeys<'_>,
        result: Sorted<'_>,
    ) -> Result<(), Error> {
        let indices = result.indices.map(|to| SortIndices { from: None, to });
        self.queue().sort_leaves(cuda.kernels(), keys, None, (result.elements, keys.coding), indices)
    }

    /// Sorts `keys` stably, by way of `places` in `memory`, which were made for them. Waits between the levels; the
    /// last launches are still under way when it returns.
    pub(in crate::cuda) fn sort_levels<'a>(
        &self,
        cuda: &Cuda,
        mut keys: SortKeys<'a>,
        result: Sorted<'a>,
        (places, memory): (&SortPlaces, Region<'a>),
    ) -> Result<(), Error> {
        let (queue, kernels) = (self.queue(), cuda.kernels());
        let (tile, to) = (keys.tile(), (result.elements, keys.coding));
        if keys.len <= tile {
            return self.sort_tile(cuda, keys, result);
        }
        let mut indices = result.indices.map(|to| SortIndices { from: None, to });
        let bytes = indices.map_or(0, |_| index_bytes(keys.len));
        let (room, totals) = (places.room(memory)?, places.totals.of(memory)?);
        let mut level = SortLevel { list: None, segments: 1, tiles: keys.len.div_ceil(tile) };
        let mut odd = true;
        while level.segments > 0 {
            let turn = usize::from(odd);
            queue.fill(room.counters, 0)?;
            queue.sort_pivots(kernels, keys, level, &room)?;
            queue.sort_count(kernels, keys, level, &room)?;
            queue.scan(kernels, room.counts, level.tiles.saturating_mul(BUCKETS), totals)?;
            queue.sort_lists(kernels, keys, level, &room, turn)?;
            // Outputs alternate: after an odd level the keys are in between, after an even one in the result's memory.
            // So all elements have been read when the first results are written.
            let out = if odd { places.between.of(memory)? } else { places.out(result.elements, memory)? };
            let moved = Items { region: places.indices[turn].of(memory)?, bytes };
            let on_the_way = indices.map(|SortIndices { from, .. }| SortIndices { from, to: moved });
            queue.sort_scatter(kernels, keys, level, &room, out, on_the_way)?;
            let items = Items { region: out, bytes: keys.items.bytes };
            keys = SortKeys { items, coding: codes::UNSIGNED, ..keys };
            indices = indices.map(|SortIndices { to, .. }| SortIndices { from: Some(moved), to });
            // Waits for the sizes of the next launches. On a device that is many times as fast as launching the
            // greatest possible numbers of blocks.
            let counters = room.counters.download::<u64>(queue, COUNTERS as usize)?;
            let [segments, tiles, leaves] = counters[..] else { return Err(Error::NoResult) };
            if leaves > 0 {
                queue.sort_leaves(kernels, keys, Some((room.leaves, leaves)), to, indices)?;
            }
            level = SortLevel { list: Some(turn), segments, tiles };
            odd = !odd;
        }
        Ok(())
    }
}

/// Bytes of an index of `len` elements while they are sorted.
pub(in crate::cuda) fn index_bytes(len: u64) -> usize {
    if u32::try_from(len).is_ok() { 4 } else { 8 }
}
