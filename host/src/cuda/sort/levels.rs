//! The launches of a sort, level by level, until every segment fits one block.

use gpu_kernels::sort::shapes::{BUCKETS, COUNTERS, codes};

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Items, Region, SortIndices, SortKeys, SortLevel, SortTo, position_bytes};
use crate::cuda::sort::level_layout::LevelLayout;
use crate::error::Error;

/// The long parts of an array, which are the segments of the first level.
#[derive(Clone, Copy)]
pub(crate) struct LongParts<'a> {
    /// Their records, and the segment of each tile.
    pub(crate) list: (Region<'a>, Region<'a>),
    /// Their number.
    pub(crate) segments: u64,
    /// Number of their tiles.
    pub(crate) tiles: u64,
}

impl Executor {
    /// Sorts `keys`, or their long parts if there are any given, stably, by way of `layout` in `memory`, which was made for them.
    /// Waits between the levels; the last launches are still under way when it returns.
    pub(crate) fn sort_levels<'a>(
        &self,
        cuda: &Cuda,
        mut keys: SortKeys<'a>,
        parts: Option<LongParts<'a>>,
        (to, indices): (SortTo<'a>, Option<Items<'a>>),
        (layout, memory): (&LevelLayout, Region<'a>),
    ) -> Result<(), Error> {
        let (queue, kernels) = (self.queue(), cuda.kernels());
        let mut indices = indices.map(|to| SortIndices { from: None, to });
        let bytes = indices.map_or(0, |_| position_bytes(keys.len));
        let (mut room, totals) = (layout.room(memory)?, layout.totals.of(memory)?);
        let mut level = SortLevel { list: None, segments: 1, tiles: keys.len.div_ceil(keys.tile()) };
        if let Some(LongParts { list, segments, tiles }) = parts {
            room.lists[0] = list;
            level = SortLevel { list: Some(0), segments, tiles };
        }
        let mut odd = true;
        while level.segments > 0 {
            let turn = usize::from(odd);
            queue.fill(room.counters, 0)?;
            queue.sort_pivots(kernels, keys, level, &room)?;
            queue.sort_count(kernels, keys, level, &room)?;
            queue.scan(kernels, room.counts, level.tiles.saturating_mul(BUCKETS), totals)?;
            queue.sort_lists(kernels, keys, level, &room, (turn, to.wanted))?;
            // Outputs alternate: after an odd level the keys are in between, after an even one in the result's memory.
            // So all elements have been read when the first results are written.
            let out = if odd { layout.between.of(memory)? } else { layout.out(to, memory)? };
            let moved = Items { region: layout.indices[turn].of(memory)?, bytes };
            let on_the_way = indices.map(|SortIndices { from, .. }| SortIndices { from, to: moved });
            queue.sort_scatter(kernels, keys, level, &room, (out, to.wanted), on_the_way)?;
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
