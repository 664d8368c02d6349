//! The first elements of each part: which parts have a lane, a warp, a block or several blocks, and the launches for them.

use gpu_kernels::select::parts::shapes::{
    MOST_OF_BLOCK, MOST_OF_LANE, MOST_OF_PART, MOST_OF_WARP, pair_bytes,
};
use gpu_kernels::sort::shapes::{PartCounters, SHORT_CLASSES, sort_tile};

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{
    Divided, FirstOf, FirstTo, Items, Keys, Memory, PartEnds, PartRoom, PartRooms, Rooms, SlicedSegments,
    Slices, SortKeys, SortTo,
};
use crate::cuda::parts::DeviceParts;
use crate::cuda::sort::parts::PartsTo;
use crate::error::Error;

/// The longest part that a warp reads, in bytes, if there are many. Not tuned.
const WARP_BYTES: u64 = 1 << 14;

/// The longest part that a warp reads if there are few: no longer than a few loads take.
const FEW_WARPS_BYTES: u64 = 1 << 11;

/// Parts per multiprocessor that are many: as many warps are resident.
const MANY: u64 = 32;

/// Blocks per multiprocessor for which parts are cut into slices: as many are resident.
const BLOCKS: u64 = 4;

/// Fewest bytes of a slice: its block reads them in less time than a launch takes.
const SLICE_BYTES: u64 = 1 << 15;

/// Fewest elements of a slice, as a multiple of the wanted ones.
const SLICE_WANTED: u64 = 8;

/// The most wanted elements of parts of one length that are cut: the first pairs of the slices are sorted by one block.
const MOST_OF_SLICES: u64 = 256;

/// Keys of a thread by which segments are listed. With 256, longer segments than 2^16 elements are cut into slices of 2^16.
const ITEMS: usize = 256;

/// Fewest elements of a part, as a multiple of the wanted ones: a shorter part is sorted in one read, too.
const FEW_OF: u64 = 4;

/// How the first elements of parts are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By a lane for each part.
    Lanes,
    /// By a warp for each part.
    Warps,
    /// By a block for each part.
    Blocks,
    /// By blocks for slices of each part: their number, and the elements of each.
    Slices(u64, u64),
    /// By a sort.
    Sort,
}

/// Returns the way for `count` parts of up to `len` elements of `bytes`, of which `k` each are wanted.
fn way((count, len): (u64, u64), bytes: usize, k: u64, multiprocessors: u32) -> Way {
    let (multiprocessors, part_bytes) = (u64::from(multiprocessors.max(1)), len.saturating_mul(bytes as u64));
    if bytes <= 8 && len <= MOST_OF_LANE {
        return Way::Lanes;
    }
    if bytes > 8 || k > MOST_OF_BLOCK || len > MOST_OF_PART || k.saturating_mul(FEW_OF) > len {
        return Way::Sort;
    }
    let longest = if count >= multiprocessors * MANY { WARP_BYTES } else { FEW_WARPS_BYTES };
    if k <= MOST_OF_WARP && part_bytes <= longest {
        return Way::Warps;
    }
    // A part that no block can read while the others read theirs is cut nevertheless.
    let blocks = if k <= MOST_OF_SLICES { BLOCKS } else { 1 };
    let wanted = (multiprocessors * blocks / count.max(1)).max(1);
    let most = (part_bytes / SLICE_BYTES).min(len / (k * SLICE_WANTED).max(1)).max(1);
    // Whole vectors, so that slices are aligned as the part is.
    let slice = len.div_ceil(wanted.min(most)).next_multiple_of(64);
    match len.div_ceil(slice) {
        0..=1 => Way::Blocks,
        slices => Way::Slices(slices, slice),
    }
}

impl Executor {
    /// Writes the first elements of each part and their indices within the part. Fails if a part has fewer than are wanted, or if
    /// offsets are wrong; results are unchanged then. Waits for the list of parts if there are offsets, and as a sort does if it takes one. The
    /// last launches are still under way when it returns.
    pub(crate) fn first_of_parts<P: DeviceParts>(
        &self,
        cuda: &Cuda,
        (keys, parts): (SortKeys<'_>, &P),
        to: FirstTo<'_>,
    ) -> Result<(), Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let divided = match parts.divided()? {
            Some(divided) if keys.len > 0 => divided,
            _ => return parts.bounds()?.each_has(to.k as usize),
        };
        let sort = || {
            let FirstTo { k, values, indices, len } = to;
            let (elements, indices) = (Some(values), Some(Items { region: indices, bytes: 8 }));
            let to = SortTo { elements, coding: keys.coding, len, wanted: k, are_within: true };
            self.sort_parts(cuda, (keys, parts), PartsTo { to, indices })
        };
        let (bytes, multiprocessors) = (keys.items.bytes, cuda.multiprocessors());
        let PartEnds::Equal(len) = divided.ends else {
            if bytes > 8 || to.k > MOST_OF_BLOCK || keys.len > MOST_OF_PART {
                return sort();
            }
            return self.first_of_segments(cuda, (keys, parts), divided, to);
        };
        parts.bounds()?.each_has(to.k as usize)?;
        let len = len.min(keys.len);
        let divided = Divided { ends: PartEnds::Equal(len), ..divided };
        let of = (Keys::of(keys), divided, FirstOf::All);
        match way((divided.count, len), bytes, to.k, multiprocessors) {
            Way::Lanes => queue.first_by_lanes(cuda.kernels(), (of.0, divided), to),
            Way::Warps => queue.first_by_warps(cuda.kernels(), of, len, to),
            Way::Blocks => queue.first_by_blocks(cuda.kernels(), of, (len, None), to),
            Way::Slices(of_part, slice) => {
                let count = divided.count.saturating_mul(of_part);
                let memory = pairs(self, count, bytes, to.k)?;
                let slices = Slices { of: None, len: slice, of_part, pairs: memory.whole(), count };
                queue.first_by_blocks(cuda.kernels(), of, (len, Some(slices)), to)?;
                queue.first_of_slices(cuda.kernels(), (of.0, divided.count), slices, to)
            }
            Way::Sort => sort(),
        }
    }

    /// Does [`first_of_parts`](Self::first_of_parts) for parts between offsets: lists them by length first, and waits for the numbers.
    fn first_of_segments<P: DeviceParts>(
        &self,
        cuda: &Cuda,
        (keys, parts): (SortKeys<'_>, &P),
        divided: Divided<'_>,
        to: FirstTo<'_>,
    ) -> Result<(), Error> {
        let (queue, kernels, len) = (self.queue(), cuda.kernels(), keys.len);
        let mut rooms = Rooms::default();
        let lists = PartRooms::new(&mut rooms, (len, ITEMS), divided.count);
        let memory = Memory::scratch(queue, rooms.bytes())?;
        let room: PartRoom<'_> = lists.of(memory.whole())?;
        queue.sort_parts((kernels, cuda.multiprocessors()), keys, divided, (to.k, to.k), &room)?;
        let counters: Vec<PartCounters> = room.counters.download(queue, 1)?;
        let found = counters.first().copied().ok_or(Error::NoResult)?;
        if found.wrong > 0 || found.few > 0 {
            parts.bounds()?.each_has(to.k as usize)?;
            let why = "some of the offsets were wrong while they were used, and have changed since";
            return Err(Error::Offset { at: 0, offset: 0, why, len: len as usize });
        }
        let (keys, bytes) = (Keys::of(keys), keys.items.bytes);
        // Long parts first, since they take longest.
        if found.segments > 0 {
            let memory = pairs(self, found.tiles, bytes, to.k)?;
            let (records, of_tiles) = (room.segments, room.of_tiles);
            let of = Some(SlicedSegments { records, of_tiles, count: found.segments });
            let (len, count) = (sort_tile(ITEMS), found.tiles);
            let slices = Slices { of, len, of_part: 1, pairs: memory.whole(), count };
            queue.first_by_blocks(kernels, (keys, divided, FirstOf::All), (len, Some(slices)), to)?;
            queue.first_of_slices(kernels, (keys, found.segments), slices, to)?;
        }
        for (class, &count) in (0..SHORT_CLASSES).zip(&found.short).rev().filter(|&(_, &count)| count > 0) {
            let (of, longest) =
                ((keys, divided, FirstOf::Class(&room, class, count)), (ITEMS as u64) << class);
            if to.k <= MOST_OF_WARP && longest * bytes as u64 <= WARP_BYTES {
                queue.first_by_warps(kernels, of, longest, to)?;
            } else {
                queue.first_by_blocks(kernels, of, (longest, None), to)?;
            }
        }
        Ok(())
    }
}

/// Allocates room for `k` pairs of each of `slices` slices.
fn pairs(executor: &Executor, slices: u64, bytes: usize, k: u64) -> Result<std::sync::Arc<Memory>, Error> {
    let mut rooms = Rooms::default();
    let _all = rooms.add(slices.saturating_mul(k), pair_bytes(bytes));
    Ok(Memory::scratch(executor.queue(), rooms.bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_cover_parts_and_fill_the_device() {
        assert_eq!(way((1024, 128_256), 4, 50, 132), Way::Blocks);
        assert_eq!(way((65_536, 4096), 4, 8, 132), Way::Warps);
        assert_eq!(way((64, 4096), 4, 8, 132), Way::Blocks);
        assert_eq!(way((1 << 20, 256), 4, 8, 132), Way::Warps);
        assert_eq!(way((1 << 24, 16), 4, 8, 132), Way::Lanes);
        assert_eq!(way((1000, 4096), 4, 2048, 132), Way::Sort);
        assert_eq!(way((1000, 4096), 16, 8, 132), Way::Sort);
        for (count, len) in [(1, 1 << 30), (64, 128_256), (3, 1_000_003), (100, 77_777)] {
            for k in [1, 50, 2048] {
                if let Way::Slices(slices, of) = way((count, len), 4, k, 132) {
                    assert!(slices > 1 && slices * of >= len && (slices - 1) * of < len, "{count} {len} {k}");
                    assert!(of.is_multiple_of(64) && of >= k * SLICE_WANTED, "{count} {len} {k}");
                    assert!(count * slices <= 132 * BLOCKS, "{count} {len} {k}");
                }
            }
        }
    }
}
