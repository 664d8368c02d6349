//! The entry points of selection by parts: raw arguments become handles, then one call.
//!
//! They are [`select_kernels!`](crate::select_kernels), and may overlap the launch before them, like the bodies of
//! [`entry::raw`](crate::entry::raw). Words are ranked as for [`select`](crate::select::entry::raw).

use cuda_std::global::GlobalCells;
use cuda_std::grid::{let_next_launch_start, wait_for_earlier_launches};
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{block_dim_x, block_idx_x, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::best::Best;
use super::first::first;
use super::pair::Paired;
use super::shapes::{LANES_WARPS, LANES_WORDS, MOST_OF_LANE, PART_WARPS};
use super::source::{Elements, Pairs};
use super::team::{Block, Warp};
use super::tiny::{self, Staged};
use crate::arguments::{FirstOfParts, FirstOfSlices};
use crate::select::keys::Ranking;
use crate::sort::entry::parts::open_parts;
use crate::sort::shapes::SEGMENT_WORDS;

cuda_std::dynamic_shared! {
    /// The best pairs so far.
    fn moves_first_pairs
}

cuda_std::shared_bytes! {
    /// The number of these.
    fn moves_first_taken: 16
}

cuda_std::shared_bytes! {
    /// The indices of results of parts that a lane has.
    fn moves_first_indices: 8192
}

/// The most elements of a lane.
const LANE: usize = MOST_OF_LANE as usize;

const _: () = assert!((LANES_WARPS * 32) as usize * LANE * 4 == 8192);

/// Elements that a team has, and where its results go.
#[derive(Clone, Copy)]
struct Job {
    /// The place of the first element in the array.
    start: u64,
    len: u64,
    /// Its index in the part.
    first: u64,
    /// The place of the first result.
    to: u64,
}

/// Where results are written.
#[derive(Clone, Copy)]
struct Results<W> {
    values: GlobalCells<W>,
    indices: GlobalCells<u64>,
    ranking: Ranking<W>,
}

impl<W: Paired> Results<W> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write(self, place: u64, pair: W::Pair) {
        self.values.write(place, self.ranking.word(W::rank_of(pair)));
        self.indices.write(place, u64::from(W::index_of(pair)));
    }
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn ranking<W: Paired>(signed: u64, all: u64, less: u64) -> Ranking<W> {
    Ranking { signed: W::of(signed), all: W::of(all), less: W::of(less) }
}

/// Returns the part with a number as a job.
///
/// # Safety
/// As for [`by_warps`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn part<W: Copy>(a: &FirstOfParts<W>, number: u64) -> Job {
    // SAFETY: by this function's contract.
    let parts = unsafe { open_parts(a.offsets, a.are_wide, a.part_len, a.count) };
    let (start, len) = parts.at(number, a.len);
    Job { start, len, first: 0, to: number * u64::from(a.k) }
}

/// Returns the number of the part at a place of the list or, without one, the place.
///
/// # Safety
/// As for [`by_warps`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn listed<W: Copy>(a: &FirstOfParts<W>, at: u64) -> u64 {
    // SAFETY: by this function's contract.
    a.list.get().map_or(at, |list| unsafe { list.slice(a.listed) }.read(at))
}

/// Writes the first `k` elements of each of `listed` parts and their indices, a warp for each: of the parts in `list` or, without a list, of
/// all `count` parts. Parts lie between `offsets` or, without offsets, have `part_len` elements each.
///
/// # Safety
/// Launched with blocks of [`PART_WARPS`] warps, one for each part, and dynamic shared memory of `room` pairs for each. `input` has `len`
/// words. Without `offsets` there are `count` parts of `part_len` words in `len`; otherwise there are `count + 1` of 4 bytes, or of 8 if they
/// `are_wide`, which ascend up to `len`. `list`, if it is there, has `listed` numbers of parts. A listed part has `k` elements, from 1 on, or
/// more, and at most [`MOST_OF_PART`](super::shapes::MOST_OF_PART). `room` is a power of two, more than `k` and at least 32. `values` and
/// `indices` have room for `results` numbers.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn by_warps<W: Paired, const V: usize, const R: usize, const E: usize>(a: FirstOfParts<W>) {
    wait_for_earlier_launches();
    let warp = thread_idx_x() / WARP_SIZE;
    let at = u64::from(block_idx_x()) * u64::from(PART_WARPS) + u64::from(warp);
    if at < a.listed {
        // SAFETY: by this function's contract; each result is written by the warp that has its part.
        unsafe {
            let job = part(&a, listed(&a, at));
            let ranking = ranking::<W>(a.signed, a.all, a.less);
            let words = a.input.slice(a.len).window(job.start, job.len);
            let address = a.input.addr() as u64 + job.start * size_of::<W>() as u64;
            let source = Elements::<W, V, R>::new(words, address, ranking, 0, (lane_id(), WARP_SIZE));
            let results =
                Results { values: a.values.cells(a.results), indices: a.indices.cells(a.results), ranking };
            let room: SharedSlice<W::Pair> = moves_first_pairs().slice();
            let room = room.part((warp * a.room) as usize, a.room as usize);
            let best = Best { team: Warp { taken: 0 }, room, k: a.k, bound: W::LAST };
            first::<W, _, _, E>(best, &source, |place, pair| {
                results.write(job.to + u64::from(place), pair);
            });
        }
    }
    let_next_launch_start();
}

/// Does as [`by_warps`] for all of `count` parts of `part_len` elements, a lane for each.
///
/// # Safety
/// As for [`by_warps`], but launched with blocks of [`LANES_WARPS`] warps, a lane for each part, and dynamic shared memory of
/// [`LANES_WORDS`] words for each. Parts have at most [`MOST_OF_LANE`] elements.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn by_lanes<W: Paired>(a: FirstOfParts<W>) {
    wait_for_earlier_launches();
    let warp = thread_idx_x() / WARP_SIZE;
    let parts = u64::from(WARP_SIZE);
    let first = (u64::from(block_idx_x()) * u64::from(LANES_WARPS) + u64::from(warp)) * parts;
    if first < a.count {
        let (ranking, k) = (ranking::<W>(a.signed, a.all, a.less), u64::from(a.k));
        // SAFETY: by this function's contract; each result is written by the warp that has its part.
        unsafe {
            let words = a.input.slice(a.len).window(first * a.part_len, parts * a.part_len);
            let (values, indices) = (a.values.cells(a.results), a.indices.cells(a.results));
            let indices_of_warp = moves_first_indices().slice::<u32>();
            let staged = Staged {
                words: moves_first_pairs()
                    .slice::<W::Shared>()
                    .part((warp * LANES_WORDS) as usize, LANES_WORDS as usize),
                indices: indices_of_warp.part((warp * 32) as usize * LANE, 32 * LANE),
            };
            tiny::first(words, ranking, (a.part_len as u32, a.k), staged, |place, word, index| {
                values.write(first * k + u64::from(place), word);
                indices.write(first * k + u64::from(place), u64::from(index));
            });
        }
    }
    let_next_launch_start();
}

/// Does as [`by_warps`], with a block for each part. If there are `pairs`, each part is cut into slices of `slice_len` elements, a block
/// each, and the first pairs of each slice are written there: of `slices` of each part or, with `of_tiles`, of the segment that it names for
/// the block, which `segments` lists as for a sort. A slice with fewer elements has [`Paired::LAST`] behind them.
///
/// # Safety
/// As for [`by_warps`], but launched with blocks of a power of two of threads, at most `room`, one for each part or slice, and with `room`
/// pairs in all. `pairs`, if it is there, has room for `pairs_len` pairs. `of_tiles`, if it is there, has a number for each block, and then
/// `segments` has `segments_len` records.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn by_blocks<W: Paired, const V: usize, const R: usize, const E: usize>(a: FirstOfParts<W>) {
    wait_for_earlier_launches();
    let block = u64::from(block_idx_x());
    // SAFETY: by this function's contract; each result is written by the block that has its part or slice.
    unsafe {
        let whole = match a.of_tiles.get() {
            None => part(&a, listed(&a, if a.slices > 1 { block / a.slices } else { block })),
            Some(of_tiles) => {
                let number = of_tiles.slice(block + 1).read(block);
                let segments = a.segments.get_unchecked().slice(a.segments_len * SEGMENT_WORDS);
                let word = |i: u64| segments.read(u64::from(number) * SEGMENT_WORDS + i);
                Job { start: word(0), len: word(1), first: (block - word(2)) * a.slice_len, to: 0 }
            }
        };
        let mut job = whole;
        if !a.pairs.is_none() {
            let before = if a.of_tiles.is_none() { block % a.slices * a.slice_len } else { whole.first };
            let before = before.min(whole.len);
            let (first, left) = (before, whole.len - before);
            job = Job {
                start: whole.start + first,
                len: left.min(a.slice_len),
                first,
                to: block * u64::from(a.k),
            };
        }
        let ranking = ranking::<W>(a.signed, a.all, a.less);
        let words = a.input.slice(a.len).window(job.start, job.len);
        let address = a.input.addr() as u64 + job.start * size_of::<W>() as u64;
        let team = (thread_idx_x(), block_dim_x());
        let source = Elements::<W, V, R>::new(words, address, ranking, job.first as u32, team);
        let results =
            Results { values: a.values.cells(a.results), indices: a.indices.cells(a.results), ranking };
        let pairs = a.pairs.get().map(|pairs| pairs.cast::<W::Pair>().cells(a.pairs_len));
        // Of a short slice there may be fewer.
        let k = (words.len().min(u64::from(a.k))) as u32;
        if let Some(pairs) = pairs {
            let mut place = k + thread_idx_x();
            while place < a.k {
                pairs.write(job.to + u64::from(place), W::LAST);
                place += block_dim_x();
            }
        }
        if k > 0 {
            let team = Block { taken: moves_first_taken().array::<u32, 1>().slice() };
            let room = moves_first_pairs().slice::<W::Pair>().part(0, a.room as usize);
            let best = Best { team, room, k, bound: W::LAST };
            first::<W, _, _, E>(best, &source, |place, pair| {
                let place = job.to + u64::from(place);
                match pairs {
                    Some(pairs) => pairs.write(place, pair),
                    None => results.write(place, pair),
                }
            });
        }
    }
    let_next_launch_start();
}

/// Writes the first `k` elements of a part for each block, from the first `k` pairs of each slice of it: of `slices` or, with `segments`, of
/// the slices of `slice_len` of the segment that it lists.
///
/// # Safety
/// Launched with blocks of a power of two of threads, at most `room`, and dynamic shared memory for `room` pairs, after [`by_blocks`] wrote
/// `pairs`. `pairs` has `pairs_len` pairs, `k` for each slice, fewer than 2^32 for a part, of which at least `k` are elements. `room` is a
/// power of two and more than `k`. `segments`, if it is there, has `segments_len` records. `values` and `indices` have room for `results`
/// numbers.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn of_slices<W: Paired, const E: usize>(a: FirstOfSlices<W>) {
    wait_for_earlier_launches();
    let (block, k) = (u64::from(block_idx_x()), u64::from(a.k));
    // SAFETY: by this function's contract; each result is written by the block that has its part.
    unsafe {
        let (first_slice, slices, to) = match a.segments.get() {
            None => (block * a.slices, a.slices, block * k),
            Some(segments) => {
                let segments = segments.slice(a.segments_len * SEGMENT_WORDS);
                let word = |i: u64| segments.read(block * SEGMENT_WORDS + i);
                (word(2), word(1).div_ceil(a.slice_len), word(9))
            }
        };
        let pairs = a.pairs.cast::<W::Pair>().slice(a.pairs_len);
        let (thread, threads) = (thread_idx_x(), block_dim_x());
        let source = Pairs::<W> { pairs: pairs.window(first_slice * k, slices * k), thread, threads };
        let ranking = ranking::<W>(a.signed, a.all, a.less);
        let results =
            Results { values: a.values.cells(a.results), indices: a.indices.cells(a.results), ranking };
        let team = Block { taken: moves_first_taken().array::<u32, 1>().slice() };
        let room = moves_first_pairs().slice::<W::Pair>().part(0, a.room as usize);
        let best = Best { team, room, k: a.k, bound: W::LAST };
        first::<W, _, _, E>(best, &source, |place, pair| results.write(to + u64::from(place), pair));
    }
    let_next_launch_start();
}
