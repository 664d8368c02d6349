//! Pairs of rank and index as one number each, so that they compare as numbers do.

use bytemuck::Pod;

use super::super::keys::Key;

/// A word whose rank has a number together with an index.
pub trait Paired: Key {
    /// The number: a rank above an index of 32 bits.
    type Pair: Pod + Ord;
    /// A number greater than all pairs of elements.
    const LAST: Self::Pair;
    /// Returns the number of a rank and an index.
    fn pair(self, index: u32) -> Self::Pair;
    /// Returns a number's rank.
    fn rank_of(pair: Self::Pair) -> Self;
    /// Returns a number's index.
    fn index_of(pair: Self::Pair) -> u32;
}

macro_rules! paired {
    ($($word:ty: $pair:ty),*) => { $(
        impl Paired for $word {
            type Pair = $pair;
            const LAST: $pair = <$pair>::MAX;
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn pair(self, index: u32) -> $pair {
                (self as $pair) << 32 | index as $pair
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn rank_of(pair: $pair) -> Self {
                (pair >> 32) as Self
            }
            #[cfg_attr(target_arch = "nvptx64", inline(always))]
            fn index_of(pair: $pair) -> u32 {
                pair as u32
            }
        }
    )* };
}
paired!(u8: u64, u16: u64, u32: u64, u64: u128);
