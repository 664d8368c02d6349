//! The criteria of selection: flags beside the elements, an interval of ranks, a formula, or the element before.

use bytemuck::Pod;
use cuda_std::global::GlobalSlice;
use cuda_std::warp::WARP_SIZE;
use half::f16;
use warpfold_exact::unrolled;

use crate::ops::{Predicate, Rank, TotalOrder};

/// A criterion that selects words, a vector of `V` at a time.
pub(super) trait Select<W, const V: usize>: Copy {
    /// Returns the selected words, as bits, in a thread's vectors of a warp's whole piece. Row `i` is the vector at
    /// `first + i * 32 * V`, which `rows` holds. `None` if this cannot be done by vectors. By default each word is looked at alone.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn rows<const R: usize>(self, first: u64, rows: &[[W; V]; R]) -> Option<[u32; R]>
    where
        W: Copy,
    {
        let mut bits = [0; R];
        unrolled!(i < R, up to 4 => {
            let first = first + i as u64 * (u64::from(WARP_SIZE) * V as u64);
            unrolled!(v < V => { bits[i] |= u32::from(self.is_selected(first + v as u64, rows[i][v])) << v });
        });
        Some(bits)
    }
    /// Returns whether the word at `index`, which exists, is selected.
    fn is_selected(self, index: u64, word: W) -> bool;
}

/// Selects words by a byte beside each that is not 0. The flags of a vector are one `F`.
#[derive(Clone, Copy)]
pub(super) struct Flags<F> {
    /// The flags.
    pub(super) single: GlobalSlice<u8>,
    /// The flags by vectors; empty if they are not aligned to a vector.
    pub(super) vectors: GlobalSlice<F>,
}

impl<W, F: Pod, const V: usize> Select<W, V> for Flags<F> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn rows<const R: usize>(self, first: u64, _rows: &[[W; V]; R]) -> Option<[u32; R]> {
        const { assert!(size_of::<F>() == V) }
        if self.vectors.is_empty() {
            return None;
        }
        let flags = self.vectors.read_column::<R>(first / V as u64, WARP_SIZE);
        let mut bits = [0; R];
        unrolled!(i < R, up to 4 => {
            let bytes = bytemuck::bytes_of(&flags[i]);
            unrolled!(v < V => { bits[i] |= u32::from(bytes[v] != 0) << v });
        });
        Some(bits)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_selected(self, index: u64, _word: W) -> bool {
        self.single.read(index) != 0
    }
}

/// Selects the first word, and words that differ from the one before them.
#[derive(Clone, Copy)]
pub(super) struct Changes<W> {
    /// All words.
    pub(super) input: GlobalSlice<W>,
}

impl<W: Pod + PartialEq, const V: usize> Select<W, V> for Changes<W> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn rows<const R: usize>(self, first: u64, rows: &[[W; V]; R]) -> Option<[u32; R]> {
        let mut bits = [0; R];
        unrolled!(i < R, up to 4 => {
            // The word before is in a cache, since a neighbour has just loaded it.
            let first = first + i as u64 * (u64::from(WARP_SIZE) * V as u64);
            bits[i] = u32::from(Select::<W, V>::is_selected(self, first, rows[i][0]));
            unrolled!(v < V => {
                bits[i] |= u32::from(v > 0 && rows[i][v] != rows[i][v.saturating_sub(1)]) << v;
            });
        });
        Some(bits)
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_selected(self, index: u64, word: W) -> bool {
        index == 0 || self.input.read(index - 1) != word
    }
}

/// The ranking of words.
pub(super) trait Ranking<W>: Copy {
    /// Returns the rank of a word.
    fn rank(word: W) -> W;
}

/// Ranks integers by their bits; the host's bounds take account of signs.
#[derive(Clone, Copy)]
pub enum Integers {}

impl<W> Ranking<W> for Integers {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn rank(word: W) -> W {
        word
    }
}

/// Ranks floats by their [total order](TotalOrder).
#[derive(Clone, Copy)]
pub enum Floats {}

macro_rules! floats {
    ($($float:ty: $word:ty),*) => { $(
        impl Ranking<$word> for Floats {
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn rank(word: $word) -> $word {
                <$float>::from_bits(word).rank()
            }
        }
    )* };
}
// A bf16 and an f16 have their sign in the same bit, so both are ranked alike.
floats!(f16: u16, f32: u32, f64: u64);

/// Selects ranks from `least` to `least + span`, which may wrap round.
pub(super) struct Between<W, K> {
    pub(super) least: W,
    pub(super) span: W,
    /// Whether all others are selected instead.
    pub(super) outside: bool,
    pub(super) ranking: core::marker::PhantomData<K>,
}

impl<W: Copy, K> Clone for Between<W, K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<W: Copy, K> Copy for Between<W, K> {}

impl<W: Rank, K: Ranking<W>, const V: usize> Select<W, V> for Between<W, K> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_selected(self, _index: u64, word: W) -> bool {
        (K::rank(word).distance_from(self.least) <= self.span) != self.outside
    }
}

/// Selects words for which a predicate holds.
#[derive(Clone, Copy)]
pub(super) struct Satisfying<P>(pub(super) P);

impl<W, P: Predicate<W>, const V: usize> Select<W, V> for Satisfying<P> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_selected(self, _index: u64, word: W) -> bool {
        self.0.holds(word)
    }
}
