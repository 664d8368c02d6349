//! Where a team's elements are: in the array, or pairs that the teams of slices wrote.

use cuda_std::global::{GlobalSlice, VECTOR_BYTES, Vectors};
use warpfold_exact::unrolled;

use super::pair::Paired;
use crate::select::keys::Ranking;

/// What a thread has loaded.
#[derive(Clone, Copy)]
pub(super) struct Loaded<I, const E: usize> {
    pub(super) items: [I; E],
    /// Which are there, as bits.
    pub(super) present: u32,
    /// What tells their indices.
    pub(super) base: u32,
    /// The lowest index that any thread of the team has.
    pub(super) first: u32,
}

/// The elements that a team reads, in tiles of `E` for each thread.
pub(super) trait Source<W: Paired, const E: usize> {
    /// What is loaded of an element.
    type Item: Copy;
    /// The elements of a piece of a sample.
    const PIECE: u32;
    /// Returns the number of elements.
    fn len(&self) -> u64;
    /// Returns the number of tiles.
    fn tiles(&self) -> u32;
    /// Loads the elements that this thread has of a tile.
    fn load(&self, tile: u32) -> Loaded<Self::Item, E>;
    /// Returns an item's rank.
    fn rank(&self, item: Self::Item) -> W;
    /// Returns the pair of item `i`.
    fn pair(&self, loaded: &Loaded<Self::Item, E>, i: usize) -> W::Pair;
    /// Returns the least rank of the items that are there.
    fn nearest(&self, loaded: &Loaded<Self::Item, E>) -> W;
    /// Returns the least rank of a piece in this thread's share of the elements, which are more than a tile.
    fn sample(&self) -> W;
}

/// Elements in the array, loaded by vectors wherever they begin. The few beside these are a tile of their own, the last one.
#[derive(Clone, Copy)]
pub(super) struct Elements<W, const V: usize, const R: usize> {
    words: GlobalSlice<W>,
    ranking: Ranking<W>,
    whole: Option<Vectors<W, V>>,
    /// The elements before the first vector.
    head: u32,
    /// The number of vectors.
    vectors: u32,
    /// The index of the first element.
    first: u32,
    /// This thread's number in the team, and the number of threads.
    thread: u32,
    threads: u32,
}

impl<W: Paired, const V: usize, const R: usize> Elements<W, V, R> {
    /// Makes the source of `words`, which begin at `address`, and whose indices count from `first`, for a thread of a team of `threads`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new(
        words: GlobalSlice<W>,
        address: u64,
        ranking: Ranking<W>,
        first: u32,
        (thread, threads): (u32, u32),
    ) -> Self {
        let len = words.len() as u32;
        let before = (address.wrapping_neg() as usize % VECTOR_BYTES / size_of::<W>()) as u32;
        let head = before.min(len);
        let whole = words.window(u64::from(head), u64::MAX).vectors::<V>();
        let vectors = if whole.is_some() { (len - head) / V as u32 } else { 0 };
        Self { words, ranking, whole, head, vectors, first, thread, threads }
    }

    /// Returns the number of tiles of vectors.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tiles_of_vectors(&self) -> u32 {
        self.vectors.div_ceil(self.threads * R as u32)
    }
}

impl<W: Paired, const V: usize, const R: usize, const E: usize> Source<W, E> for Elements<W, V, R> {
    type Item = W;
    const PIECE: u32 = 2 * V as u32;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn len(&self) -> u64 {
        self.words.len()
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tiles(&self) -> u32 {
        let beside = self.words.len() as u32 - self.vectors * V as u32;
        self.tiles_of_vectors() + u32::from(beside > 0)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn load(&self, tile: u32) -> Loaded<W, E> {
        const { assert!(E == V * R && V.is_power_of_two()) }
        let mut loaded = Loaded { items: [W::zeroed(); E], present: 0, base: 0, first: 0 };
        match self.whole {
            Some(whole) if tile < self.tiles_of_vectors() => {
                let number = tile * self.threads * R as u32 + self.thread;
                unrolled!(r < R, up to 4 => {
                    let number = number + r as u32 * self.threads;
                    let words = whole.read_or_last(u64::from(number)).elements();
                    unrolled!(v < V => { loaded.items[r * V + v] = words[v] });
                    loaded.present |= if number < self.vectors { ((1 << V) - 1) << (r * V) } else { 0 };
                });
                loaded.base = self.head + number * V as u32;
                loaded.first = self.first + self.head + tile * self.threads * E as u32;
            }
            _ => {
                let behind = self.vectors * V as u32;
                loaded.base = if self.thread < self.head { self.thread } else { behind + self.thread };
                if u64::from(loaded.base) < self.words.len() {
                    loaded.items[0] = self.words.read(u64::from(loaded.base));
                    loaded.present = 1;
                }
            }
        }
        loaded
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn rank(&self, word: W) -> W {
        self.ranking.rank(word)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn pair(&self, loaded: &Loaded<W, E>, i: usize) -> W::Pair {
        let index = loaded.base + (i / V) as u32 * self.threads * V as u32 + (i % V) as u32;
        self.ranking.rank(loaded.items[i]).pair(self.first + index)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn nearest(&self, loaded: &Loaded<W, E>) -> W {
        let mut nearest = !W::zeroed();
        unrolled!(r < R, up to 4 => {
            let mut of_row = self.ranking.rank(loaded.items[r * V]);
            // Beside the vectors there is one element.
            if loaded.present != 1 {
                unrolled!(v < V => { of_row = of_row.min(self.ranking.rank(loaded.items[r * V + v])) });
            }
            if loaded.present >> (r * V) & 1 != 0 {
                nearest = nearest.min(of_row);
            }
        });
        nearest
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sample(&self) -> W {
        let number = u64::from(self.thread) * u64::from(self.vectors) / u64::from(self.threads);
        let mut least = !W::zeroed();
        if let Some(whole) = self.whole {
            unrolled!(i < 2, up to 2 => {
                let words = whole.read_or_last(number + i as u64).elements();
                unrolled!(v < V => { least = least.min(self.ranking.rank(words[v])) });
            });
        }
        least
    }
}

/// Pairs in memory. A place without an element has [`Paired::LAST`].
#[derive(Clone, Copy)]
pub(super) struct Pairs<W: Paired> {
    pub(super) pairs: GlobalSlice<W::Pair>,
    /// This thread's number in the team, and the number of threads.
    pub(super) thread: u32,
    pub(super) threads: u32,
}

impl<W: Paired, const E: usize> Source<W, E> for Pairs<W> {
    type Item = W::Pair;
    const PIECE: u32 = 1;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn len(&self) -> u64 {
        self.pairs.len()
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tiles(&self) -> u32 {
        (self.pairs.len() as u32).div_ceil(self.threads * E as u32)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn load(&self, tile: u32) -> Loaded<W::Pair, E> {
        let mut loaded = Loaded { items: [W::LAST; E], present: 0, base: 0, first: 0 };
        let first = u64::from(tile) * u64::from(self.threads) * E as u64 + u64::from(self.thread);
        unrolled!(i < E => {
            let place = first + i as u64 * u64::from(self.threads);
            loaded.items[i] = self.pairs.read_or_last(place);
            let is_there = place < self.pairs.len() && loaded.items[i] != W::LAST;
            loaded.present |= u32::from(is_there) << i;
        });
        loaded
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn rank(&self, pair: W::Pair) -> W {
        W::rank_of(pair)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn pair(&self, loaded: &Loaded<W::Pair, E>, i: usize) -> W::Pair {
        loaded.items[i]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn nearest(&self, loaded: &Loaded<W::Pair, E>) -> W {
        let mut nearest = !W::zeroed();
        unrolled!(i < E => {
            if loaded.present >> i & 1 != 0 {
                nearest = nearest.min(W::rank_of(loaded.items[i]));
            }
        });
        nearest
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sample(&self) -> W {
        W::rank_of(self.pairs.read(u64::from(self.thread) * self.pairs.len() / u64::from(self.threads)))
    }
}
