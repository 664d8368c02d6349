//! A total order by integer keys. The compiler's own float `min` and `max` leave the order of the two
//! zeros open and differ between targets; integers do not.

use cuda_std::float::FloatOrder;
use num_traits::{Bounded, PrimInt, Signed};

use crate::op::{Accumulator, Element};

/// A number with a total order: its keys compare as integers.
///
/// Float keys ascend from -infinity over -0.0 and +0.0 to +infinity and never take the key type's least or
/// greatest value, one of which the operator gives to NaN.
pub trait Ordered: Element {
    /// The integer that stands for the number.
    type Key: Key;
    /// This number's key, or `nan` if it is not a number.
    fn key(self, nan: Self::Key) -> Self::Key;
    /// The number with this key: canonical NaN for a float key that no number has.
    fn from_key(key: Self::Key) -> Self;
    /// The lesser of two numbers; of a number and NaN the number, of two NaNs some NaN.
    #[inline(always)]
    #[must_use]
    fn lesser(self, other: Self) -> Self {
        if other.key(Self::Key::GREATEST) < self.key(Self::Key::GREATEST) { other } else { self }
    }
    /// The greater of two numbers; of a number and NaN the number, of two NaNs some NaN.
    #[inline(always)]
    #[must_use]
    fn greater(self, other: Self) -> Self {
        if other.key(Self::Key::LEAST) > self.key(Self::Key::LEAST) { other } else { self }
    }
    /// Whether both are the same number, bit for bit. NaN may be the same as NaN or not.
    #[inline(always)]
    fn is_same(self, other: Self) -> bool {
        bytemuck::bytes_of(&self) == bytemuck::bytes_of(&other)
    }
}

/// An integer that orders.
pub trait Key: Accumulator + Ord + Bounded {
    /// The least key.
    const LEAST: Self;
    /// The greatest key.
    const GREATEST: Self;
    /// The same order in 64 signed bits.
    fn rank(self) -> i64;
    /// The key with this rank.
    fn from_rank(rank: i64) -> Self;
}

macro_rules! integers {
    ($($int:ty: $flip:expr),* $(,)?) => { $(
        impl Ordered for $int {
            type Key = Self;
            #[inline]
            fn key(self, _nan: Self) -> Self {
                self
            }
            #[inline]
            fn from_key(key: Self) -> Self {
                key
            }
            #[inline(always)]
            fn is_same(self, other: Self) -> bool {
                self == other
            }
        }
        impl Key for $int {
            const LEAST: Self = Self::MIN;
            const GREATEST: Self = Self::MAX;
            #[inline]
            fn rank(self) -> i64 {
                self as i64 ^ $flip
            }
            #[inline]
            fn from_rank(rank: i64) -> Self {
                (rank ^ $flip) as Self
            }
        }
    )* };
}
integers!(i32: 0, u32: 0, i64: 0, u64: i64::MIN);

/// Negative numbers descend with their bits: flips all bits of one but its sign. Its own inverse.
///
/// Written so that a GPU does it in a shift and one three-input operation; with a shifted mask it takes three.
#[inline(always)]
fn flip<B: PrimInt + Signed>(bits: B) -> B {
    let sign = bits.signed_shr(8 * size_of::<B>() as u32 - 1);
    (bits ^ sign) | (bits & B::min_value())
}

macro_rules! floats {
    ($($float:ty, $key:ty, $bits:ty, $nan:literal);* $(;)?) => { $(
        impl Ordered for $float {
            #[inline(always)]
            fn is_same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits()
            }
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                self.minimum_number(other)
            }
            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                self.maximum_number(other)
            }
            type Key = $key;
            #[inline]
            fn key(self, nan: $key) -> $key {
                if self.is_nan() { nan } else { flip(self.to_bits() as $key) }
            }
            #[inline]
            fn from_key(key: $key) -> Self {
                if key == <$key>::MIN || key == <$key>::MAX {
                    return <$float>::from_bits($nan);
                }
                <$float>::from_bits(flip(key) as $bits)
            }
        }
    )* };
}
floats!(f32, i32, u32, 0x7fc0_0000; f64, i64, u64, 0x7ff8_0000_0000_0000);
