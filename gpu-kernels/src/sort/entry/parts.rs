//! The entry points that list parts, and that sort short ones. Each may overlap the launch before it, as those of
//! [`entry::raw`](crate::entry::raw).

use cuda_std::grid::wait_for_earlier_launches;
use cuda_std::memory::{Optional, Readable};
use cuda_std::thread::thread_idx_x;
use cuda_std::warp::WARP_SIZE;

use super::raw::open_indices_out;
use crate::arguments::{SortParts, SortShort};
use crate::segments::check::Offsets;
use crate::sort::coding::{Coding, Key, Keys};
use crate::sort::lanes::{self, Staged};
use crate::sort::leaf::Result;
use crate::sort::parts::{self, PartLists, Parts};
use crate::sort::segment::Wanted;
use crate::sort::shapes::{
    LANES_THREADS, LEAF_WORDS, PartCounters, SEGMENT_WORDS, SHORT_CLASSES, most_part_leaves, most_segments,
    most_tiles, short_list, sort_tile,
};
use crate::sort::short::{self, Listed, Merged};

cuda_std::shared_bytes! {
    /// The keys of short parts, with a word for each 33rd left out.
    fn moves_short_keys: 16896
}

cuda_std::shared_bytes! {
    /// Their places in their parts.
    fn moves_short_places: 16896
}

cuda_std::shared_bytes! {
    /// The parts of each warp's lanes, with a word for each 33rd left out: keys, then their places.
    fn moves_lanes: 33792
}

/// Bytes of shared memory for each warp.
const LANES_BYTES: usize = 33792 / (LANES_THREADS / WARP_SIZE) as usize;

/// Makes the handle of parts.
///
/// # Safety
/// `offsets`, if it is there, has `count + 1` offsets of 4 bytes, or of 8 if they `are_wide`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) unsafe fn open_parts(
    offsets: Optional<Readable<u32>>,
    are_wide: u32,
    part_len: u64,
    count: u64,
) -> Parts {
    match offsets.get() {
        None => Parts::Equal(part_len),
        // SAFETY: by this function's contract.
        Some(offsets) => Parts::Between(unsafe { Offsets::new(offsets, are_wide != 0, count + 1) }),
    }
}

/// Lists `count` parts of an array of `len` keys of `key_bytes` by the way in which they are sorted, if a thread has `items`:
/// between `offsets` or, if these are null, of `part_len` keys each. Counts in `counters`, as
/// [`PartCounters`], how many there are of each kind, wrong offsets, and parts of fewer
/// than `least` keys. The results of a part begin at its start or, unless `wanted` is [`u64::MAX`], after `wanted` of each
/// part before it.
///
/// # Safety
/// Launched with blocks of whole warps. `count` is at least 1, and `offsets`, if it is there, has `count + 1` offsets of 4 bytes,
/// or of 8 if they `are_wide`. `counters` are all 0. With a tile of `items` keys a thread, `short` has room for the lists up to
/// [`short_list`] of [`SHORT_CLASSES`], `leaves` for [`most_part_leaves`] records, `segments` for [`most_segments`] and
/// `of_tiles` for [`most_tiles`] numbers.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn list(a: SortParts) {
    wait_for_earlier_launches();
    let items = a.items as usize;
    let tile = sort_tile(items);
    let (most_leaves, most_segments, most_tiles) =
        (most_part_leaves(a.len, tile), most_segments(a.len, tile), most_tiles(a.len, tile));
    // SAFETY: by this function's contract; the counters give each place to one thread.
    unsafe {
        let lists = PartLists {
            counters: a.counters.cells(PartCounters::COUNT),
            short: a.short.cells(short_list(a.count, a.len, SHORT_CLASSES, items)),
            leaves: a.leaves.cells(most_leaves * LEAF_WORDS),
            segments: a.segments.cells(most_segments * SEGMENT_WORDS),
            of_tiles: a.of_tiles.cells(most_tiles),
            most_leaves,
            most_segments,
            most_tiles,
            items,
            bits: 8 * a.key_bytes,
            least: a.least,
            wanted: Wanted { first: a.wanted, are_within: false },
            count: a.count,
            len: a.len,
        };
        parts::list(open_parts(a.offsets, a.are_wide, a.part_len, a.count), a.are_signed != 0, lists);
    }
}

/// Sorts short parts, each in `slot` places: those that `short` lists or, if that is null, all `count` parts. Otherwise as
/// [`leaf`](super::raw::leaf). `PADDED` is the places of a block, and one more for each 32.
///
/// # Safety
/// Launched with [`SORT_THREADS`](crate::sort::shapes::SORT_THREADS) threads a block, and enough blocks for all parts, of which a
/// block has as many as it has slots. `slot` is a power of two from `I` to the places of a block. `input` has `len` keys by
/// `coding`. Without `offsets`, there are `count` parts of `part_len` keys in `len`; otherwise it has `count + 1` offsets of 4
/// bytes, or of 8 if they `are_wide`, which ascend up to `len`. `short`, if it is there, has `short_len` numbers of parts. A part
/// that is sorted has at most `slot` keys. `out` and `indices_out` are as for [`leaf`](super::raw::leaf), and other memory than
/// `input`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn short<W: Key, const I: usize, const PADDED: usize>(a: SortShort<W>) {
    const { assert!(PADDED as u64 == sort_tile(I) / 32 * 33 && I.is_power_of_two()) }
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each result is written by the block that has its part.
    unsafe {
        let keys = Keys { elements: a.input.slice(a.len), coding: Coding(a.coding) };
        let list = a.short.get().map(|short| short.slice(a.short_len));
        let listed = Listed {
            parts: open_parts(a.offsets, a.are_wide, a.part_len, a.count),
            list,
            count: if a.short.is_none() { a.count } else { a.short_len },
            slot: a.slot,
        };
        let result = Result {
            elements: a.out.get().map(|out| out.cells(a.out_len)),
            coding: Coding(a.coding_out),
            indices: open_indices_out(a.indices_out, a.index_out_bytes, a.out_len),
            wanted: Wanted { first: a.wanted, are_within: a.are_within != 0 },
        };
        let merged = Merged {
            keys: moves_short_keys().array::<W::Shared, PADDED>().slice(),
            places: moves_short_places().array::<u32, PADDED>().slice(),
        };
        short::sort::<W, I>(keys, listed, result, merged);
    }
}

/// Sorts all `count` parts, a lane each. Otherwise as [`short`]. `N` is the most keys of a part, `I` half of it.
///
/// # Safety
/// As for [`short`], but launched with [`LANES_THREADS`] threads a block, without `short`, and with a lane for each part. A part has
/// at most `slot` keys, which is `I` or `N`. All results are wanted. `out` may be `input`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn lanes<W: Key, const I: usize, const N: usize>(a: SortShort<W>) {
    const { assert!(N == 2 * I && N * 33 * size_of::<W::Shared>() <= LANES_BYTES) }
    wait_for_earlier_launches();
    let warp = (thread_idx_x() / WARP_SIZE) as usize;
    // SAFETY: by this function's contract; each result is written by the warp that has its part, when it has read all its keys.
    unsafe {
        let keys = Keys { elements: a.input.slice(a.len), coding: Coding(a.coding) };
        let parts = (open_parts(a.offsets, a.are_wide, a.part_len, a.count), a.count);
        let result = Result {
            elements: a.out.get().map(|out| out.cells(a.out_len)),
            coding: Coding(a.coding_out),
            indices: open_indices_out(a.indices_out, a.index_out_bytes, a.out_len),
            wanted: Wanted { first: a.wanted, are_within: a.are_within != 0 },
        };
        let words = LANES_BYTES / size_of::<W::Shared>();
        let staged = Staged {
            keys: moves_lanes().slice::<W::Shared>().part(warp * words, words),
            places: moves_lanes().slice::<u32>().part(warp * (LANES_BYTES / 4), LANES_BYTES / 4),
        };
        if a.slot == I as u32 {
            lanes::sort::<W, I>(keys, parts, result, staged);
        } else {
            lanes::sort::<W, N>(keys, parts, result, staged);
        }
    }
}
