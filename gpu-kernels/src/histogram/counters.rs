//! Where a block counts: several counters for each place in shared memory, one of two bytes there, or the sums themselves. Or it
//! writes the place of each element instead.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalCells;
use cuda_std::shared::SharedSlice;
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::lane_id;

use super::shapes::{FEW, FULL, HALVES_THREADS, HALVES_TILES, HISTOGRAM_THREADS, copies_log2, fills};

/// The sums of all blocks: of each bin, and of what is outside.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    pub(super) counts: AtomicCells<u64>,
    pub(super) outside: AtomicCells<u64>,
}

impl Sums {
    /// Adds to a place: a bin, or one beside the bins.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn add(self, place: u32, count: u64) {
        let (place, bins) = (u64::from(place), self.counts.len());
        if place < bins {
            self.counts.add(place, count);
        } else {
            self.outside.add(place - bins, count);
        }
    }

    /// Returns the number of places.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn places(self) -> u32 {
        (self.counts.len() + self.outside.len()) as u32
    }
}

/// A block's counters.
pub(super) trait Counters: Copy {
    /// Threads of the block.
    const THREADS: u32;
    /// Tiles after which the block's threads wait for each other, 0 for never.
    const TILES: u32 = 0;
    /// Sets all counters to 0, before the first element.
    ///
    /// Called by: every thread of the block.
    fn clear(self);
    /// Counts element `index` in a bin, and returns whether its counter is to be [emptied](Self::empty), by this thread.
    ///
    /// Called by: any thread.
    fn count(self, bin: u32, index: u64) -> bool;
    /// Counts an element at any place, as [`count`](Self::count) does.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count_anywhere(self, place: u32, index: u64) -> bool {
        self.count(place, index)
    }
    /// Adds a counter that is full to the sums.
    ///
    /// Called by: the thread whose addition filled it, before it ends the tile.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn empty(self, _place: u32) {}
    /// Adds the counts to the sums, after the last element.
    ///
    /// Called by: every thread of the block.
    fn hand_over(self);
}

/// Up to [`FEW`] counters of 32 bits. Each place has a power of two of them, which neighbouring lanes take in turn.
#[derive(Clone, Copy)]
pub(super) struct Few {
    sums: Sums,
    counters: SharedSlice<u32>,
    copies_log2: u32,
}

impl Few {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new(sums: Sums, counters: SharedSlice<u32>) -> Self {
        Self { sums, counters, copies_log2: copies_log2(sums.places()) }
    }
}

impl Counters for Few {
    const THREADS: u32 = HISTOGRAM_THREADS;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn clear(self) {
        let mut at = thread_idx_x();
        while at < self.sums.places() << self.copies_log2 {
            self.counters.write((at % FEW) as usize, 0);
            at += Self::THREADS;
        }
        sync_threads();
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(self, bin: u32, _index: u64) -> bool {
        let copy = lane_id() & ((1 << self.copies_log2) - 1);
        // The remainder shows the compiler the bound.
        self.counters.add(((bin << self.copies_log2 | copy) % FEW) as usize, 1);
        false
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn hand_over(self) {
        sync_threads();
        let copies = 1 << self.copies_log2;
        let mut place = thread_idx_x();
        while place < self.sums.places() {
            let (mut sum, mut copy) = (0_u64, 0);
            while copy < copies {
                // Threads begin at different copies, so that their banks differ.
                let of_thread = (copy + thread_idx_x()) & (copies - 1);
                sum +=
                    u64::from(self.counters.read(((place << self.copies_log2 | of_thread) % FEW) as usize));
                copy += 1;
            }
            if sum > 0 {
                self.sums.add(place, sum);
            }
            place += Self::THREADS;
        }
    }
}

/// A counter of 16 bits for each place, two in a word of shared memory.
///
/// A counter is full at each multiple of [`FULL`]. The thread whose addition brings it there takes `FULL` away before it ends the tile,
/// which leaves the remainder by `FULL` as it is. So all counters are below `FULL` when the threads have waited for each other. Until they
/// do again, they count at most [`TILES`](Counters::TILES) tiles of 16 elements for each thread, and once the elements of no tile, fewer
/// than a tile and a vector. So no counter reaches 2^16, which would change the other half of its word.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    pub(super) sums: Sums,
    pub(super) counters: SharedSlice<u32>,
}

impl Counters for Halves {
    const THREADS: u32 = HALVES_THREADS;
    const TILES: u32 = HALVES_TILES;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn clear(self) {
        let mut at = thread_idx_x();
        while at < self.sums.places().div_ceil(2) {
            self.counters.write(at as usize, 0);
            at += Self::THREADS;
        }
        sync_threads();
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(self, bin: u32, _index: u64) -> bool {
        let shift = bin % 2 * 16;
        let before = self.counters.fetch_add((bin / 2) as usize, 1 << shift);
        fills(before >> shift)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn empty(self, place: u32) {
        self.counters.add((place / 2) as usize, (FULL << (place % 2 * 16)).wrapping_neg());
        self.sums.add(place, u64::from(FULL));
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn hand_over(self) {
        sync_threads();
        let mut at = thread_idx_x();
        while at < self.sums.places().div_ceil(2) {
            let word = self.counters.read(at as usize);
            let (even, odd) = (word & 0xffff, word >> 16);
            if even > 0 {
                self.sums.add(2 * at, u64::from(even));
            }
            if odd > 0 {
                self.sums.add(2 * at + 1, u64::from(odd));
            }
            at += Self::THREADS;
        }
    }
}

/// The sums in global memory.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    pub(super) sums: Sums,
}

impl Counters for Wide {
    const THREADS: u32 = HISTOGRAM_THREADS;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn clear(self) {}

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(self, bin: u32, _index: u64) -> bool {
        self.sums.counts.add(u64::from(bin), 1);
        false
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count_anywhere(self, place: u32, _index: u64) -> bool {
        self.sums.add(place, 1);
        false
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn hand_over(self) {}
}

/// The place of each element. Nothing is counted.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub(super) places: GlobalCells<u32>,
}

impl Counters for Places {
    const THREADS: u32 = HISTOGRAM_THREADS;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn clear(self) {}

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(self, bin: u32, index: u64) -> bool {
        self.places.write(index, bin);
        false
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn hand_over(self) {}
}
