//! The raw entry points of scans of segments.

use cuda_std::grid::{let_next_launch_start, wait_for_earlier_launches};
use cuda_std::memory::Readable;
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
/// Launched with blocks of whole warps. `offsets` has `count + 1` offsets, at least 2, of 4 bytes, or of 8 if `are_wide`.
/// `counters` are [`Counters`], all 0. `medium`, `long` and `tiles` have room for `most_medium`, `most_long` and `most_tiles`
/// entries.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn scan_segments_list(a: ScanSegmentsList) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each place is written by one thread.
    let (offsets, to) = unsafe {
        let lists = Lists {
            counters: a.counters.cells(Counters::COUNT as u64),
            medium: a.medium.cells(a.most_medium),
            most_medium: a.most_medium,
            long: a.long.cells(a.most_long),
            most_long: a.most_long,
            tiles: a.tiles.cells(a.most_tiles),
            most_tiles: a.most_tiles,
        };
        (Offsets::new(a.offsets, a.are_wide != 0, a.count + 1), lists)
    };
    list::list((offsets, a.are_signed != 0), (a.count, a.len), a.log2_row, to);
    let_next_launch_start();
}

/// Scans the listed tiles.
///
/// # Safety
/// Launched with blocks of [`SCAN_THREADS`](crate::scan::shapes::SCAN_THREADS) threads after [`scan_segments_list`] with the same
/// `len`. `counters`, `long` and `tiles` are what that wrote, with the same `most_long` and `most_tiles`. `input` has `len`
/// elements, and `out` room for as many outputs. `out` may begin at the address of `input`, with outputs of the elements' size.
/// `posts` has [`posts_words`](super::shapes::posts_words) words for `most_stretches`, all zero.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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
    a: ScanSegments<T, O>,
) {
    wait_for_earlier_launches();
    let words = Posts::<O::Acc>::WORDS as u64;
    let (places, groups) = (a.most_stretches * STRETCH_TILES as u64, group_places(a.most_stretches));
    // SAFETY: by this function's contract; every thread runs the same calls below. All counters but the tickets are only read.
    // `posts_words` counts a post for each place, and two for each group's.
    let (arrays, tiles, tickets, posts) = unsafe {
        let found = open(a.counters.readable());
        if found.wrong > 0 {
            return;
        }
        (
            Arrays::new(a.input, a.out, a.len),
            Tiles { list: a.tiles.slice(found.tiles.min(a.most_tiles)), long: a.long.slice(a.most_long) },
            a.counters.skip(Counters::TICKETS).cast::<u32>().cells(1),
            AllPosts {
                tiles: a.posts.posts(places),
                totals: a.posts.skip((places * words) as usize).posts(groups),
                groups: a.posts.skip(((places + groups) * words) as usize).posts(groups),
            },
        )
    };
    let wanted = Wanted { is_inclusive: a.is_inclusive != 0, init: a.init, before: a.before };
    tiles::scan::<T, O, R, Q, N, U, K, W>(a.op, wanted, arrays, tiles, tickets, posts);
    let_next_launch_start();
}

/// Scans the segments of at most one tile and, if `is_new`, zeroes the outputs that belong to no segment.
///
/// # Safety
/// Launched with blocks of [`LANES_THREADS`](super::shapes::LANES_THREADS) threads after [`scan_segments_list`] with the same
/// `count`, at least 1, and `len`. `offsets` is what that checked, unchanged since then, of the same size; `counters` and
/// `medium` are what it wrote. `log2_batch` is at most 5, or 5 more than
/// [`log2_lane_segments`](super::shapes::log2_lane_segments). Otherwise as for [`scan_segments`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn scan_short_segments<
    T: Element,
    O: Op<T, Out: Storable>,
    const R: usize,
    const Q: usize,
    const N: usize,
    const K: usize,
    const S: usize,
>(
    a: ScanShortSegments<T, O>,
) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; every thread runs the same calls below. An output that belongs to no segment is
    // written by one thread, and any other output only by the warp that has its segment.
    let (arrays, work, outs) = unsafe {
        let found = open(a.counters);
        if found.wrong > 0 {
            return;
        }
        let work = Work {
            offsets: Offsets::new(a.offsets, a.are_wide != 0, a.count + 1),
            log2_batch: a.log2_batch,
            medium: a.medium.slice(found.medium.min(a.most_medium)),
        };
        (Arrays::new(a.input, a.out, a.len), work, a.out.cells(a.len))
    };
    if a.is_new != 0 {
        let [first, end] = [0, a.count].map(|at| work.offsets.get(at).min(a.len));
        let (mut at, step) = (index_1d(), u64::from(grid_dim_x()) * u64::from(block_dim_x()));
        let none = <StoredOf<T, O> as bytemuck::Zeroable>::zeroed();
        while at < first {
            outs.write(at, none);
            at += step;
        }
        at = end + index_1d();
        while at < a.len {
            outs.write(at, none);
            at += step;
        }
    }
    let wanted = Wanted { is_inclusive: a.is_inclusive != 0, init: a.init, before: a.before };
    lanes::scan::<T, O, R, Q, N, K, S>(a.op, wanted, arrays, work);
    let_next_launch_start();
}

/// Returns the counters that an earlier launch wrote.
///
/// # Safety
/// `counters` are [`Counters`]. Only their tickets are written during the launch.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn open(counters: Readable<u64>) -> Counters {
    // SAFETY: by this function's contract.
    let counters = unsafe { counters.slice(Counters::TICKETS as u64) };
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
