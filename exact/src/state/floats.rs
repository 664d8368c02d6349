//! f32 and f64 as elements.

use super::counts::{Counts, Kind, Way};
use super::element::{Arithmetic, Element, Parts};
use super::long::Long;
use super::products;
use super::sum::Sum;
use crate::total::{self, ExactTotal, NEGATIVE, NOT_NEGATIVE_ZERO, POSITIVE, batch_f32, batch_f64, words};

/// Elements that are looked at together for what has to be counted one by one.
const PORTION: usize = 1024;

/// Elements of a batch. The last one of a slice is filled up, and takes as long as the others.
const BATCH: usize = 256;

/// Elements of a batch that are added side by side.
const ROW: usize = 16;

/// Elements that take less time one by one than a batch takes (docs/tuning/cpu.md).
const FEW: usize = 32;

/// Splits a slice into what is added in batches, and a rest that takes less time one by one.
#[inline(always)]
pub(super) fn split_rest<T>(x: &[T]) -> (&[T], &[T]) {
    let rest = x.len() % BATCH;
    x.split_at(if rest < FEW { x.len() - rest } else { x.len() })
}

/// Returns a batch, or its negative if it is taken back.
#[inline(always)]
fn signed<T: Copy + core::ops::Neg<Output = T>>(
    batch: [[T; ROW]; BATCH / ROW],
    way: Way,
) -> [[T; ROW]; BATCH / ROW] {
    if way == Way::Push { batch } else { batch.map(|row| row.map(|x| -x)) }
}

/// Returns a total with the flags of what was counted, which decide the value of a total that is zero or no number.
pub(super) fn with_flags<const WORDS: usize>(
    total: &ExactTotal<WORDS>,
    counts: &Counts,
) -> ExactTotal<WORDS> {
    let mut total = *total;
    if let Some(special) = counts.special() {
        total.see_infinite(special);
    }
    total.see(if counts.is_negative_zero() { 0 } else { NOT_NEGATIVE_ZERO });
    total
}

/// Adds elements one by one, outside the loops of batches, which are compiled for each caller.
#[inline(never)]
fn add_each<T: Arithmetic>(x: &[T], total: &mut T::Sum, counts: &mut Counts, way: Way) {
    x.iter().for_each(|x| x.add_counted(total, counts, way));
}

macro_rules! float {
    ($float:ident, $batch:ident, unit $unit:literal, bits $bits:literal, $to:ident, tag $tag:literal, $product:item $($products:item)*) => {
        impl Arithmetic for $float {
            type Sum = ExactTotal<{ words($bits) }>;
            type Product = ExactTotal<{ words(2 * $bits) }>;
            const TAG: u8 = $tag;
            const UNIT: i32 = $unit;
            const IS_FLOAT: bool = true;

            #[inline]
            fn kind(self) -> Kind {
                Kind::of(self.into())
            }

            #[inline]
            fn parts(self) -> Parts {
                const FRACTION: u32 = <$float>::MANTISSA_DIGITS - 1;
                let bits = self.abs().to_bits();
                let (exponent, fraction) = ((bits >> FRACTION) as u32, bits & ((1 << FRACTION) - 1));
                let hidden = if exponent == 0 { 0 } else { 1 << FRACTION };
                Parts {
                    magnitude: (fraction | hidden).into(),
                    place: exponent.max(1) - 1,
                    is_negative: self.is_sign_negative(),
                }
            }

            #[inline]
            fn kind_of_product(self, other: Self) -> Kind {
                let is_finite = self.is_finite() && other.is_finite();
                match is_finite && self != 0.0 && other != 0.0 {
                    // The product of two finite numbers is finite here, even where a float is not.
                    true => Kind::Ordinary,
                    false => Kind::of((self * other).into()),
                }
            }

            #[inline]
            fn add(self, total: &mut Self::Sum, way: Way) {
                // Totals of few words are made for registers, which a state is not in (docs/tuning/cpu.md).
                if words($bits) <= total::FEW {
                    let Parts { magnitude, place, is_negative } = self.parts();
                    total.add_short(magnitude as u64, place, is_negative != (way == Way::Retract));
                } else {
                    let x = if way == Way::Push { self } else { -self };
                    total.add(x.into(), $unit);
                }
            }

            $product

            // Always inlined, as all that a slice goes through, so that it uses the vector registers of a caller that has wider ones.
            #[inline(always)]
            fn add_slice(x: &[Self], total: &mut Self::Sum, counts: &mut Counts, way: Way) {
                let (batches, rest) = split_rest(x);
                for portion in batches.chunks(PORTION) {
                    // Any zero, since that is found in fewer steps than -0.0.
                    let has_zero = portion.iter().fold(false, |any, &x| any | (x == 0.0));
                    let mut batches = portion.chunks_exact(BATCH);
                    for elements in &mut batches {
                        let mut batch = [[0.0; ROW]; BATCH / ROW];
                        batch.as_flattened_mut().copy_from_slice(elements);
                        $batch::append(total, signed(batch, way));
                    }
                    let rest = batches.remainder();
                    if !rest.is_empty() {
                        let mut batch = [[0.0; ROW]; BATCH / ROW];
                        batch.as_flattened_mut()[..rest.len()].copy_from_slice(rest);
                        $batch::append(total, signed(batch, way));
                    }
                    if total.take_seen() & (POSITIVE | NEGATIVE) != 0 || has_zero {
                        portion.iter().for_each(|x| counts.add(x.kind(), way.of(1)));
                    } else {
                        counts.all = counts.all.wrapping_add(way.of(portion.len() as i64));
                    }
                }
                add_each(rest, total, counts, way);
            }

            $($products)*
        }

        impl Element for $float {
            type Value = $float;
            type Float = $float;

            fn value(sum: &Sum<Self>) -> $float {
                with_flags(&sum.total, &sum.counts).$to(0)
            }
        }
    };
}
// From the least subnormal to 2^128 and 2^1024. Products are multiples of the square of the least subnormal, 2^-298 and 2^-2148,
// and less than 2^256 and 2^2048.
float! { f32, batch_f32, unit -149, bits 277, to_f32, tag 0,
    #[inline]
    fn add_product(self, other: Self, total: &mut Self::Product, way: Way) {
        let (x, y) = (self.parts(), other.parts());
        let is_negative = (x.is_negative != y.is_negative) != (way == Way::Retract);
        total.add_short((x.magnitude * y.magnitude) as u64, x.place + y.place, is_negative);
    }

    #[inline(always)]
    fn add_finite_products(x: &[Self], y: &[Self], total: &mut Self::Product, way: Way) {
        products::add_finite(x, y, total, way);
    }

    #[inline(always)]
    fn add_counted_products(x: &[Self], y: &[Self], total: &mut Self::Product, counts: &mut Counts, way: Way) {
        products::add_counted(x, y, total, counts, way);
    }
}
float! { f64, batch_f64, unit -1074, bits 2098, to_f64, tag 1,
    #[inline]
    fn add_product(self, other: Self, total: &mut Self::Product, way: Way) {
        let x = if way == Way::Push { self } else { -self };
        total.append_product(x, other, 2 * Self::UNIT);
        total.take_seen();
    }
}
