//! The elements to their places: in the order of one digit of their groups' ids, and else as they stood.
//!
//! A block has one tile of neighbours, by [ticket](crate::hand_over). A warp has neighbours of those, a lane every 32nd, so
//! that elements stand in the order of warps, then of turns, then of lanes: in that order they are [ranked](super::ranks).
//! The tile then lies in shared memory by rank, from where neighbours write to neighbouring places. Since tiles are moved
//! in the order in which they stand, all that the device writes at a time lies close together for each digit.
//!
//! Behind the last element there are some of the highest digit, which are written nowhere: they are the tile's last by rank.
//!
//! In the last of several passes a tile is in the order of whole ids but for some breaks, since earlier passes have sorted
//! by the lower bits. So a group's elements of a tile are counted by two atomic additions where one run of equal ids ends and
//! the next begins, not by one for each element.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::{SharedArray, SharedSlice};
use cuda_std::thread::{grid_dim_x, sync_threads, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::ids::{Ids, IdsOut, warp_column};
use super::pass::Pass;
use super::ranks::Ranks;
use super::shapes::{LOOK_BACK, MOST_DIGITS, MOST_SCATTERED, SCATTER_THREADS};
use crate::hand_over::post::{MOST_COUNTED, States};
use crate::hand_over::ticket;
use crate::word::Word;

/// Elements that a thread writes at once.
const AT_ONCE: usize = 4;

cuda_std::shared_bytes! {
    /// The number of the block's tile.
    fn warpfold_scatter_tile: 4
}

cuda_std::shared_bytes! {
    /// For each digit: how far from its rank an element's place is.
    fn warpfold_scatter_shifts: 2048
}

const _: () = assert!(MOST_DIGITS * 8 <= 2048 && MOST_SCATTERED <= MOST_COUNTED as u64);

/// A tile by rank, in shared memory.
#[derive(Clone, Copy)]
pub(crate) struct Staged<S> {
    /// The ids.
    pub(crate) ids: SharedSlice<u32>,
    /// The elements.
    pub(crate) elements: SharedSlice<S>,
}

/// Where the elements of each digit go.
#[derive(Clone, Copy)]
pub(crate) struct Starts {
    /// For each digit, a place.
    pub(crate) places: GlobalSlice<u64>,
    /// The number to subtract from each place.
    pub(crate) excess: u64,
    /// For each digit, where the elements behind this launch's go: written if there are any.
    pub(crate) next: Option<GlobalCells<u64>>,
}

/// What a launch moves, and how.
#[derive(Clone, Copy)]
pub(crate) struct Scatter<W: Word> {
    /// The ids.
    pub(crate) ids: Ids,
    /// The elements.
    pub(crate) elements: GlobalSlice<W>,
    /// The digit.
    pub(crate) pass: Pass,
    /// Where the first element of each digit goes.
    pub(crate) starts: Starts,
    /// How many tiles have blocks: a word that is 0 before the launch.
    pub(crate) tickets: AtomicCells<u32>,
    /// The states of the tiles for each digit: words that are 0 before the launch.
    pub(crate) states: AtomicCells<u32>,
    /// A tile.
    pub(crate) staged: Staged<W::Shared>,
    /// Where the ids go.
    pub(crate) ids_out: IdsOut,
    /// Where the elements go.
    pub(crate) out: GlobalCells<W>,
    /// In the last of several passes: what each group's number of elements is added to.
    pub(crate) sizes: Option<AtomicCells<u64>>,
}

impl<W: Word> Scatter<W> {
    /// Moves a tile, `I` elements of each thread, to their places.
    ///
    /// Called by: every thread of every block; blocks are of [`SCATTER_THREADS`], as many as there are tiles. Valid in:
    /// what is written, when the launch has ended. Scratch: `staged`, the shifts, and what the ranks have.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn run<const I: usize>(self) {
        const { assert!(I.is_multiple_of(AT_ONCE)) }
        let thread = thread_idx_x();
        let tile = draw(self.tickets);
        let whole = I as u32 * SCATTER_THREADS;
        let start = u64::from(tile) * u64::from(whole);
        let left = self.ids.len().saturating_sub(start);
        let is_whole = left >= u64::from(whole);
        let count = if is_whole { whole } else { left as u32 };

        let own = thread / WARP_SIZE * (I as u32 * WARP_SIZE) + thread % WARP_SIZE;
        let first = start + u64::from(own);
        let ids = self.ids.warp_column::<I>(first, is_whole);
        let ranks = Ranks::new(self.pass, thread);
        let numbers = ranks.number::<I>(ids);
        // Under way while the block meets.
        let words = warp_column::<W, I>(self.elements, first, is_whole, W::zeroed());
        sync_threads();
        // Neighbours in memory are of neighbouring digits, which neighbouring threads have.
        let states = States { cells: self.states, first: u64::from(thread), step: self.pass.digits() };
        let digit = ranks.settle(|count| states.post_own(u64::from(tile), count));
        sync_threads();
        // Where the counters are is found again, not kept.
        let ranks = Ranks::new(Pass { shift: unknown(self.pass.shift), ..self.pass }, thread);
        unrolled!(i < I => {
            let rank = (ranks.first_of_warp(ids[i]) + numbers[i]) as usize;
            self.staged.ids.write(rank, ids[i]);
            self.staged.elements.write(rank, words[i].widen());
        });
        let shifts = warpfold_scatter_shifts().array::<u64, MOST_DIGITS>();
        if let Some(digit) = digit {
            let start = self.starts.places.read(u64::from(thread)).wrapping_sub(self.starts.excess);
            let before = states.before_by_thread::<LOOK_BACK>(tile);
            states.post_up_to_here(u64::from(tile), before + digit.count);
            let place = start + u64::from(before);
            shifts.write(thread as usize, place.wrapping_sub(u64::from(digit.first)));
            if let Some(next) = self.starts.next
                && tile + 1 == grid_dim_x()
            {
                next.write(u64::from(thread), place + u64::from(digit.count) + self.starts.excess);
            }
        }
        sync_threads();
        self.write::<I>(thread, count, shifts);
        let_next_launch_start();
    }

    /// Writes the `count` elements of the tile. All of them have been staged.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write<const I: usize>(self, thread: u32, count: u32, shifts: SharedArray<u64, MOST_DIGITS>) {
        let last = I as u32 * SCATTER_THREADS - 1;
        let mut first = thread;
        while first < count {
            let (mut ids, mut places, mut words) = ([0; AT_ONCE], [0; AT_ONCE], [W::zeroed(); AT_ONCE]);
            // Reads side by side, and then writes.
            unrolled!(i < AT_ONCE => {
                let rank = (first + i as u32 * SCATTER_THREADS).min(last) as usize;
                ids[i] = self.staged.ids.read(rank);
                words[i] = W::narrow(self.staged.elements.read(rank));
            });
            unrolled!(i < AT_ONCE => {
                let rank = u64::from(first + i as u32 * SCATTER_THREADS);
                places[i] = shifts.read(self.pass.digit(ids[i]) as usize % MOST_DIGITS).wrapping_add(rank);
            });
            unrolled!(i < AT_ONCE => {
                let rank = first + i as u32 * SCATTER_THREADS;
                if rank < count {
                    self.out.write(places[i], words[i]);
                    self.ids_out.write(places[i], ids[i]);
                    if let Some(sizes) = self.sizes {
                        count_run(sizes, self.staged.ids, ids[i], rank, count);
                    }
                }
            });
            first = unknown(first + AT_ONCE as u32 * SCATTER_THREADS);
        }
    }
}

/// The number of this block's tile.
///
/// Called by: every thread of the block. Valid in: every thread. Scratch: a word.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn draw(tickets: AtomicCells<u32>) -> u32 {
    ticket::draw(tickets, warpfold_scatter_tile().array::<u32, 1>())
}

/// Adds the length of each run of equal ids to its group's size, as its end less its beginning: where one run ends and the
/// next begins, whoever has the first element of that; at the tile's end, whoever has the last of all.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn count_run(sizes: AtomicCells<u64>, ids: SharedSlice<u32>, id: u32, rank: u32, count: u32) {
    // An id that is not of a group has been reported, and has no cell.
    let add = |id: u32, value: u64| {
        if u64::from(id) < sizes.len() {
            sizes.add(u64::from(id), value);
        }
    };
    let before = ids.read(rank.saturating_sub(1) as usize);
    if before != id {
        add(before, u64::from(rank));
        add(id, u64::from(rank).wrapping_neg());
    }
    if rank + 1 == count {
        add(id, u64::from(count));
    }
}
