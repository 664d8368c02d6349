//! The elements of a block to their places: in the order of one digit of their groups' ids, and else as they stood.
//!
//! A block takes its elements tile by tile. A warp has neighbours of a tile, a lane every 32nd of those, so that elements
//! stand in the order of warps, then of turns, then of lanes: in that order they are [ranked](super::ranks). A tile then
//! lies in shared memory by rank, from where neighbours write to neighbouring places.
//!
//! In the last of several passes a tile is in the order of whole ids but for some breaks, since earlier passes have sorted
//! by the lower bits. So a group's elements of a tile are counted by two atomic additions where a run of equal ids begins
//! and ends, not by one for each element.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{block_idx_x, grid_dim_x, sync_threads, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;

use super::ids::{IdsOut, column_before};
use super::pass::Pass;
use super::ranks::Digits;
use super::shape::SCATTER_THREADS;
use crate::moves::Word;
use crate::unroll::unrolled;

/// Where the groups' offsets or sizes go.
#[derive(Clone, Copy)]
pub(crate) enum GroupsOut {
    /// Nowhere: more passes come.
    None,
    /// The only pass: where each of so many groups begins, and where the last one ends.
    Offsets(GlobalCells<u64>, u64),
    /// The last of several passes: each group's number of elements is added to its cell.
    Sizes(AtomicCells<u64>),
}

/// A tile by rank, in shared memory.
#[derive(Clone, Copy)]
pub(crate) struct Staged<S> {
    /// The ids.
    pub(crate) ids: SharedSlice<u32>,
    /// The elements.
    pub(crate) elements: SharedSlice<S>,
}

/// What a block moves, and how.
#[derive(Clone, Copy)]
pub(crate) struct Scatter<D, W: Word> {
    /// The ids. Of what type is not asked in the loop over tiles: it would have registers for both at once.
    pub(crate) ids: GlobalSlice<D>,
    /// The elements.
    pub(crate) elements: GlobalSlice<W>,
    /// The digit, and the block's portion.
    pub(crate) pass: Pass,
    /// A tile.
    pub(crate) staged: Staged<W::Shared>,
    /// Where the ids go.
    pub(crate) ids_out: IdsOut,
    /// Where the elements go.
    pub(crate) out: GlobalCells<W>,
    /// Where the groups go.
    pub(crate) groups: GroupsOut,
}

/// Elements of a tile that a thread has under way when less than a whole one is left.
const REST_ITEMS: usize = 2;

impl<D: Copy + Into<u32>, W: Word> Scatter<D, W> {
    /// Moves each block's elements to their places. `starts` has for digit `d` and block `b`, at `d * blocks + b`, where the
    /// first one goes. A thread has `I` of them under way.
    ///
    /// Called by: every thread of every block; blocks are of [`SCATTER_THREADS`]. Valid in: what is written, when the launch
    /// has ended. Scratch: `staged`, places for `I` elements of each thread, and what the digits have.
    #[inline(always)]
    pub(crate) fn run<const I: usize>(self, starts: GlobalSlice<u64>) {
        const { assert!(I >= REST_ITEMS) }
        let mut next = first_place(starts, self.pass, self.groups);
        let (mut start, end) = self.pass.range();
        let mut thread = thread_idx_x();
        while end - start >= u64::from(I as u32 * SCATTER_THREADS) {
            next = self.tile::<I>(thread, start, None, next);
            start += u64::from(I as u32 * SCATTER_THREADS);
            // Where a thread's elements lie in shared memory is not kept in registers from one tile to the next.
            thread = unknown(thread);
        }
        while start < end {
            next = self.tile::<REST_ITEMS>(thread, start, Some(end), next);
            start += u64::from(REST_ITEMS as u32 * SCATTER_THREADS);
            thread = unknown(thread);
        }
        let_next_launch_start();
    }

    /// Moves a tile that begins at `start`: a whole one unless there is an `end`. This thread's digit goes on at place `next`:
    /// gives where the one after it does.
    #[inline(always)]
    fn tile<const I: usize>(self, thread: u32, start: u64, end: Option<u64>, next: u64) -> u64 {
        let own = thread / WARP_SIZE * (I as u32 * WARP_SIZE) + thread % WARP_SIZE;
        let whole = I as u32 * SCATTER_THREADS;
        let count = end.map_or(whole, |end| (end - start).min(u64::from(whole)) as u32);
        let first = start + u64::from(own);
        let ids = load::<D, I>(self.ids, first, end).map(Into::into);
        let words = load::<W, I>(self.elements, first, end);
        let digits = Digits::new(self.pass, thread);
        let ranks = digits.rank::<I>(ids, end.map(|_| count.saturating_sub(own)));
        sync_threads();
        let after = digits.place(next);
        // Digits are found again, not kept.
        let digits = Digits::new(Pass { shift: unknown(self.pass.shift), ..self.pass }, thread);
        unrolled!(i < I => {
            if end.is_none() || own + i as u32 * WARP_SIZE < count {
                let rank = (digits.first_rank(ids[i]) + ranks[i]) as usize;
                self.staged.ids.write(rank, ids[i]);
                self.staged.elements.write(rank, words[i].widen());
            }
        });
        sync_threads();
        let mut rank = thread;
        while rank < count {
            unrolled!(i < { if I < 4 { I } else { 4 } } => {
                let rank = rank + i as u32 * SCATTER_THREADS;
                if end.is_none() || rank < count {
                    self.write(digits, rank, count);
                }
            });
            rank = unknown(rank + (if I < 4 { I as u32 } else { 4 }) * SCATTER_THREADS);
        }
        after
    }

    /// Writes the element of a rank in the tile, which has `count`.
    #[inline(always)]
    fn write(self, digits: Digits, rank: u32, count: u32) {
        let id = self.staged.ids.read(rank as usize);
        let place = digits.shift(id).wrapping_add(u64::from(rank));
        self.ids_out.write(place, id);
        self.out.write(place, W::narrow(self.staged.elements.read(rank as usize)));
        if let GroupsOut::Sizes(sizes) = self.groups {
            count_run(sizes, self.staged.ids, id, rank, count);
        }
    }
}

/// What stands at `first` and every 32nd place after it: all there or, if there is an `end`, as [`column_before`] it.
#[inline(always)]
fn load<T: Copy, const I: usize>(from: GlobalSlice<T>, first: u64, end: Option<u64>) -> [T; I] {
    match end {
        None => from.read_column(first, WARP_SIZE),
        Some(end) => column_before(from, first, WARP_SIZE, end),
    }
}

/// Where this block's first element goes that has this thread's digit: each thread has one, as far as there are digits.
#[inline(always)]
fn first_place(starts: GlobalSlice<u64>, pass: Pass, groups: GroupsOut) -> u64 {
    let (digit, blocks) = (u64::from(thread_idx_x()), u64::from(grid_dim_x()));
    if digit >= u64::from(pass.digits()) {
        return 0;
    }
    let place = starts.read(digit * blocks + u64::from(block_idx_x()));
    if let GroupsOut::Offsets(offsets, count) = groups
        && block_idx_x() == 0
    {
        // Of the first block it is where the digit begins, and the digit is the id.
        if digit < count {
            offsets.write(digit, place);
        }
        if digit == 0 {
            offsets.write(count, pass.len);
        }
    }
    place
}

/// Adds the length of a run of equal ids to its group's size: as its end less its beginning, each by whoever has it.
#[inline(always)]
fn count_run(sizes: AtomicCells<u64>, ids: SharedSlice<u32>, id: u32, rank: u32, count: u32) {
    let is_first = rank == 0 || ids.read(rank as usize - 1) != id;
    let is_last = rank + 1 == count || ids.read(rank as usize + 1) != id;
    // An id that is not of a group has been reported, and has no cell.
    if (is_first || is_last) && u64::from(id) < sizes.len() {
        let end = if is_last { u64::from(rank) + 1 } else { 0 };
        let start = if is_first { u64::from(rank) } else { 0 };
        sizes.add(u64::from(id), end.wrapping_sub(start));
    }
}
