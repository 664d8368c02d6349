//! Elements as unsigned words that ascend in the given order.

use crate::ops::Rank;
use crate::word::Word;

/// A word by which elements are ordered.
pub trait Key: Word + Rank + Into<u64> {
    /// Returns all bits set for a word with the sign bit, and none for others.
    fn sign(self) -> Self;
    /// Returns the bits that differ.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// Returns the bits that both have.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Returns the lowest bits of a 64-bit word.
    fn of(word: u64) -> Self;
    /// Returns up to 32 bits from `shift` on; `shift` is less than the word's bits.
    fn bits_from(self, shift: u32) -> u32;
}

macro_rules! keys {
    ($($word:ty: $signed:ty),*) => { $(
        impl Key for $word {
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn sign(self) -> Self {
                (self as $signed >> (<$word>::BITS - 1)) as Self
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn of(word: u64) -> Self {
                word as Self
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn bits_from(self, shift: u32) -> u32 {
                (self >> shift) as u32
            }
        }
    )* };
}
keys!(u8: i8, u16: i16, u32: i32, u64: i64);

/// The ranking of words: bits that are flipped in words with the sign bit, bits that are flipped in all, and what is subtracted.
///
/// The ranks come from [`TotalOrder`](crate::TotalOrder), which tells zeros apart and NaNs apart. In descending order they
/// are complemented. Different words have different ranks, and ranks give the words back.
#[derive(Clone, Copy)]
pub(crate) struct Ranking<W> {
    /// All but the sign bit for floats, nothing for integers.
    pub(crate) signed: W,
    /// The sign bit of numbers that have one; its complement in descending order.
    pub(crate) all: W,
    /// The number of NaNs with a sign, if all NaNs are greater than the numbers; its negative in descending order.
    pub(crate) less: W,
}

impl<W: Key> Ranking<W> {
    /// Returns the rank of a word.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn rank(self, word: W) -> W {
        word.xor(word.sign().and(self.signed)).xor(self.all).distance_from(self.less)
    }

    /// Returns the word with a rank.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn word(self, rank: W) -> W {
        let word = rank.distance_from(W::zeroed().distance_from(self.less)).xor(self.all);
        // Its sign is the word's: `signed` has all bits but this one.
        word.xor(word.sign().and(self.signed))
    }
}

/// An interval of the order of pairs of a rank and an index. No two pairs are equal; pairs of equal ranks are ordered by index.
#[derive(Clone, Copy)]
pub(super) struct Stretch<W> {
    /// The first rank.
    pub(super) least: W,
    /// The distance of the last rank above the first.
    pub(super) span: W,
    /// The last index with the last rank.
    pub(super) limit: u64,
}

impl<W: Key> Stretch<W> {
    /// Makes the interval from `least` to the pair of `most`, which is not less, and `limit`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn new(least: u64, most: u64, limit: u64) -> Self {
        Self { least: W::of(least), span: W::of(most.wrapping_sub(least)), limit }
    }

    /// Returns the distance of a rank above the first one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn offset(self, rank: W) -> W {
        rank.distance_from(self.least)
    }

    /// Returns whether a pair is in the interval.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn has(self, rank: W, index: u64) -> bool {
        let offset = self.offset(rank);
        offset < self.span || (offset == self.span && index <= self.limit)
    }

    /// Returns how far ranks may be above the first one for all indices from `index` on, as long as these are on one side of
    /// the limit; `None` if no rank may be there.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn span_from(self, index: u64) -> Option<W> {
        if index <= self.limit { Some(self.span) } else { self.span.below() }
    }
}
