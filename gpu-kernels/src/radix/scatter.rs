//! The keys of a tile to their places: in the order of one digit, and else as they stood.
//!
//! A block has one tile of neighbours, by [ticket](crate::hand_over). A warp has neighbours of those, a lane every
//! 32nd, so that keys stand in the order of warps, then of turns, then of lanes: in that order they are ranked. The
//! tile then lies in shared memory by rank, from where neighbours write to neighbouring places. Values take the keys'
//! room in shared memory when the keys have left it.
//!
//! Behind the last key there are some of the highest digit, which are written nowhere: they are the tile's last by rank.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{anew, block_idx_x, grid_dim_x, sync_threads, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::column::Input;
use super::digit::digit;
use super::flips::Flips;
use super::output::Output;
use super::packed::Digits;
use super::positions::Positions;
use super::ranks::{COUNTERS, Ranks};
use super::shapes::{DIGITS, LOOK_BACK, MOST_MOVED};
use super::tiles::{Out, Tiles};
use super::values::Value;
use crate::hand_over::post::{MOST_COUNTED, States};
use crate::hand_over::ticket;
use crate::sort::Key;

cuda_std::shared_bytes! {
    /// The number of the block's tile.
    fn moves_radix_tile: 4
}

cuda_std::shared_bytes! {
    /// For each digit: how far from its rank a key's place is.
    fn moves_radix_shifts: 2048
}

cuda_std::shared_bytes! {
    /// A tile of keys of up to 4 bytes alone. Four such blocks need 157 KiB of shared memory,
    /// with all else that they have there.
    fn moves_radix_staged: 36864
}

cuda_std::shared_bytes! {
    /// Any other tile.
    fn moves_radix_staged_wide: 45056
}

const _: () = assert!(DIGITS * 8 == 2048 && MOST_MOVED <= MOST_COUNTED as u64);

/// Where the keys of each digit go.
#[derive(Clone, Copy)]
pub(crate) struct Starts {
    /// For each digit, a place.
    pub(crate) places: GlobalSlice<u64>,
    /// The number to subtract from each place.
    pub(crate) excess: u64,
    /// For each digit, where the keys behind this launch's go: written if there are any.
    pub(crate) next: Option<GlobalCells<u64>>,
}

/// What a pass moves, and how. Keys and values are read from `KI` and `VI`, and go to `KO` and `VO`.
#[derive(Clone, Copy)]
pub(crate) struct Pass<W: Key, KI, VI, KO, VO> {
    /// What it moves.
    pub(crate) from: Tiles<KI, VI>,
    /// Where to.
    pub(crate) to: Out<KO, VO>,
    /// What turns what it reads into keys.
    pub(crate) encode: Flips<W>,
    /// What turns keys into what it writes.
    pub(crate) decode: Flips<W>,
    /// Which digit of a key it is.
    pub(crate) number: u32,
    /// Where the first key of each value of the digit goes.
    pub(crate) starts: Starts,
    /// How many tiles have blocks: a word that is 0 before the launch.
    pub(crate) tickets: AtomicCells<u32>,
    /// The states of the tiles for each digit: words that are 0 before the launch.
    pub(crate) states: AtomicCells<u32>,
    /// The tickets and words of the next launch, which become 0, and how many there are.
    pub(crate) next: (GlobalCells<u32>, u64),
}

/// A tile in shared memory: first the counters of its ranks, then its keys by rank, then its values.
#[derive(Clone, Copy)]
pub(crate) struct Staged<W: Key, V: Value> {
    /// The counters.
    counters: SharedSlice<u32>,
    /// The keys.
    keys: SharedSlice<W::Shared>,
    /// The values.
    values: SharedSlice<V::Shared>,
}

impl<W: Key, V: Value> Staged<W, V> {
    /// Returns the block's memory for a tile of `TILE` keys.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn new<const TILE: usize>() -> Self {
        let is_narrow = const { size_of::<W>() <= 4 && !V::IS_SOME };
        if is_narrow && let Some(keys) = moves_radix_staged().array_if_fits::<W::Shared, TILE>() {
            let narrow = moves_radix_staged();
            let counters = narrow.array::<u32, COUNTERS>().slice();
            return Self { counters, keys: keys.slice(), values: narrow.array::<V::Shared, 0>().slice() };
        }
        let wide = moves_radix_staged_wide();
        Self {
            counters: wide.array::<u32, COUNTERS>().slice(),
            keys: wide.array::<W::Shared, TILE>().slice(),
            values: wide.array::<V::Shared, TILE>().slice(),
        }
    }
}

impl<W: Key, KI: Input<W>, VI: Copy, KO: Output<W>, VO: Copy> Pass<W, KI, VI, KO, VO> {
    /// Moves a tile, `I` keys of each thread, to their places.
    ///
    /// Called by: every thread of every block; blocks are of `WARPS` warps, as many as there are tiles. Valid in: what is
    /// written, when the launch has ended. Scratch: `staged`, the shifts, and what the ranks have.
    ///
    /// `again` gives the same pass: what of it is needed late is computed late, and takes no registers until then.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn run<V: Value, const I: usize, const WARPS: usize>(
        self,
        staged: Staged<W, V>,
        again: impl Fn() -> Self,
    ) where
        VI: Input<V>,
        VO: Output<V>,
    {
        let threads = const { WARPS as u32 * WARP_SIZE };
        // So the compiler knows that it is one of these.
        let thread = thread_idx_x().min(threads - 1);
        self.clear_next(thread, threads);
        let tile = ticket::draw(self.tickets, moves_radix_tile().array::<u32, 1>());
        let whole = I as u32 * threads;
        let start = u64::from(tile) * u64::from(whole);
        let left = self.from.count.saturating_sub(start);
        let is_whole = left >= u64::from(whole);
        let count = if is_whole { whole } else { left as u32 };
        let own = thread / WARP_SIZE * (I as u32 * WARP_SIZE) + thread % WARP_SIZE;
        let window = (self.from.first + start, u64::from(count));

        let mut keys: [W; I] = self.from.keys.column(window, own, is_whole, self.encode.last());
        if self.encode.is_some() {
            unrolled!(i < I, up to 24 => { keys[i] = self.encode.key(keys[i]) });
        }
        let ranks = Ranks::<WARPS> { thread, counters: staged.counters };
        ranks.count::<I>(|i| digit::<W, 0>(keys[i], self.number));
        sync_threads();
        let states = States { cells: self.states, first: u64::from(thread), step: DIGITS as u32 };
        let of_digit = ranks.settle(|count| states.post_own(u64::from(tile), count));
        sync_threads();
        let places = ranks.rank::<I>(|i| digit::<W, 1>(keys[i], self.number));
        // What can be found again has not been kept.
        let this = again();
        let (thread, number) = (anew(thread).min(threads - 1), anew(this.number));
        let states = States { cells: this.states, first: u64::from(thread), step: DIGITS as u32 };
        // Behind it the keys take the counters' room.
        sync_threads();
        // A rank is one of the tile's; with this the compiler knows it.
        let of_tile = |rank: u32| rank.min(whole - 1) as usize;
        unrolled!(i < I, up to 24 => { staged.keys.write(of_tile(places.get::<0>(i)), keys[i].widen()) });
        let shifts = moves_radix_shifts().array::<u64, DIGITS>();
        if let Some(of_digit) = of_digit {
            let start = this.starts.places.read(u64::from(thread)).wrapping_sub(this.starts.excess);
            let before = states.before_by_thread::<LOOK_BACK>(tile);
            states.post_up_to_here(u64::from(tile), before + of_digit.count);
            let place = start + u64::from(before);
            shifts.write(thread as usize, place.wrapping_sub(u64::from(of_digit.first)));
            if let Some(next) = this.starts.next
                && tile + 1 == grid_dim_x()
            {
                next.write(u64::from(thread), place + u64::from(of_digit.count) + this.starts.excess);
            }
        }
        sync_threads();

        this.to.keys.look(thread, threads, count, |rank| W::narrow(staged.keys.read(rank as usize)));
        let to = Positions { thread, threads, count, is_whole, shifts: shifts.slice() };
        // Of the keys that this thread writes.
        let mut digits = Digits::none();
        to.visit::<W, I>(
            |i, rank| {
                let key = W::narrow(staged.keys.read(rank));
                let digit = digit::<W, 0>(key, number);
                if V::IS_SOME {
                    digits.set(i, digit);
                }
                (digit, key)
            },
            |places, keys| {
                if this.to.keys.is_some() {
                    if this.decode.is_some() {
                        keys.iter_mut().for_each(|key| *key = this.decode.element(*key));
                    }
                    this.to.keys.scatter(places, keys);
                }
            },
        );
        if V::IS_SOME {
            let values: [V; I] = this.from.values.column(window, own, is_whole, V::zeroed());
            // Behind it the values take the keys' room.
            sync_threads();
            unrolled!(i < I, up to 24 => { staged.values.write(of_tile(places.get::<1>(i)), values[i].widen()) });
            sync_threads();
            to.visit::<V, I>(
                |i, rank| (digits.get(i), V::narrow(staged.values.read(rank))),
                |places, values| this.to.values.scatter(places, values),
            );
        }
        let_next_launch_start();
    }

    /// Clears the states of the next launch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn clear_next(self, thread: u32, threads: u32) {
        let mut at = u64::from(block_idx_x()) * u64::from(threads) + u64::from(thread);
        let (cells, len) = self.next;
        while at < len {
            cells.write(at, 0);
            at += u64::from(unknown(grid_dim_x() * threads));
        }
    }
}
