//! Sorts of parts: what each kind of part takes, and the launches for it.

use std::sync::Arc;

use gpu_kernels::sort::shapes::{LANE_CLASSES, PartCounters, PartKind, part_kind, sort_items};

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{
    Divided, Items, Memory, PartEnds, PartRoom, PartRooms, Rooms, SortIndices, SortKeys, SortTo,
    gather_blocks, position_bytes,
};
use crate::cuda::parts::DeviceParts;
use crate::cuda::sort::level_layout::LevelLayout;
use crate::cuda::sort::levels::LongParts;
use crate::error::Error;

/// Where the results of parts go.
#[derive(Clone, Copy)]
pub(crate) struct PartsTo<'a> {
    /// The elements, and how many there are of each part.
    pub(crate) to: SortTo<'a>,
    /// The indices, if they are wanted.
    pub(crate) indices: Option<Items<'a>>,
}

impl Executor {
    /// Sorts each part of `keys` stably. Takes over the elements that are in no part, unless only some elements of each part
    /// are wanted. Fails if a part has fewer elements than are wanted, or if offsets are wrong; results are unchanged then.
    /// Waits for the list of parts if there are offsets, and between levels if a part fits no block. The last launches are
    /// still under way when it returns.
    pub(crate) fn sort_parts<P: DeviceParts>(
        &self,
        cuda: &Cuda,
        (keys, parts): (SortKeys<'_>, &P),
        to: PartsTo<'_>,
    ) -> Result<(), Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let least = if to.to.wanted == u64::MAX { 0 } else { to.to.wanted };
        let divided = match parts.divided()? {
            Some(divided) if keys.len > 0 => divided,
            // Without parts all elements are in none.
            other => {
                parts.bounds()?.each_has(least as usize)?;
                return if other.is_none() { self.take_over(cuda, keys, (0, 0), to) } else { Ok(()) };
            }
        };
        if let PartEnds::Equal(len) = divided.ends {
            parts.bounds()?.each_has(least as usize)?;
            if let PartKind::Short(class) =
                part_kind(len.min(keys.len), to.to.wanted, sort_items(keys.items.bytes))
            {
                let divided = Divided { ends: PartEnds::Equal(len.min(keys.len)), ..divided };
                return queue.sort_short(cuda.kernels(), keys, divided, (class, None), (to.to, to.indices));
            }
        }
        let mut rooms = Rooms::default();
        let lists = PartRooms::new(&mut rooms, (keys.len, sort_items(keys.items.bytes)), divided.count);
        let memory = Memory::scratch(queue, rooms.bytes())?;
        let room = lists.of(memory.whole())?;
        queue.sort_parts(
            (cuda.kernels(), cuda.multiprocessors()),
            keys,
            divided,
            (least, to.to.wanted),
            &room,
        )?;
        let found = match divided.ends {
            PartEnds::Equal(len) => counted(keys, len, to.to.wanted),
            PartEnds::Between(_) => {
                let counters: Vec<PartCounters> = room.counters.download(queue, 1)?;
                counters.first().copied().ok_or(Error::NoResult)?
            }
        };
        if found.wrong > 0 || found.few > 0 {
            parts.bounds()?.each_has(least as usize)?;
            let why = "some of the offsets were wrong while they were used, and have changed since";
            return Err(Error::Offset { at: 0, offset: 0, why, len: keys.len as usize });
        }
        self.sort_listed(cuda, (keys, divided), (&room, found), to)
    }

    /// Enqueues the launches for the parts that are listed in `room`, as many as `found` says.
    fn sort_listed(
        &self,
        cuda: &Cuda,
        (keys, parts): (SortKeys<'_>, Divided<'_>),
        (room, found): (&PartRoom<'_>, PartCounters),
        results: PartsTo<'_>,
    ) -> Result<(), Error> {
        let PartsTo { to, indices } = results;
        let (queue, kernels) = (self.queue(), cuda.kernels());
        // Allocated before anything is written.
        let levels = if found.segments > 0 { Some(self.room_of_levels(keys, to, indices)?) } else { None };
        if matches!(parts.ends, PartEnds::Between(_)) {
            self.take_over(cuda, keys, (found.first, found.end), results)?;
        }
        let longer =
            found.short.iter().skip(LANE_CLASSES as usize).sum::<u64>() + found.leaves + found.segments;
        if longer == 0 && to.wanted == u64::MAX {
            // The least class that has parts as long as the longest.
            let class = (0..LANE_CLASSES).rev().find(|&class| found.short[class as usize] > 0).unwrap_or(0);
            return queue.sort_short(kernels, keys, parts, (class, None), (to, indices));
        }
        for (class, count) in (0..).zip(found.short).filter(|&(_, count)| count > 0) {
            queue.sort_short(kernels, keys, parts, (class, Some((room, count))), (to, indices))?;
        }
        if found.leaves > 0 {
            let indices = indices.map(|to| SortIndices { from: None, to });
            queue.sort_leaves(kernels, keys, Some((room.leaves, found.leaves)), to, indices)?;
        }
        let Some((layout, memory)) = levels else { return Ok(()) };
        let list = (room.segments, room.of_tiles);
        let long = LongParts { list, segments: found.segments, tiles: found.tiles };
        self.sort_levels(cuda, keys, Some(long), (to, indices), (&layout, memory.whole()))
    }

    /// Allocates memory for a sort of long parts.
    fn room_of_levels(
        &self,
        keys: SortKeys<'_>,
        to: SortTo<'_>,
        indices: Option<Items<'_>>,
    ) -> Result<(LevelLayout, Arc<Memory>), Error> {
        let (mut rooms, bytes) = (Rooms::default(), indices.map_or(0, |_| position_bytes(keys.len)));
        let needs_key_room = to.elements.is_none() || to.wanted < u64::MAX;
        let layout = LevelLayout::new(&mut rooms, (keys.len, keys.items.bytes), bytes, needs_key_room);
        Ok((layout, Memory::scratch(self.queue(), rooms.bytes())?))
    }

    /// Takes over the elements that are in no part: all before `first`, and all from `end` on. Their indices are their own, or 0
    /// if they count from the start of a part.
    fn take_over(
        &self,
        cuda: &Cuda,
        keys: SortKeys<'_>,
        (first, end): (u64, u64),
        PartsTo { to, indices }: PartsTo<'_>,
    ) -> Result<(), Error> {
        let (queue, len, bytes) = (self.queue(), keys.len, keys.items.bytes);
        if to.wanted < u64::MAX || (first == 0 && end >= len) {
            return Ok(());
        }
        if let Some(out) = to.elements {
            for (from, count) in [(0, first), (end, len.saturating_sub(end))] {
                if count > 0 {
                    let of = keys.items.region.part(from, count, bytes)?;
                    of.enqueue_copy(queue, out.part(from, count, bytes)?)?;
                }
            }
        }
        match indices {
            Some(out) if to.are_within => Ok(queue.fill(out.region.part(0, len, out.bytes)?, 0)?),
            Some(out) => {
                let blocks = gather_blocks(len, cuda.multiprocessors());
                queue.number_positions(cuda.kernels(), out, (len, blocks), (1, u64::MAX))
            }
            None => Ok(()),
        }
    }
}

/// Counts the kinds of parts of `len` keys each, if `wanted` keys of each part are wanted. The last part has the rest.
fn counted(keys: SortKeys<'_>, len: u64, wanted: u64) -> PartCounters {
    let (mut counters, items) = (PartCounters::default(), sort_items(keys.items.bytes));
    counters.add(keys.len / len.max(1), len, wanted, items);
    counters.add(1, keys.len % len.max(1), wanted, items);
    counters
}
