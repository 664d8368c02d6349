//! Segments of at most one tile, by warps: one row of a segment at a time, as many short segments side by side as the lanes
//! have runs for, or several segments of at most a quad per lane.

use cuda_std::global::GlobalSlice;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::quads;
use super::row::{self, Run};
use super::shapes::log2_lane_segments;
use super::spans::Arrays;
use crate::op::{Element, Op};
use crate::scan::tile::Wanted;
use crate::scan::tree::{row_len, run_len, tile_len};
use crate::segments::check::Offsets;
use crate::stored::{Storable, StoredOf};
use crate::warp;

/// The segments to scan.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    /// The correct offsets of all segments. Segments of at most one row are scanned.
    pub(crate) offsets: Offsets,
    /// A batch is `2^log2_batch` of these segments: at most 32, or 32 for each segment of a lane.
    pub(crate) log2_batch: u32,
    /// The start and the length of each segment of more than a row and at most a tile.
    pub(crate) medium: GlobalSlice<[u64; 2]>,
}

/// One segment per lane; an empty one in lanes that have none.
#[derive(Clone, Copy)]
struct Owned {
    start: u64,
    /// Its length, if it is to be scanned here. Any other segment only separates its neighbours.
    len: Option<u32>,
}

impl Work {
    /// Returns the number of segments.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn segments(self) -> u64 {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns the number of units: medium segments and batches.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn units(self) -> u64 {
        let batches = (self.segments() + (1 << self.log2_batch) - 1) >> self.log2_batch;
        self.medium.len() + batches
    }

    /// Returns whether a unit is a batch of several segments per lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_of_several(self, unit: u64) -> bool {
        self.log2_batch > WARP_SIZE.ilog2() && unit >= self.medium.len()
    }

    /// Loads two words per lane about a unit, if there is such a unit: the start and the end of the lane's segment, or what is
    /// listed of a medium one. They are only loaded: nothing waits for them before [`owned`](Self::owned) does.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn words(self, unit: u64) -> [u64; 2] {
        if unit < self.medium.len() {
            self.medium.read(unit)
        } else if unit < self.units() && !self.is_of_several(unit) {
            self.ends(unit, 0)
        } else {
            [0; 2]
        }
    }

    /// Loads the start and the end of the lane's segment among the 32 segments number `i` of a batch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn ends(self, unit: u64, i: u32) -> [u64; 2] {
        let first = (unit - self.medium.len()) << self.log2_batch;
        let end = (first + (1 << self.log2_batch)).min(self.segments());
        let segment = (first + u64::from(i * WARP_SIZE + lane_id())).min(end);
        [self.offsets.get(segment), self.offsets.get((segment + 1).min(end))]
    }

    /// Returns a unit from its [`words`](Self::words): a medium segment in the first lane, or up to 32 segments of a batch.
    ///
    /// Called by: every lane of the warp. Valid in: every lane.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn owned<T>(self, unit: u64, [start, word]: [u64; 2]) -> Owned {
        if unit < self.medium.len() {
            let (start, len) = if lane_id() == 0 { (start, word) } else { (start + word, 0) };
            return Owned { start, len: Some(len.min(tile_len::<T>() as u64) as u32) };
        }
        let len = word.saturating_sub(start);
        Owned { start, len: (len <= row_len::<T>() as u64).then_some(len as u32) }
    }
}

/// Scans the segments of at most one tile.
///
/// Called by: every thread of every block; blocks are whole warps, of at most [`LANES_THREADS`](super::shapes::LANES_THREADS)
/// threads. Valid in: the outputs' places, when the launch has ended. Scratch: the warps'. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn scan<
    T: Element,
    O: Op<T, Out: Storable>,
    const R: usize,
    const Q: usize,
    const N: usize,
    const K: usize,
    const S: usize,
>(
    op: O,
    wanted: Wanted<O::Acc>,
    arrays: Arrays<T, StoredOf<T, O>>,
    work: Work,
) {
    const { assert!(S == 1 << log2_lane_segments::<T, StoredOf<T, O>>()) }
    let warps = u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
    let mut unit = index_1d() / u64::from(WARP_SIZE);
    // The words of the next unit are loaded while one is scanned.
    let mut words = work.words(unit);
    while unit < work.units() {
        let (mut this, mut batch, mut batches) = (words, 0, 1);
        words = work.words(unit + warps);
        if S > 1 && work.is_of_several(unit) {
            let mut ends = [[0; 2]; S];
            unrolled!(i < S, up to 4 => { ends[i] = work.ends(unit, i as u32) });
            this = ends[0];
            batches = if quads::scan::<T, O, R, Q, S>(op, wanted, arrays, ends) { 0 } else { S as u32 };
        }
        while batch < batches {
            scan_side_by_side::<T, O, R, Q, N, K>(op, wanted, arrays, work.owned::<T>(unit, this));
            batch += 1;
            if batch < batches {
                this = work.ends(unit, batch);
            }
        }
        unit += warps;
    }
}

/// Scans a medium segment, or up to 32 segments of at most a row: one row after the other, each of one segment or of as many as
/// fit.
///
/// Called by: every lane of the warp. Valid in: the outputs' places, when the launch has ended. Scratch: the warp's. Order: the
/// tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn scan_side_by_side<
    T: Element,
    O: Op<T, Out: Storable>,
    const R: usize,
    const Q: usize,
    const N: usize,
    const K: usize,
>(
    op: O,
    wanted: Wanted<O::Acc>,
    arrays: Arrays<T, StoredOf<T, O>>,
    owned: Owned,
) {
    let len = owned.len.unwrap_or(0);
    let runs = len.div_ceil(run_len::<T>() as u32);
    // The number of runs of this lane's segment and of those in the lanes below.
    let end = warp::sum_up_to_here(runs);
    let are_there = warp::ballot(owned.len.is_some());
    // The first lane whose segment is unfinished, the number of its finished rows, and their total.
    let (mut from, mut rows, mut carry) = (0, 0, O::IDENTITY);
    while from < WARP_SIZE {
        let start = warp::of_lane(owned.start, from);
        let (first_len, before) = (warp::of_lane(len, from), warp::of_lane(end - runs, from));
        let is_wide = first_len > row_len::<T>() as u32;
        let (skipped, count, run, next);
        if is_wide {
            skipped = rows * row_len::<T>() as u32;
            count = (first_len - skipped).min(row_len::<T>() as u32);
            let at = lane_id() * R as u32;
            let of_lane = count.saturating_sub(at).min(R as u32);
            let index = u64::from(skipped + at);
            run = Run { at: if of_lane > 0 { at } else { 0 }, len: of_lane, number: lane_id(), index };
            rows += 1;
            next = from + u32::from(skipped + count == first_len);
        } else {
            let fits = warp::ballot(end.wrapping_sub(before) <= WARP_SIZE) & are_there;
            // The segments from the first on that fit without a gap; one that is not scanned here is skipped.
            let taken = (fits >> from).trailing_ones();
            next = from + taken.max(1);
            let last = (next - 1) % WARP_SIZE;
            skipped = 0;
            let rest = warp::of_lane(owned.start, last) - start;
            count = if taken == 0 { 0 } else { rest as u32 + warp::of_lane(len, last) };
            run = of_several::<R>(owned.start.wrapping_sub(start) as u32, (len, runs, end), before, last);
        }
        if count > 0 {
            let span = arrays.span(start + u64::from(skipped), count);
            let inclusive = row::scan::<T, O, R, Q, N, K>(op, wanted, (span, count), run, carry);
            carry = if is_wide {
                O::combine(carry, warp::of_lane(inclusive, WARP_SIZE - 1))
            } else {
                O::IDENTITY
            };
        }
        if next > from {
            (from, rows, carry) = (next, 0, O::IDENTITY);
        }
    }
}

/// Returns this lane's run, where several segments lie side by side. Each lane has a segment of `len` elements at `at`
/// in the row's span. It has `runs` runs, and the last of them is number `end - 1`. The row's first run is number
/// `before`, and its last is in the segment of lane `last`.
///
/// Called by: every lane of the warp. Valid in: every lane.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn of_several<const R: usize>(at: u32, (len, runs, end): (u32, u32, u32), before: u32, last: u32) -> Run {
    let wanted = before + lane_id();
    // The first lane whose runs end after the wanted one.
    let (mut owner, mut step) = (0, WARP_SIZE / 2);
    while step > 0 {
        if warp::of_lane(end, owner + step - 1) <= wanted {
            owner += step;
        }
        step /= 2;
    }
    let (at, len) = (warp::of_lane(at, owner), warp::of_lane(len, owner));
    let first = warp::of_lane(end - runs, owner);
    if wanted >= warp::of_lane(end, last) {
        return Run { at: 0, len: 0, number: 0, index: 0 };
    }
    let number = wanted - first;
    let skipped = number * R as u32;
    Run { at: at + skipped, len: (len - skipped).min(R as u32), number, index: u64::from(skipped) }
}
