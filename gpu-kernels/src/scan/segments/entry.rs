//! The raw entry points of scans of segments.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::{let_next_launch_start, wait_for_earlier_launches};
use cuda_std::posts::Posts;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};

use super::Counters;
use super::lanes::{self, Work};
use super::list::{self, Lists};
use super::shapes::group_places;
use super::spans::Arrays;
use super::tiles::{self, AllPosts, Tiles};
use crate::arguments::{ScanSegments, ScanSegmentsList, ScanShortSegments};
use crate::op::{Element, Op};
use crate::scan::tile::Wanted;
use crate::scan::tree::STRETCH_TILES;
use crate::segments::check::Offsets;
use crate::stored::{Storable, StoredOf};

/// Checks offsets and lists what the two launches below scan separately: see [`Counters`].
///
/// # Safety
/// Launched with blocks of whole warps. `offsets` is aligned and readable for `count + 1` offsets, at least 2, of 4 bytes, or
/// of 8 if `are_wide`. `counters` are [`Counters`], all 0. `medium`, `long` and `tiles` are writable for `most_medium`,
/// `most_long` and `most_tiles` entries. Nothing else uses them during the launch, except that others may read `offsets`.
#[inline(always)]
pub unsafe fn scan_segments_list(
    ScanSegmentsList {
        offsets,
        are_wide,
        are_signed,
        count,
        len,
        log2_row,
        counters,
        medium,
        most_medium,
        long,
        most_long,
        tiles,
        most_tiles,
    }: ScanSegmentsList,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each place is written by one thread.
    let (offsets, to) = unsafe {
        let lists = Lists {
            counters: AtomicCells::new(counters, Counters::COUNT as u64),
            medium: GlobalCells::new(medium, most_medium),
            most_medium,
            long: GlobalCells::new(long, most_long),
            most_long,
            tiles: GlobalCells::new(tiles, most_tiles),
            most_tiles,
        };
        (Offsets::new(offsets, are_wide != 0, count + 1), lists)
    };
    list::list((offsets, are_signed != 0), (count, len), log2_row, to);
    let_next_launch_start();
}

/// Scans the listed tiles.
///
/// # Safety
/// Launched with blocks of [`SCAN_THREADS`](crate::scan::shapes::SCAN_THREADS) threads after [`scan_segments_list`] with the
/// same `len`. `counters`, `long` and `tiles` are what that wrote, with the same `most_long` and `most_tiles`. `input` is
/// aligned and readable for `len` elements, and `out` aligned and writable for as many outputs. They do not overlap, or they
/// begin at one address with elements and outputs of one size. `posts` is aligned to 8, and has
/// [`posts_words`](super::shapes::posts_words) words for `most_stretches`, all zero. Nothing else uses these during the launch,
/// except that others may read `input` if it does not overlap `out`.
#[inline(always)]
pub unsafe fn scan_segments<
    T: Element,
    O: Op<T, Out: Storable>,
    const R: usize,
    const Q: usize,
    const N: usize,
    const U: usize,
    const K: usize,
    const W: usize,
>(
    ScanSegments {
        input,
        len,
        is_inclusive,
        init,
        before,
        counters,
        long,
        most_long,
        tiles,
        most_tiles,
        posts,
        most_stretches,
        out,
        op,
    }: ScanSegments<T, O>,
) {
    wait_for_earlier_launches();
    let words = Posts::<O::Acc>::WORDS as u64;
    let (places, groups) = (most_stretches * STRETCH_TILES as u64, group_places(most_stretches));
    // SAFETY: by this function's contract; every thread runs the same calls below. All counters but the tickets are only read.
    // `posts_words` counts a post for each place, and two for each group's.
    let (arrays, tiles, tickets, posts) = unsafe {
        let found = open(counters);
        if found.wrong > 0 {
            return;
        }
        (
            Arrays::new(input, out, len),
            Tiles {
                list: GlobalSlice::new(tiles, found.tiles.min(most_tiles)),
                long: GlobalSlice::new(long, most_long),
            },
            AtomicCells::new(counters.wrapping_add(Counters::TICKETS).cast::<u32>(), 1),
            AllPosts {
                tiles: Posts::new(posts, places),
                totals: Posts::new(posts.wrapping_add((places * words) as usize), groups),
                groups: Posts::new(posts.wrapping_add(((places + groups) * words) as usize), groups),
            },
        )
    };
    let wanted = Wanted { is_inclusive: is_inclusive != 0, init, before };
    tiles::scan::<T, O, R, Q, N, U, K, W>(op, wanted, arrays, tiles, tickets, posts);
    let_next_launch_start();
}

/// Scans the segments of at most one tile and, if `is_new`, zeroes the outputs that belong to no segment.
///
/// # Safety
/// Launched with blocks of [`LANES_THREADS`](super::shapes::LANES_THREADS) threads after [`scan_segments_list`] with the same
/// `count`, at least 1, and `len`. `offsets` is what that checked, unchanged since then, of the same size; `counters` and
/// `medium` are what it wrote. `log2_batch` is at most 5, or 5 more than
/// [`log2_lane_segments`](super::shapes::log2_lane_segments). Otherwise as for [`scan_segments`].
#[inline(always)]
pub unsafe fn scan_short_segments<
    T: Element,
    O: Op<T, Out: Storable>,
    const R: usize,
    const Q: usize,
    const N: usize,
    const K: usize,
    const S: usize,
>(
    ScanShortSegments {
        input,
        len,
        is_inclusive,
        init,
        before,
        offsets,
        are_wide,
        count,
        log2_batch,
        counters,
        medium,
        most_medium,
        is_new,
        out,
        op,
    }: ScanShortSegments<T, O>,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; every thread runs the same calls below. An output that belongs to no segment is
    // written by one thread, and any other output only by the warp that has its segment.
    let (arrays, work, outs) = unsafe {
        let found = open(counters);
        if found.wrong > 0 {
            return;
        }
        let work = Work {
            offsets: Offsets::new(offsets, are_wide != 0, count + 1),
            log2_batch,
            medium: GlobalSlice::new(medium, found.medium.min(most_medium)),
        };
        (Arrays::new(input, out, len), work, GlobalCells::new(out, len))
    };
    if is_new != 0 {
        let [first, end] = [0, count].map(|at| work.offsets.get(at).min(len));
        let (mut at, step) = (index_1d(), u64::from(grid_dim_x()) * u64::from(block_dim_x()));
        let none = <StoredOf<T, O> as bytemuck::Zeroable>::zeroed();
        while at < first {
            outs.write(at, none);
            at += step;
        }
        at = end + index_1d();
        while at < len {
            outs.write(at, none);
            at += step;
        }
    }
    let wanted = Wanted { is_inclusive: is_inclusive != 0, init, before };
    lanes::scan::<T, O, R, Q, N, K, S>(op, wanted, arrays, work);
    let_next_launch_start();
}

/// Returns the counters that an earlier launch wrote.
///
/// # Safety
/// `counters` are [`Counters`]. Only their tickets are written during the launch.
#[inline(always)]
unsafe fn open(counters: *const u64) -> Counters {
    // SAFETY: by this function's contract.
    let counters = unsafe { GlobalSlice::new(counters, Counters::TICKETS as u64) };
    let of = |counter| counters.read(counter);
    Counters {
        wrong: of(0),
        medium: of(Counters::MEDIUM),
        long: of(Counters::LONG),
        tiles: of(Counters::TILES),
        stretches: of(Counters::STRETCHES),
        tickets: 0,
    }
}
