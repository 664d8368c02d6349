//! Elements as unsigned words that ascend in the order wanted.

use crate::moves::Word;
use crate::ops::Rank;

/// A word that elements are ordered by.
pub trait Key: Word + Rank + Into<u64> {
    /// All bits set in those below zero, and none in others.
    fn sign(self) -> Self;
    /// The bits that differ.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// The bits that both have.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// The lowest bits of a word of 64.
    fn of(word: u64) -> Self;
    /// The bits from `shift` on, at most 32 of them; `shift` is less than the word's bits.
    fn bits_from(self, shift: u32) -> u32;
}

macro_rules! keys {
    ($($word:ty: $signed:ty),*) => { $(
        impl Key for $word {
            #[inline(always)]
            fn sign(self) -> Self {
                (self as $signed >> (<$word>::BITS - 1)) as Self
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn of(word: u64) -> Self {
                word as Self
            }
            #[inline(always)]
            fn bits_from(self, shift: u32) -> u32 {
                (self >> shift) as u32
            }
        }
    )* };
}
keys!(u8: i8, u16: i16, u32: i32, u64: i64);

/// How words become ranks: bits that are flipped in those with a sign, and bits that are flipped in all.
///
/// These are the ranks of [`TotalOrder`](crate::TotalOrder), by which zeros and NaNs have places of their own, or their
/// complements in descending order: different words have different ranks, and ranks give the words back.
#[derive(Clone, Copy)]
pub(super) struct Ranking<W> {
    /// Of floats all but the sign, of integers none.
    pub(super) signed: W,
    /// The sign of numbers that have one; the complement of that in descending order.
    pub(super) all: W,
}

impl<W: Key> Ranking<W> {
    /// A word's place in the order.
    #[inline(always)]
    pub(super) fn rank(self, word: W) -> W {
        word.xor(word.sign().and(self.signed)).xor(self.all)
    }
}

/// A stretch of the order of pairs of a rank and an index, in which no two are equal: of equal ranks, lower indices are before
/// higher ones.
#[derive(Clone, Copy)]
pub(super) struct Stretch<W> {
    /// The first rank.
    pub(super) least: W,
    /// How far the last one is above it.
    pub(super) span: W,
    /// The last index with that one.
    pub(super) limit: u64,
}

impl<W: Key> Stretch<W> {
    /// From `least` to the pair of `most`, which is not less, and `limit`.
    #[inline(always)]
    pub(super) fn new(least: u64, most: u64, limit: u64) -> Self {
        Self { least: W::of(least), span: W::of(most.wrapping_sub(least)), limit }
    }

    /// How far a rank is above the first one.
    #[inline(always)]
    pub(super) fn offset(self, rank: W) -> W {
        rank.distance_from(self.least)
    }

    /// Whether a pair is in it.
    #[inline(always)]
    pub(super) fn has(self, rank: W, index: u64) -> bool {
        let offset = self.offset(rank);
        offset < self.span || (offset == self.span && index <= self.limit)
    }

    /// How far ranks may be above the first one at `index` and behind it, unless that is the limit's own; `None` if no rank
    /// may be there.
    #[inline(always)]
    pub(super) fn span_from(self, index: u64) -> Option<W> {
        if index <= self.limit { Some(self.span) } else { self.span.below() }
    }
}
