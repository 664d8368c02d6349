//! The launches that find the first elements of parts. They check that their arguments are memory the kernels may touch, as
//! [`enqueue`](crate::cuda::launch::enqueue) does for folds.

use cuda_std::memory::{Optional, Pointer, Writable};
use gpu_kernels::arguments::{FirstOfParts, FirstOfSlices};
use gpu_kernels::select::parts::shapes::{
    LANES_WARPS, LANES_WORDS, MOST_OF_BLOCK, MOST_OF_LANE, MOST_OF_PART, MOST_OF_WARP, PART_WARPS,
    block_room, pair_bytes, part_threads, warp_room,
};
use gpu_kernels::sort::shapes::SEGMENT_WORDS;

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::select::Keys;
use crate::cuda::launch::sort::parts::{Divided, PartEnds, PartRoom};
use crate::cuda::launch::{Items, Kernels, Queue, enqueue};
use crate::error::Error;
use crate::kernel::moves::Word;

/// The first elements that are wanted of each part, and where they are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstTo<'a> {
    /// How many of each part, at least 1.
    pub(crate) k: u64,
    /// The elements.
    pub(crate) values: Region<'a>,
    /// Their indices, of 8 bytes each.
    pub(crate) indices: Region<'a>,
    /// Number of results.
    pub(crate) len: u64,
}

/// The parts of one launch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FirstOf<'a> {
    /// All.
    All,
    /// The parts of a class in a list without wrong offsets, and their number.
    Class(&'a PartRoom<'a>, u32, u64),
}

/// Parts that are cut into slices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slices<'a> {
    /// The parts, or `None` for all of parts of one length.
    pub(crate) of: Option<SlicedSegments<'a>>,
    /// The elements of a slice.
    pub(crate) len: u64,
    /// The slices of each part, if all are cut.
    pub(crate) of_part: u64,
    /// Room for `k` pairs of each slice.
    pub(crate) pairs: Region<'a>,
    /// Number of all slices.
    pub(crate) count: u64,
}

/// Listed segments that are cut into slices of a tile each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlicedSegments<'a> {
    /// Their records.
    pub(crate) records: Region<'a>,
    /// For each tile the number of its segment.
    pub(crate) of_tiles: Region<'a>,
    /// Number of segments.
    pub(crate) count: u64,
}

impl Queue {
    /// Writes the first elements of each part of a few elements, by a lane for each.
    pub(crate) fn first_by_lanes(
        &self,
        kernels: &Kernels,
        (keys, parts): (Keys<'_>, Divided<'_>),
        to: FirstTo<'_>,
    ) -> Result<(), Error> {
        let arguments = self.parts(keys, parts, FirstOf::All, 0, to)?;
        if !arguments.offsets.is_none() || !(1..=MOST_OF_LANE).contains(&arguments.part_len) {
            return Err(Error::Plan { why: "a lane has parts of one length, of 16 elements at most" });
        }
        let scratch = LANES_WARPS * LANES_WORDS * keys.items.bytes.max(4) as u32;
        let blocks = enqueue::blocks(parts.count.div_ceil(u64::from(32 * LANES_WARPS)))?;
        let (entry, shape) = (keys.kernels()?.first_by_lanes, (blocks, 32 * LANES_WARPS, scratch));
        // SAFETY: as for `first_by_warps`.
        unsafe { self.launch_with_scratch(kernels, entry, shape, arguments) }
    }

    /// Writes the first elements of each part, by a warp for each. No part is longer than `longest`.
    pub(crate) fn first_by_warps(
        &self,
        kernels: &Kernels,
        (keys, parts, of): (Keys<'_>, Divided<'_>, FirstOf<'_>),
        longest: u64,
        to: FirstTo<'_>,
    ) -> Result<(), Error> {
        if to.k > MOST_OF_WARP {
            return Err(Error::Plan { why: "a warp finds 32 elements at most" });
        }
        let room = warp_room(longest, keys.items.bytes);
        let (entry, arguments) = (keys.kernels()?.first_by_warps, self.parts(keys, parts, of, room, to)?);
        let scratch = PART_WARPS * room * pair_bytes(keys.items.bytes) as u32;
        let shape =
            (enqueue::blocks(arguments.listed.div_ceil(PART_WARPS.into()))?, 32 * PART_WARPS, scratch);
        // SAFETY: `parts` checked the memory and the number of wanted elements. The caller has seen that no offset is wrong and that parts
        // have enough elements. The queue keeps all memory.
        unsafe { self.launch_with_scratch(kernels, entry, shape, arguments) }
    }

    /// Writes the first elements of each part, by a block for each; or the first pairs of each slice, if parts are cut. No part is
    /// longer than `longest`.
    pub(crate) fn first_by_blocks(
        &self,
        kernels: &Kernels,
        (keys, parts, of): (Keys<'_>, Divided<'_>, FirstOf<'_>),
        (longest, slices): (u64, Option<Slices<'_>>),
        to: FirstTo<'_>,
    ) -> Result<(), Error> {
        let (bytes, room) = (keys.items.bytes, block_room(to.k));
        let (entry, mut arguments) =
            (keys.kernels()?.first_by_blocks, self.parts(keys, parts, of, room, to)?);
        let (mut blocks, mut longest) = (arguments.listed, longest);
        if let Some(slices) = slices {
            (blocks, longest) = (slices.count, slices.len);
            arguments.slice_len = slices.len;
            arguments.slices = slices.of_part;
            let (pairs, pairs_len) = self.pairs::<Writable<u64>>(slices, bytes, to.k)?;
            (arguments.pairs, arguments.pairs_len) = (pairs.into(), pairs_len);
            if let Some(segments) = slices.of {
                arguments.segments_len = segments.count;
                arguments.segments =
                    self.opened_if(Some(segments.records), segments.count * SEGMENT_WORDS)?;
                arguments.of_tiles = self.opened_if(Some(segments.of_tiles), slices.count)?;
            } else if !matches!(parts.ends, PartEnds::Equal(_))
                || slices.of_part * parts.count != slices.count
            {
                return Err(Error::Plan { why: "slices are of parts of one length, or of listed segments" });
            }
        }
        let threads = part_threads(to.k, longest.saturating_mul(bytes as u64));
        let shape = (enqueue::blocks(blocks)?, threads, room * pair_bytes(bytes) as u32);
        // SAFETY: as above, and there is room for the pairs of each slice.
        unsafe { self.launch_with_scratch(kernels, entry, shape, arguments) }
    }

    /// Writes the first elements of each part, after [`first_by_blocks`](Self::first_by_blocks) found the first pairs of its slices.
    pub(crate) fn first_of_slices(
        &self,
        kernels: &Kernels,
        (keys, count): (Keys<'_>, u64),
        slices: Slices<'_>,
        to: FirstTo<'_>,
    ) -> Result<(), Error> {
        let Keys { items, signed, all, less, .. } = keys;
        let (pairs, pairs_len) = self.pairs(slices, items.bytes, to.k)?;
        let (values, indices) = self.results(items.bytes, to)?;
        let segments_len = slices.of.map_or(0, |of| of.count);
        let segments = self.opened_if(slices.of.map(|of| of.records), segments_len * SEGMENT_WORDS)?;
        let room = block_room(to.k);
        let arguments = FirstOfSlices {
            pairs,
            pairs_len,
            signed,
            all,
            less,
            segments,
            segments_len,
            slice_len: slices.len,
            slices: slices.of_part,
            k: to.k as u32,
            room,
            values,
            indices,
            results: to.len,
        };
        let blocks = enqueue::blocks(slices.of.map_or(count, |of| of.count))?;
        let of_part = slices.of_part.saturating_mul(to.k * pair_bytes(items.bytes) as u64);
        let shape = (blocks, part_threads(to.k, of_part), room * pair_bytes(items.bytes) as u32);
        // SAFETY: as above. The launch before has written all pairs.
        unsafe { self.launch_with_scratch(kernels, keys.kernels()?.first_of_slices, shape, arguments) }
    }

    /// Returns the arguments for parts that are not cut.
    fn parts(
        &self,
        keys: Keys<'_>,
        parts: Divided<'_>,
        of: FirstOf<'_>,
        room: u32,
        to: FirstTo<'_>,
    ) -> Result<FirstOfParts<Word>, Error> {
        let Keys { items, len, signed, all, less } = keys;
        if to.k == 0 || to.k > MOST_OF_BLOCK {
            return Err(Error::Plan { why: "a block finds 1 to 2048 elements" });
        }
        let (offsets, are_wide, _, part_len) = parts.ends.open(self)?;
        if offsets.is_none() && part_len > MOST_OF_PART {
            return Err(Error::Plan { why: "an index in a part has 32 bits" });
        }
        let (list, listed) = match of {
            FirstOf::All => (None, parts.count),
            FirstOf::Class(room, class, found) => {
                (Some(room.class((parts.count, len), class, found)?), found)
            }
        };
        let (values, indices) = self.results(items.bytes, to)?;
        Ok(FirstOfParts {
            input: items.open(self, len, items.bytes)?,
            len,
            signed,
            all,
            less,
            offsets,
            are_wide,
            part_len,
            count: parts.count,
            list: self.opened_if(list, listed)?,
            listed,
            segments: Optional::none(),
            segments_len: 0,
            of_tiles: Optional::none(),
            slice_len: 0,
            slices: 1,
            k: to.k as u32,
            room,
            values,
            indices,
            results: to.len,
            pairs: Optional::none(),
            pairs_len: 0,
        })
    }

    /// Returns the addresses of the results.
    fn results(&self, bytes: usize, to: FirstTo<'_>) -> Result<(Writable<Word>, Writable<u64>), Error> {
        let values = Items { region: to.values, bytes }.open(self, to.len, bytes)?;
        Ok((values, self.opened(to.indices, to.len)?))
    }

    /// Returns the address of the pairs of slices, and their number.
    fn pairs<P: Pointer<Element = u64>>(
        &self,
        slices: Slices<'_>,
        bytes: usize,
        k: u64,
    ) -> Result<(P, u64), Error> {
        let (len, bytes) = (slices.count.saturating_mul(k), pair_bytes(bytes));
        Ok((self.opened(slices.pairs, len.saturating_mul(bytes as u64 / 8))?, len))
    }
}
