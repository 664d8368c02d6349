//! The order in which elements are sorted: any two that differ in a bit are ordered, NaN and zeros too.

use core::ops::Not;

use bytemuck::Pod;
use half::{bf16, f16};

use crate::op::Element;

/// An element with a rank among all values of its type: an unsigned integer of as many bits.
///
/// Integers have their own order, and `false` is before `true`. Floats have the order `totalOrder` of IEEE 754-2019, section
/// 5.10: -NaN, -infinity, ..., -0.0, +0.0, ..., +infinity, +NaN, where sign and payload order NaNs. A stable sort by it has one
/// result, so its bits are the same everywhere. In
/// [`NanGreatest`](crate::NanGreatest) every NaN is greater than the numbers.
///
/// [`Min`](crate::Min) and its relatives order numbers in the same way, but skip NaN; their order is
/// [`Ordered`](crate::Ordered).
///
/// ```
/// use gpu_kernels::TotalOrder;
///
/// assert!((-0.0_f32).rank() < 0.0_f32.rank());
/// assert!(f32::INFINITY.rank() < f32::NAN.rank() && (-f32::NAN).rank() < f32::NEG_INFINITY.rank());
/// assert_eq!(f32::from_rank(1.5_f32.rank()), 1.5);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number with a total order",
    label = "not an integer, a float or a bool",
    note = "a generic function asks for it: `T: warpfold::elements::TotalOrder`",
    note = "numbers that may be missing, `Option<T>`, are collected first: `options.into_iter().collect::<warpfold::Elements<T>>()`",
    note = "structs of your own are sorted by a field: `argsort` of these gives the order"
)]
pub trait TotalOrder: Element {
    /// The rank type.
    type Rank: Rank;
    /// Returns the rank of this element: less for an element that comes before.
    fn rank(self) -> Self::Rank;
    /// Returns the element with this rank, bit for bit. A rank that no element has may give any element.
    fn from_rank(rank: Self::Rank) -> Self;
}

/// An unsigned integer that ranks elements: u8, u16, u32, u64 or u128.
pub trait Rank: Pod + Ord + Send + Sync + Not<Output = Self> {
    /// The number of bits.
    const BITS: u32;
    /// Returns `bits` bits, up to 32, from bit `shift` on, which is less than [`BITS`](Rank::BITS).
    fn digit(self, shift: u32, bits: u32) -> u32;
    /// Returns this rank less `other`, wrapping round from 0 to the greatest rank.
    #[must_use]
    fn distance_from(self, other: Self) -> Self;
    /// Returns the next rank, unless this is the greatest.
    fn above(self) -> Option<Self>;
    /// Returns the previous rank, unless this is 0.
    fn below(self) -> Option<Self>;
}

macro_rules! ranks {
    ($($rank:ty),*) => { $(
        impl Rank for $rank {
            const BITS: u32 = <$rank>::BITS;
            #[inline(always)]
            fn digit(self, shift: u32, bits: u32) -> u32 {
                let mask = if bits < 32 { (1 << bits) - 1 } else { u32::MAX };
                (self >> shift) as u32 & mask
            }
            #[inline(always)]
            fn distance_from(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn above(self) -> Option<Self> {
                self.checked_add(1)
            }
            fn below(self) -> Option<Self> {
                self.checked_sub(1)
            }
        }
    )* };
}
ranks!(u8, u16, u32, u64, u128);

/// Lines `integer: unsigned integer`. Negative integers get the lower half of the ranks.
macro_rules! integers {
    ($($int:ty: $rank:ty),*) => { $(
        impl TotalOrder for $int {
            type Rank = $rank;
            #[inline(always)]
            fn rank(self) -> $rank {
                self as $rank ^ <$int>::MIN as $rank
            }
            #[inline(always)]
            fn from_rank(rank: $rank) -> Self {
                (rank ^ <$int>::MIN as $rank) as $int
            }
        }
    )* };
}
integers!(u8: u8, u16: u16, u32: u32, u64: u64, u128: u128, i8: u8, i16: u16, i32: u32, i64: u64, i128: u128,
    usize: u64, isize: u64);

impl TotalOrder for bool {
    type Rank = u8;
    #[inline(always)]
    fn rank(self) -> u8 {
        self.into()
    }
    #[inline(always)]
    fn from_rank(rank: u8) -> Self {
        rank != 0
    }
}

/// Lines `float: its bits, the same with a sign`. Positive floats ascend with their bits and get the upper half of the ranks;
/// negative ones descend, so all their bits are flipped.
macro_rules! floats {
    ($($float:ty: $bits:ty, $signed:ty);*) => { $(
        impl TotalOrder for $float {
            type Rank = $bits;
            #[inline(always)]
            fn rank(self) -> $bits {
                let bits = self.to_bits();
                let negative = (bits as $signed >> (<$bits>::BITS - 1)) as $bits;
                bits ^ (negative | <$signed>::MIN as $bits)
            }
            #[inline(always)]
            fn from_rank(rank: $bits) -> Self {
                let negative = (!rank as $signed >> (<$bits>::BITS - 1)) as $bits;
                Self::from_bits(rank ^ (negative | <$signed>::MIN as $bits))
            }
        }
    )* };
}
floats!(f16: u16, i16; bf16: u16, i16; f32: u32, i32; f64: u64, i64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_float_of_16_bits_has_its_place() {
        let mut f16s: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        f16s.sort_by(f16::total_cmp);
        for (x, place) in f16s.iter().zip(0..=u16::MAX) {
            assert_eq!((x.rank(), f16::from_rank(place).to_bits()), (place, x.to_bits()));
        }
        let mut bf16s: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
        bf16s.sort_by(bf16::total_cmp);
        for (x, place) in bf16s.iter().zip(0..=u16::MAX) {
            assert_eq!((x.rank(), bf16::from_rank(place).to_bits()), (place, x.to_bits()));
        }
    }

    /// Tests bits around every power of two, where exponents and signs change.
    #[test]
    fn wide_elements_compare_as_their_ranks() {
        let bits: Vec<u64> = (0..64).flat_map(|i| [(1 << i) - 1, 1 << i, (1 << i) + 1, !(1 << i)]).collect();
        for &a in &bits {
            for &b in &bits {
                let (x, y) = (f64::from_bits(a), f64::from_bits(b));
                assert_eq!(x.rank().cmp(&y.rank()), x.total_cmp(&y), "{x:?} {y:?}");
                let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                assert_eq!(x.rank().cmp(&y.rank()), x.total_cmp(&y), "{x:?} {y:?}");
                assert_eq!((a as i64).rank().cmp(&(b as i64).rank()), (a as i64).cmp(&(b as i64)));
                assert_eq!((a as i8).rank().cmp(&(b as i8).rank()), (a as i8).cmp(&(b as i8)));
                let (x, y) = (i128::from(a as i64) << 3, i128::from(b as i64) << 3);
                assert_eq!(x.rank().cmp(&y.rank()), x.cmp(&y));
            }
            assert_eq!(f64::from_rank(f64::from_bits(a).rank()).to_bits(), a);
            assert_eq!(f32::from_rank(f32::from_bits(a as u32).rank()).to_bits(), a as u32);
            assert_eq!(i64::from_rank((a as i64).rank()), a as i64);
        }
        assert_eq!((bool::from_rank(false.rank()), bool::from_rank(true.rank())), (false, true));
    }

    #[test]
    fn digits_are_of_the_bits_asked_for() {
        assert_eq!(0x1234_5678_u32.digit(8, 8), 0x56);
        assert_eq!(0x1234_5678_u32.digit(20, 12), 0x123);
        assert_eq!(0xab_u8.digit(0, 8), 0xab);
        assert_eq!((0xabc_u128 << 116).digit(116, 12), 0xabc);
        assert_eq!(u64::MAX.digit(32, 32), u32::MAX);
    }
}
