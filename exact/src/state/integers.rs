//! Integers of 64 and 128 bits as elements. Nothing wraps.

use super::counts::{Counts, Kind, Way};
use super::element::{Arithmetic, Element, Parts};
use super::long::{Long, product};
use super::natural::Integer;
use super::sum::Sum;
use crate::total::{ExactTotal, words};

/// Elements of 64 bits whose sum 128 bits hold.
const PORTION: usize = 1 << 30;

macro_rules! integers {
    ($($integer:ident, bits $bits:literal, tag $tag:literal, $add:ident;)*) => { $(
        impl Arithmetic for $integer {
            type Sum = ExactTotal<{ words($bits) }>;
            type Product = ExactTotal<{ words(2 * $bits) }>;
            const TAG: u8 = $tag;
            const UNIT: i32 = 0;
            const IS_FLOAT: bool = false;

            #[inline]
            fn kind(self) -> Kind {
                Kind::Ordinary
            }

            #[inline]
            #[allow(unused_comparisons, reason = "of unsigned integers too")]
            fn parts(self) -> Parts {
                Parts { magnitude: self.abs_diff(0).into(), place: 0, is_negative: self < 0 }
            }

            #[inline]
            fn kind_of_product(self, _other: Self) -> Kind {
                Kind::Ordinary
            }

            #[inline]
            fn add(self, total: &mut Self::Sum, way: Way) {
                let Parts { magnitude, is_negative, .. } = self.parts();
                total.add_magnitude(&product(&[magnitude]), 0, is_negative != (way == Way::Retract));
            }

            #[inline]
            fn add_product(self, other: Self, total: &mut Self::Product, way: Way) {
                let (x, y) = (self.parts(), other.parts());
                let is_negative = (x.is_negative != y.is_negative) != (way == Way::Retract);
                total.add_magnitude(&product(&[x.magnitude, y.magnitude]), 0, is_negative);
            }

            #[inline]
            fn add_slice(x: &[Self], total: &mut Self::Sum, counts: &mut Counts, way: Way) {
                counts.all = counts.all.wrapping_add(way.of(x.len() as i64));
                $add(x, total, way);
            }
        }
    )* };
}
integers! {
    i64, bits 64, tag 4, add_short;
    u64, bits 64, tag 5, add_short;
    i128, bits 128, tag 6, add_each;
    u128, bits 128, tag 7, add_each;
}

/// Adds elements of 64 bits, in 128 bits first.
#[inline]
fn add_short<T: Copy + Into<i128>, const WORDS: usize>(x: &[T], total: &mut ExactTotal<WORDS>, way: Way) {
    for portion in x.chunks(PORTION) {
        let sum: i128 = portion.iter().map(|&x| x.into()).sum();
        let is_negative = (sum < 0) != (way == Way::Retract);
        total.add_magnitude(&product(&[sum.unsigned_abs()]), 0, is_negative);
    }
}

/// Adds elements one by one.
#[inline]
fn add_each<T: Arithmetic>(x: &[T], total: &mut T::Sum, way: Way) {
    x.iter().for_each(|x| x.add(total, way));
}

macro_rules! values {
    ($($integer:ident, $value:ty, $convert:expr;)*) => { $(
        impl Element for $integer {
            type Value = $value;
            type Float = f64;

            fn value(sum: &Sum<Self>) -> $value {
                let integer = Integer::of_words(sum.total.words());
                let magnitude = integer.magnitude.to_u128();
                $convert(integer.is_negative, magnitude)
            }
        }
    )* };
}
values! {
    i64, i128, short;
    u64, i128, short;
    i128, Option<i128>, signed;
    u128, Option<u128>, |is_negative: bool, magnitude: Option<u128>| magnitude.filter(|_| !is_negative);
}

/// Returns the sum of integers of 64 bits, which 128 bits hold; saturated, which only decoded or wrapped states reach.
fn short(is_negative: bool, magnitude: Option<u128>) -> i128 {
    signed(is_negative, magnitude).unwrap_or(if is_negative { i128::MIN } else { i128::MAX })
}

/// Returns the integer with this sign and magnitude, if it has 128 bits.
fn signed(is_negative: bool, magnitude: Option<u128>) -> Option<i128> {
    let magnitude = magnitude?;
    match is_negative {
        true => 0i128.checked_sub_unsigned(magnitude),
        false => i128::try_from(magnitude).ok(),
    }
}
