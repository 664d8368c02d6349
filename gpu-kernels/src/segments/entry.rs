//! The raw entry points of this layer.

#[cfg(any(feature = "rows", feature = "emulator"))]
use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::{let_next_launch_start, wait_for_earlier_launches};

#[cfg(any(feature = "rows", feature = "emulator"))]
use super::check::Offsets;
#[cfg(any(feature = "rows", feature = "emulator"))]
use super::list;
use super::offsets::Segments;
use super::{Counters, join, long, short};
use crate::arguments::{self, ShortSegments};
use crate::op::{Element, Op};
use crate::tree::lanes;

/// Checks offsets and lists the tiles of long segments and the segments of several tiles: see [`Counters`].
///
/// # Safety
/// Launched with blocks of whole warps. `offsets` is aligned and readable for `count + 1` offsets, at least 2, of 4 bytes, or
/// of 8 if `are_wide`. `checked` is writable for as many u64. `counters` are [`Counters`], all 0. `tiles` is writable for
/// `most_tiles`, and `joins` for `most_joins`. Nothing else uses them during the launch, except that others may read `offsets`.
#[cfg(any(feature = "rows", feature = "emulator"))]
#[inline(always)]
pub unsafe fn segments_list(
    arguments::SegmentsList {
        offsets,
        are_wide,
        are_signed,
        count,
        len,
        short,
        lanes,
        checked,
        counters,
        tiles,
        most_tiles,
        joins,
        most_joins,
    }: arguments::SegmentsList,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each place is written by one thread.
    let (offsets, to) = unsafe {
        let offsets = Offsets::new(offsets, are_wide != 0, count + 1);
        let lists = list::Lists {
            offsets: GlobalCells::new(checked, count + 1),
            counters: AtomicCells::new(counters, Counters::COUNT as u64),
            tiles: GlobalCells::new(tiles, most_tiles),
            most_tiles,
            joins: GlobalCells::new(joins, most_joins),
            most_joins,
        };
        (offsets, lists)
    };
    list::list(offsets, are_signed != 0, count, len, short, lanes, to);
    let_next_launch_start();
}

/// Folds the listed tiles of long segments.
///
/// # Safety
/// Launched with blocks of 256, 512 or 1024 threads, after [`segments_list`] with the same `count`, at least 1, the same `len`,
/// and the [`lanes`] of `T`. `offsets` is what it checked, and `counters` and `tiles` are what it wrote. `input` is aligned and
/// readable for `len` elements, at least 1. `out` is writable for one accumulator per segment, and `partials` for `most_tiles`.
/// Nothing else uses them during the launch, except that others may read `input`.
#[inline(always)]
pub unsafe fn segments<T: Element, O: Op<T>, const V: usize>(
    arguments::Segments { input, len, offsets, count, counters, tiles, most_tiles, partials, out, op }: arguments::Segments<T, O>,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; every thread runs the same calls below.
    let (elements, tiles, partials, out) = unsafe {
        let Some(counters) = open_counters(counters) else {
            return;
        };
        let tiles = long::Tiles {
            segments: Segments { offsets: GlobalSlice::new(offsets, count + 1) },
            list: GlobalSlice::new(tiles, counters.tiles.min(most_tiles)),
            lanes: lanes::<T>() as u64,
        };
        (
            GlobalSlice::new(input, len),
            tiles,
            GlobalCells::new(partials, most_tiles),
            GlobalCells::new(out, count),
        )
    };
    match elements.straddled_vectors::<V>() {
        Some(vectors) => long::reduce::<T, O, _, V>(op, tiles, (elements, vectors), partials, out),
        None => long::reduce::<T, O, _, V>(op, tiles, (elements, elements.neighbours()), partials, out),
    }
    let_next_launch_start();
}

/// Folds the short segments, and joins the tiles of each long one that has several.
///
/// # Safety
/// Launched with blocks of whole warps, after [`segments_list`] with the same `short`, at most
/// [`lanes_row_len`](crate::shapes::lanes_row_len) of rows that are not vectors, and, if a segment is longer, after
/// [`segments`]. Otherwise the arguments are the same as for these two launches. `joins` is what [`segments_list`]
/// wrote. `L` and `H` are the same as for [`rows_by_lanes`](crate::entry::raw::rows_by_lanes).
#[inline(always)]
pub unsafe fn short_segments<T: Element, O: Op<T>, const V: usize, const L: usize, const H: usize>(
    ShortSegments {
        input,
        len,
        offsets,
        count,
        short,
        counters,
        joins,
        most_joins,
        partials,
        most_tiles,
        out,
        op,
    }: ShortSegments<T, O>,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; every thread runs the same calls below.
    let (elements, segments, joins, partials, out) = unsafe {
        let Some(counters) = open_counters(counters) else {
            return;
        };
        (
            GlobalSlice::new(input, len),
            Segments { offsets: GlobalSlice::new(offsets, count + 1) },
            GlobalSlice::new(joins, counters.joins.min(most_joins)),
            GlobalSlice::new(partials, most_tiles),
            GlobalCells::new(out, count),
        )
    };
    join::reduce::<T, O>(segments, joins, partials, out);
    match elements.straddled_vectors::<V>() {
        Some(vectors) => short::reduce::<T, O, _, V, L, H>(op, segments, short, vectors, out),
        None => short::reduce::<T, O, _, V, L, H>(op, segments, short, elements.neighbours(), out),
    }
    let_next_launch_start();
}

/// Returns the counters, unless offsets are wrong.
///
/// # Safety
/// `counters` are [`Counters`] that an earlier launch wrote.
#[inline(always)]
unsafe fn open_counters(counters: *const u64) -> Option<Counters> {
    // SAFETY: by this function's contract.
    let counters = unsafe { GlobalSlice::new(counters, Counters::COUNT as u64) };
    let [wrong, tiles, joins] =
        [Counters::WRONG, Counters::TILES, Counters::JOINS].map(|at| counters.read(at));
    let counters = Counters { wrong, tiles, joins };
    (counters.wrong == 0).then_some(counters)
}
