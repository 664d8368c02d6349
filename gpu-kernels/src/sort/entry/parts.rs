//! The entry points that list parts, and that sort short ones. Each may overlap the launch before it, as those of
//! [`entry::raw`](crate::entry::raw).

use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::wait_for_earlier_launches;

use super::raw::open_indices_out;
use crate::arguments::{SortParts, SortShort};
use crate::segments::check::Offsets;
use crate::sort::coding::{Coding, Key, Keys};
use crate::sort::leaf::Result;
use crate::sort::parts::{self, PartLists, Parts};
use crate::sort::segment::Wanted;
use crate::sort::shapes::{
    LEAF_WORDS, PartCounters, SEGMENT_WORDS, SHORT_CLASSES, most_part_leaves, most_segments, most_tiles,
    short_list, sort_tile,
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

/// Makes the handle of parts.
///
/// # Safety
/// `offsets` is null, or aligned and readable for `count + 1` offsets of 4 bytes, or of 8 if they `are_wide`. Nothing writes
/// them during the launch.
#[inline(always)]
unsafe fn open_parts(offsets: *const u32, are_wide: u32, part_len: u64, count: u64) -> Parts {
    if offsets.is_null() {
        return Parts::Equal(part_len);
    }
    // SAFETY: by this function's contract.
    Parts::Between(unsafe { Offsets::new(offsets, are_wide != 0, count + 1) })
}

/// Lists `count` parts of an array of `len` keys of `key_bytes` by the way in which they are sorted, if a thread has `items`:
/// between `offsets` or, if these are null, of `part_len` keys each. Counts in `counters`, as
/// [`PartCounters`], how many there are of each kind, wrong offsets, and parts of fewer
/// than `least` keys. The results of a part begin at its start or, unless `wanted` is [`u64::MAX`], after `wanted` of each
/// part before it.
///
/// # Safety
/// Launched with blocks of whole warps. `count` is at least 1, and `offsets` is null, or aligned and readable for `count + 1`
/// offsets of 4 bytes, or of 8 if they `are_wide`. `counters` are all 0. With a tile of `items` keys a thread, `short` is
/// writable for the lists up to [`short_list`] of [`SHORT_CLASSES`], `leaves` for [`most_part_leaves`] records, `segments` for
/// [`most_segments`] and `of_tiles` for [`most_tiles`] numbers. Nothing else uses them during the launch, except that others
/// may read `offsets`.
#[inline(always)]
pub unsafe fn list(
    SortParts {
        offsets,
        are_wide,
        are_signed,
        part_len,
        count,
        len,
        key_bytes,
        items,
        least,
        wanted,
        counters,
        short,
        leaves,
        segments,
        of_tiles,
    }: SortParts,
) {
    wait_for_earlier_launches();
    let items = items as usize;
    let tile = sort_tile(items);
    let (most_leaves, most_segments, most_tiles) =
        (most_part_leaves(len, tile), most_segments(len, tile), most_tiles(len, tile));
    // SAFETY: by this function's contract; the counters give each place to one thread.
    unsafe {
        let lists = PartLists {
            counters: AtomicCells::new(counters, PartCounters::COUNT),
            short: GlobalCells::new(short, short_list(count, len, SHORT_CLASSES, items)),
            leaves: GlobalCells::new(leaves, most_leaves * LEAF_WORDS),
            segments: GlobalCells::new(segments, most_segments * SEGMENT_WORDS),
            of_tiles: GlobalCells::new(of_tiles, most_tiles),
            most_leaves,
            most_segments,
            most_tiles,
            items,
            bits: 8 * key_bytes,
            least,
            wanted: Wanted { first: wanted, are_within: false },
            count,
            len,
        };
        parts::list(open_parts(offsets, are_wide, part_len, count), are_signed != 0, lists);
    }
}

/// Sorts short parts, each in `slot` places: those that `short` lists or, if that is null, all `count` parts. Otherwise as
/// [`leaf`](super::raw::leaf). `PADDED` is the places of a block, and one more for each 32.
///
/// # Safety
/// Launched with [`SORT_THREADS`](crate::sort::shapes::SORT_THREADS) threads a block, and enough blocks for all parts, of
/// which a block has as many as it has slots. `slot` is a power of two from `I` to the places of a block. `input` is aligned
/// and readable for `len` keys by `coding`. `offsets` is null, and there are `count` parts of `part_len` keys in `len`; or it
/// is aligned and readable for `count + 1` offsets of 4 bytes, or of 8 if they `are_wide`, which ascend up to `len`. `short`
/// is null, or readable for `short_len` numbers of parts. A part that is sorted has at most `slot` keys. `out` and
/// `indices_out` are as for [`leaf`](super::raw::leaf), and other memory than `input`. Nothing else uses them during the launch, except that
/// others may read what is only read.
#[inline(always)]
pub unsafe fn short<W: Key, const I: usize, const PADDED: usize>(
    SortShort {
        input,
        len,
        coding,
        offsets,
        are_wide,
        part_len,
        count,
        short,
        short_len,
        slot,
        out,
        out_len,
        coding_out,
        indices_out,
        index_out_bytes,
        wanted,
        are_within,
    }: SortShort<W>,
) {
    const { assert!(PADDED as u64 == sort_tile(I) / 32 * 33 && I.is_power_of_two()) }
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each result is written by the block that has its part.
    unsafe {
        let keys = Keys { elements: GlobalSlice::new(input, len), coding: Coding(coding) };
        let list = (!short.is_null()).then(|| GlobalSlice::new(short, short_len));
        let listed = Listed {
            parts: open_parts(offsets, are_wide, part_len, count),
            list,
            count: if short.is_null() { count } else { short_len },
            slot,
        };
        let result = Result {
            elements: (!out.is_null()).then(|| GlobalCells::new(out, out_len)),
            coding: Coding(coding_out),
            indices: open_indices_out(indices_out, index_out_bytes, out_len),
            wanted: Wanted { first: wanted, are_within: are_within != 0 },
        };
        let merged = Merged {
            keys: moves_short_keys().array::<W::Shared, PADDED>().slice(),
            places: moves_short_places().array::<u32, PADDED>().slice(),
        };
        short::sort::<W, I>(keys, listed, result, merged);
    }
}
