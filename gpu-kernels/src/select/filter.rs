//! Candidates: the elements whose pairs of rank and index are within an interval, compacted in any order.
//!
//! **Their order** depends on which warp is first, so readers must take them as a set. The set is the same in every run, since
//! no two pairs are equal. So is its size, which is counted beyond the room too.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::keys::{Key, Ranking, Stretch};
use super::walk::Visit;
use crate::warp;

/// The memory for candidates.
#[derive(Clone, Copy)]
pub(super) struct Candidates {
    /// Their ranks, up to `room`.
    pub(super) ranks: GlobalCells<u64>,
    /// Their indices, if wanted.
    pub(super) indices: Option<GlobalCells<u64>>,
    /// The most candidates that are stored. Those beyond are only counted.
    pub(super) room: u64,
    /// One cell, to which the number of candidates is added.
    pub(super) count: AtomicCells<u64>,
}

/// Takes candidates from `input`.
pub(super) struct Filter<W> {
    pub(super) input: GlobalSlice<W>,
    pub(super) ranking: Ranking<W>,
    pub(super) stretch: Stretch<W>,
    pub(super) to: Candidates,
}

impl<W: Key> Filter<W> {
    /// Returns the distance of a word's rank above the first of the interval.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn offset(&self, word: W) -> W {
        self.stretch.offset(self.ranking.rank(word))
    }

    /// Appends the elements whose bit is set.
    ///
    /// Called by: every lane of the warp.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn append(&self, mut bits: u32, index_of: impl Fn(u32) -> u64) {
        let own = bits.count_ones();
        let up_to_here = warp::sum_up_to_here(own);
        let last = WARP_SIZE - 1;
        let first = if lane_id() == last && up_to_here > 0 {
            self.to.count.fetch_add(0, u64::from(up_to_here))
        } else {
            0
        };
        let mut place = warp::of_lane(first, last) + u64::from(up_to_here - own);
        while bits != 0 {
            let index = index_of(bits.trailing_zeros());
            bits &= bits - 1;
            if place < self.to.room {
                // Loaded again, from a cache, since registers cannot be indexed.
                self.to.ranks.write(place, self.ranking.rank(self.input.read(index)).into());
                if let Some(indices) = self.to.indices {
                    indices.write(place, index);
                }
            }
            place += 1;
        }
    }
}

impl<W: Key, const V: usize, const R: usize> Visit<W, V, R> for Filter<W> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tile(&self, start: u64, own: u32, pitch: u32, words: &[[W; V]; R]) {
        const { assert!(V * R <= 32) }
        let Some(span) = self.stretch.span_from(start) else { return };
        let mut nearest = !W::zeroed();
        unrolled!(i < R, up to 4 => {
            unrolled!(v < V => { nearest = nearest.min(self.offset(words[i][v])) });
        });
        // Most warps have none.
        if warp::ballot(nearest <= span) == 0 {
            return;
        }
        let index_of = |bit: u32| start + u64::from(own + bit / V as u32 * pitch + bit % V as u32);
        let mut bits = 0;
        unrolled!(i < R, up to 4 => {
            unrolled!(v < V => {
                bits |= u32::from(self.offset(words[i][v]) <= span) << (i * V + v);
            });
        });
        let len = u64::from(pitch) * R as u64;
        if start <= self.stretch.limit && self.stretch.limit - start < len {
            // The last index is in this tile, so elements of the last rank are checked one by one.
            let mut left = bits;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                let index = index_of(bit);
                if !self.stretch.has(self.ranking.rank(self.input.read(index)), index) {
                    bits &= !(1 << bit);
                }
            }
        }
        self.append(bits, index_of);
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn single(&self, index: u64, word: Option<W>) {
        let is_in = word.is_some_and(|word| self.stretch.has(self.ranking.rank(word), index));
        if warp::ballot(is_in) != 0 {
            self.append(u32::from(is_in), |_| index);
        }
    }
}
