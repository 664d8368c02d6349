//! The keys of a tile to their places: in the order of one digit, and else as they stood.
//!
//! A block has one tile of neighbours, by [ticket](crate::moves::groups). A warp has neighbours of those, a lane every 32nd, so
//! that keys stand in the order of warps, then of turns, then of lanes: in that order they are ranked. The tile then lies in
//! shared memory by rank, from where neighbours write to neighbouring places. Values take the keys' room in shared memory when
//! the keys have left it.
//!
//! Behind the last key there are some of the highest digit, which are written nowhere: they are the tile's last by rank.

use bytemuck::Pod;
use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{block_idx_x, grid_dim_x, sync_threads, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;

use super::flips::Flips;
use super::ranks::Ranks;
use super::shape::{DIGIT_BITS, DIGITS};
use super::values::Value;
use crate::moves::groups::ids::warp_column;
use crate::moves::groups::look_back::LookBack;
use crate::moves::groups::scatter::{Starts, draw};
use crate::moves::sort::Key;
use crate::unroll::unrolled;

cuda_std::shared_bytes! {
    /// For each digit: how far from its rank a key's place is.
    fn moves_radix_shifts: 2048
}

const _: () = assert!(DIGITS * 8 == 2048);

/// What a launch moves: of `keys`, `count` from `first` on.
#[derive(Clone, Copy)]
pub(super) struct Tiles<W, V> {
    /// All keys.
    pub(super) keys: GlobalSlice<W>,
    /// All values. `None` if each is the number of its key's place, or there are none.
    pub(super) values: Option<GlobalSlice<V>>,
    /// Where this launch's begin.
    pub(super) first: u64,
    /// How many it has.
    pub(super) count: u64,
}

/// Where it goes.
#[derive(Clone, Copy)]
pub(super) struct Out<W, V> {
    /// The keys, unless nobody wants them.
    pub(super) keys: Option<GlobalCells<W>>,
    /// The values, in their own width or, as numbers of places, in 8 bytes each.
    pub(super) values: ValuesOut<V>,
}

/// Where values go.
#[derive(Clone, Copy)]
pub(super) enum ValuesOut<V> {
    /// As they are.
    Narrow(GlobalCells<V>),
    /// As numbers.
    Wide(GlobalCells<u64>),
}

impl<V: Value> ValuesOut<V> {
    #[inline(always)]
    #[track_caller]
    fn write(self, place: u64, value: V) {
        match self {
            Self::Narrow(cells) => cells.write(place, value),
            Self::Wide(cells) => cells.write(place, value.place()),
        }
    }
}

/// How a pass that moves keys does it, on blocks of `WARPS` warps.
#[derive(Clone, Copy)]
pub(super) struct Pass<W: Key, V: Value> {
    /// What it moves.
    pub(super) from: Tiles<W, V>,
    /// Where to.
    pub(super) to: Out<W, V>,
    /// What turns what it reads into keys.
    pub(super) encode: Flips<W>,
    /// What turns keys into what it writes.
    pub(super) decode: Flips<W>,
    /// Where the digit begins.
    pub(super) shift: u32,
    /// Where the first key of each value of the digit goes.
    pub(super) starts: Starts,
    /// How many tiles have blocks: a word that is 0 before the launch.
    pub(super) tickets: AtomicCells<u32>,
    /// What the tiles tell of each digit: words that are 0 before the launch.
    pub(super) told: AtomicCells<u32>,
    /// The tickets and words of the next launch, which become 0, and how many there are.
    pub(super) next: (GlobalCells<u32>, u64),
}

/// A tile in shared memory: first the counters of its ranks, then its keys by rank, then its values.
#[derive(Clone, Copy)]
pub(super) struct Staged<W: Key, V> {
    /// The counters.
    pub(super) counters: SharedSlice<u32>,
    /// The keys.
    pub(super) keys: SharedSlice<W::Shared>,
    /// The values.
    pub(super) values: SharedSlice<V>,
}

impl<W: Key, V: Value> Pass<W, V> {
    /// Moves a tile, `I` keys of each thread, to their places.
    ///
    /// Called by: every thread of every block; blocks are of `WARPS` warps, as many as there are tiles. Valid in: what is
    /// written, when the launch has ended. Scratch: `staged`, the shifts, and what the ranks have.
    #[inline(always)]
    pub(super) fn run<const I: usize, const WARPS: usize>(self, staged: Staged<W, V>) {
        let (thread, threads) = (thread_idx_x(), const { WARPS as u32 * WARP_SIZE });
        self.clear_next(thread, threads);
        let tile = draw(self.tickets);
        let whole = I as u32 * threads;
        let start = u64::from(tile) * u64::from(whole);
        let left = self.from.count.saturating_sub(start);
        let is_whole = left >= u64::from(whole);
        let count = if is_whole { whole } else { left as u32 };
        let own = thread / WARP_SIZE * (I as u32 * WARP_SIZE) + thread % WARP_SIZE;
        let window = (self.from.first + start, u64::from(count));

        let mut keys: [W; I] =
            warp_column(self.from.keys.window(window.0, window.1), u64::from(own), is_whole, W::zeroed());
        unrolled!(i < I, up to 24 => {
            keys[i] = self.encode.of(keys[i]);
            if !is_whole && own + i as u32 * WARP_SIZE >= count {
                keys[i] = !W::zeroed();
            }
        });
        let ranks = Ranks::<WARPS> { thread, counters: staged.counters };
        let mut places = ranks.number::<I>(|i| keys[i].digit(self.shift, DIGIT_BITS));
        sync_threads();
        let told = LookBack { cells: self.told, digits: DIGITS as u32, digit: thread, tile };
        let digit = ranks.settle(|count| told.tell_own(count));
        sync_threads();
        // What can be found again is not kept.
        let (ranks, shift) = (Ranks { thread: unknown(thread), ..ranks }, unknown(self.shift));
        unrolled!(i < I, up to 24 => { places[i] += ranks.first_of_warp(keys[i].digit(shift, DIGIT_BITS)) });
        // Behind it the keys take the counters' room.
        sync_threads();
        unrolled!(i < I, up to 24 => { staged.keys.write(places[i] as usize, keys[i].widen()) });
        let shifts = moves_radix_shifts().array::<u64, DIGITS>();
        if let Some(digit) = digit {
            let start = self.starts.places.read(u64::from(thread));
            let place = start + u64::from(told.before(digit.count));
            shifts.write(thread as usize, place.wrapping_sub(u64::from(digit.first)));
            if let Some(next) = self.starts.next
                && tile + 1 == grid_dim_x()
            {
                next.write(u64::from(thread), place + u64::from(digit.count));
            }
        }
        sync_threads();

        // Of the keys that this thread writes.
        let mut digits = [0; I];
        unrolled!(i < I, up to 24 => {
            let rank = thread + i as u32 * threads;
            let key = W::narrow(staged.keys.read(rank as usize));
            digits[i] = key.digit(shift, DIGIT_BITS);
            if let Some(out) = self.to.keys
                && rank < count
            {
                out.write(shifts.read(digits[i] as usize).wrapping_add(u64::from(rank)), self.decode.of(key));
            }
        });
        if V::IS_SOME {
            let values = self.from.values::<I>(window, own, is_whole);
            // Behind it the values take the keys' room.
            sync_threads();
            unrolled!(i < I, up to 24 => { staged.values.write(places[i] as usize, values[i]) });
            sync_threads();
            unrolled!(i < I, up to 24 => {
                let rank = thread + i as u32 * threads;
                if rank < count {
                    let place = shifts.read(digits[i] as usize).wrapping_add(u64::from(rank));
                    self.to.values.write(place, staged.values.read(rank as usize));
                }
            });
        }
        let_next_launch_start();
    }

    /// Clears what the next launch tells.
    #[inline(always)]
    fn clear_next(self, thread: u32, threads: u32) {
        let mut at = u64::from(block_idx_x()) * u64::from(threads) + u64::from(thread);
        let (cells, len) = self.next;
        while at < len {
            cells.write(at, 0);
            at += u64::from(unknown(grid_dim_x() * threads));
        }
    }
}

impl<W: Copy + Pod, V: Value> Tiles<W, V> {
    /// The values of a thread's keys, which begin at `own` of the tile at `start`.
    #[inline(always)]
    fn values<const I: usize>(self, (start, len): (u64, u64), own: u32, is_whole: bool) -> [V; I] {
        if let Some(values) = self.values {
            return warp_column(values.window(start, len), u64::from(own), is_whole, V::zeroed());
        }
        let mut places = [V::zeroed(); I];
        unrolled!(i < I, up to 24 => {
            places[i] = V::of_place(start + u64::from(own + i as u32 * WARP_SIZE));
        });
        places
    }

    /// Copies all of it, in the same order or, if `is_reversed`, from the last to the first.
    ///
    /// Called by: every thread of every block of `threads`, of which each has `each` keys. Valid in: what is written, when the
    /// launch has ended.
    #[inline(always)]
    pub(super) fn copy(self, to: Out<W, V>, threads: u32, each: u32, is_reversed: bool) {
        let last = self.keys.len() - 1;
        let tile = u64::from(threads * each);
        let mut place = self.first + u64::from(block_idx_x()) * tile + u64::from(thread_idx_x());
        let end = (place - u64::from(thread_idx_x()) + tile).min(self.first + self.count);
        while place < end {
            let out = if is_reversed { last - place } else { place };
            if let Some(keys) = to.keys {
                keys.write(out, self.keys.read(place));
            }
            if V::IS_SOME {
                to.values.write(out, self.values.map_or(V::of_place(place), |values| values.read(place)));
            }
            place += u64::from(unknown(threads));
        }
    }
}
