//! The raw entry points of this layer.

use cuda_std::grid::{let_next_launch_start, wait_for_earlier_launches};
use cuda_std::memory::Readable;

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
/// Launched with blocks of whole warps. `offsets` has `count + 1` offsets, at least 2, of 4 bytes, or of 8 if `are_wide`.
/// `checked` has room for as many u64. `counters` are [`Counters`], all 0. `tiles` has room for `most_tiles`, and `joins` for
/// `most_joins`.
#[cfg(any(feature = "rows", feature = "emulator"))]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn segments_list(a: arguments::SegmentsList) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each place is written by one thread.
    let (offsets, to) = unsafe {
        let offsets = Offsets::new(a.offsets, a.are_wide != 0, a.count + 1);
        let lists = list::Lists {
            offsets: a.checked.cells(a.count + 1),
            counters: a.counters.cells(Counters::COUNT as u64),
            tiles: a.tiles.cells(a.most_tiles),
            most_tiles: a.most_tiles,
            joins: a.joins.cells(a.most_joins),
            most_joins: a.most_joins,
        };
        (offsets, lists)
    };
    list::list(offsets, a.are_signed != 0, a.count, a.len, a.short, a.lanes, to);
    let_next_launch_start();
}

/// Folds the listed tiles of long segments.
///
/// # Safety
/// Launched with blocks of 256, 512 or 1024 threads, after [`segments_list`] with the same `count`, at least 1, the same `len`,
/// and the [`lanes`] of `T`. `offsets` is what it checked, and `counters` and `tiles` are what it wrote. `input` has `len`
/// elements, at least 1. `out` has room for one accumulator per segment, and `partials` for `most_tiles`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn segments<T: Element, O: Op<T>, const V: usize>(a: arguments::Segments<T, O>) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; every thread runs the same calls below.
    let (elements, tiles, partials, out) = unsafe {
        let Some(counters) = open_counters(a.counters) else {
            return;
        };
        let tiles = long::Tiles {
            segments: Segments { offsets: a.offsets.slice(a.count + 1) },
            list: a.tiles.slice(counters.tiles.min(a.most_tiles)),
            lanes: lanes::<T>() as u64,
        };
        (a.input.slice(a.len), tiles, a.partials.cells(a.most_tiles), a.out.cells(a.count))
    };
    match elements.straddled_vectors::<V>() {
        Some(vectors) => long::reduce::<T, O, _, V>(a.op, tiles, (elements, vectors), partials, out),
        None => long::reduce::<T, O, _, V>(a.op, tiles, (elements, elements.neighbours()), partials, out),
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
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn short_segments<T: Element, O: Op<T>, const V: usize, const L: usize, const H: usize>(
    a: ShortSegments<T, O>,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; every thread runs the same calls below.
    let (elements, segments, joins, partials, out) = unsafe {
        let Some(counters) = open_counters(a.counters) else {
            return;
        };
        (
            a.input.slice(a.len),
            Segments { offsets: a.offsets.slice(a.count + 1) },
            a.joins.slice(counters.joins.min(a.most_joins)),
            a.partials.slice(a.most_tiles),
            a.out.cells(a.count),
        )
    };
    join::reduce::<T, O>(segments, joins, partials, out);
    match elements.straddled_vectors::<V>() {
        Some(vectors) => short::reduce::<T, O, _, V, L, H>(a.op, segments, a.short, vectors, out),
        None => short::reduce::<T, O, _, V, L, H>(a.op, segments, a.short, elements.neighbours(), out),
    }
    let_next_launch_start();
}

/// Returns the counters, unless offsets are wrong.
///
/// # Safety
/// `counters` are [`Counters`] that an earlier launch wrote.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn open_counters(counters: Readable<u64>) -> Option<Counters> {
    // SAFETY: by this function's contract.
    let counters = unsafe { counters.slice(Counters::COUNT as u64) };
    let [wrong, tiles, joins] =
        [Counters::WRONG, Counters::TILES, Counters::JOINS].map(|at| counters.read(at));
    let counters = Counters { wrong, tiles, joins };
    (counters.wrong == 0).then_some(counters)
}
