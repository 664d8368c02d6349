//! The elements of a tile: each to its place, by a guess or by comparisons.

use core::cell::Cell;
use warpfold_exact::unrolled;

use cuda_std::global::GlobalSlice;
use cuda_std::thread::sync_threads;

use super::counters::Counters;
use super::guess::Guess;
use crate::select::keys::{Key, Ranking};
use crate::select::walk::Visit;

/// The bins, as ranks.
#[derive(Clone, Copy)]
pub(super) struct Bins<W> {
    pub(super) ranking: Ranking<W>,
    /// The least rank of each bin, in order.
    pub(super) lows: GlobalSlice<W>,
    /// The greatest rank of the last bin.
    pub(super) most: W,
    /// The ranks of the least and the greatest number; others are of NaN.
    pub(super) numbers: [W; 2],
}

impl<W: Key> Bins<W> {
    /// Returns the place of a word. `near` is the bin whose lower end is nearest, if `G` guesses and the word is within the bins.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn place<G: Guess<W>>(self, word: W, near: u32) -> u32 {
        let (rank, bins) = (self.ranking.rank(word), self.lows.len() as u32);
        if rank < self.numbers[0] || rank > self.numbers[1] {
            return bins + 2;
        }
        if rank < self.lows.read(0) {
            return bins;
        }
        if rank > self.most {
            return bins + 1;
        }
        if G::SEARCHES {
            // The bin is from `first` on, among `count`.
            let (mut first, mut count) = (0, bins);
            while count > 1 {
                let half = count / 2;
                if self.lows.read(u64::from(first + half)) <= rank {
                    first += half;
                }
                count -= half;
            }
            return first;
        }
        let near = near.min(bins - 1);
        near - u32::from(near > 0 && rank < self.lows.read(u64::from(near)))
    }
}

/// Counts elements.
pub(super) struct Count<W, G, C> {
    pub(super) input: GlobalSlice<W>,
    pub(super) bins: Bins<W>,
    pub(super) guess: G,
    pub(super) counters: C,
    /// The number of tiles since all threads waited for each other.
    pub(super) tiles: Cell<u32>,
}

impl<W: Key, G: Guess<W>, C: Counters> Count<W, G, C> {
    /// Counts word `index` by comparisons, unless it `is_counted`, and empties its counter if that is full.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count_exactly(&self, word: W, index: u64, is_counted: bool) {
        let (guessed, is_certain) = self.guess.guess(word);
        let place = if is_certain { guessed } else { self.bins.place::<G>(word, guessed) };
        if is_counted || self.counters.count_anywhere(place, index) {
            self.counters.empty(place);
        }
    }
}

impl<W: Key, G: Guess<W>, C: Counters, const V: usize, const R: usize> Visit<W, V, R> for Count<W, G, C> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tile(&self, start: u64, own: u32, pitch: u32, words: &[[W; V]; R]) {
        const { assert!(V * R <= 16) }
        // Bits of the words that are to be compared; and of those that have filled their counters.
        let (mut near, mut full) = (0_u32, 0_u32);
        let index_of = |row: u32, word: u32| start + u64::from(own + row * pitch + word);
        unrolled!(i < R, up to 4 => {
            unrolled!(v < V => {
                let bit = 1 << (i * V + v);
                let (bin, is_certain) = self.guess.guess(words[i][v]);
                if !is_certain {
                    near |= bit;
                } else if self.counters.count(bin, index_of(i as u32, v as u32)) {
                    full |= bit;
                }
            });
        });
        // These are few: one loop takes less code than as many copies, and reads the word again, from a cache.
        let mut left = near | full;
        while left != 0 {
            let at = left.trailing_zeros();
            let index = index_of(at / V as u32, at % V as u32);
            self.count_exactly(self.input.read(index), index, full >> at & 1 != 0);
            left &= left - 1;
        }
        if C::TILES > 0 {
            let tiles = self.tiles.get() + 1;
            self.tiles.set(tiles % C::TILES);
            if tiles == C::TILES {
                sync_threads();
            }
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn single(&self, index: u64, word: Option<W>) {
        if let Some(word) = word {
            self.count_exactly(word, index, false);
        }
    }
}
