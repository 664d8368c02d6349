//! Counts by digits of the elements within an interval: digits of the distance of their ranks above the first, or of their
//! indices.
//!
//! **Counters in shared memory**, [`COPIES`] for each digit, which neighbouring lanes take in turn. At its end a block adds its
//! counts to the sums of all. These are integers, so the sums are the same in any order.

use cuda_std::atomic::AtomicCells;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::lane_id;
use warpfold_exact::unrolled;

use super::keys::{Key, Ranking, Stretch};
use super::shapes::{COPIES, DIGITS, DIGITS_THREADS};
use super::walk::Visit;

/// The bits by which elements are counted.
#[derive(Clone, Copy)]
pub(super) enum Digit {
    /// The bits from here on of a rank's distance above the interval's first.
    OfRank(u32),
    /// The bits from here on of the index.
    OfIndex(u32),
}

/// Counts elements in `counters`.
pub(super) struct Digits<W> {
    pub(super) ranking: Ranking<W>,
    pub(super) stretch: Stretch<W>,
    pub(super) digit: Digit,
    pub(super) counters: SharedSlice<u32>,
}

impl<W: Key> Digits<W> {
    /// Sets all counters to 0, before the first element.
    ///
    /// Called by: every thread of the block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn clear(&self) {
        let mut place = thread_idx_x() as usize;
        while place < DIGITS * COPIES {
            self.counters.write(place, 0);
            place += DIGITS_THREADS as usize;
        }
        sync_threads();
    }

    /// Adds the counts to `sums`, after the last element.
    ///
    /// Called by: every thread of the block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn hand_over(&self, sums: AtomicCells<u64>) {
        sync_threads();
        let mut digit = thread_idx_x() as usize;
        while digit < DIGITS {
            let mut sum = 0;
            // Threads begin at different copies, so that their banks differ.
            unrolled!(i < COPIES, up to 4 => {
                sum += self.counters.read(digit * COPIES + (i + thread_idx_x() as usize) % COPIES);
            });
            if sum > 0 {
                sums.add(digit as u64, u64::from(sum));
            }
            digit += DIGITS_THREADS as usize;
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(&self, digit: u32) {
        // The remainders show the compiler the bounds.
        let place = digit as usize % DIGITS * COPIES + lane_id() as usize % COPIES;
        self.counters.add(place, 1);
    }
}

impl<W: Key, const V: usize, const R: usize> Visit<W, V, R> for Digits<W> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tile(&self, start: u64, own: u32, pitch: u32, words: &[[W; V]; R]) {
        match self.digit {
            Digit::OfRank(shift) => unrolled!(i < R, up to 4 => {
                unrolled!(v < V => {
                    let offset = self.stretch.offset(self.ranking.rank(words[i][v]));
                    if offset <= self.stretch.span {
                        self.count(offset.bits_from(shift));
                    }
                });
            }),
            Digit::OfIndex(shift) => unrolled!(i < R, up to 4 => {
                unrolled!(v < V => {
                    if self.stretch.offset(self.ranking.rank(words[i][v])) <= self.stretch.span {
                        let index = start + u64::from(own + i as u32 * pitch + v as u32);
                        self.count((index >> shift) as u32);
                    }
                });
            }),
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn single(&self, index: u64, word: Option<W>) {
        let Some(word) = word else { return };
        let offset = self.stretch.offset(self.ranking.rank(word));
        if offset <= self.stretch.span {
            self.count(match self.digit {
                Digit::OfRank(shift) => offset.bits_from(shift),
                Digit::OfIndex(shift) => (index >> shift) as u32,
            });
        }
    }
}
