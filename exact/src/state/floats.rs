//! f32 and f64 as elements.

use super::counts::{Counts, Kind};
use super::element::{Arithmetic, Element, Parts};
use super::long::Long;
use super::products;
use super::sum::Sum;
use super::way::Way;
use crate::total::{ExactTotal, FEW, NEGATIVE, NOT_NEGATIVE_ZERO, POSITIVE, batch_f32, batch_f64, words};

/// Elements that are looked at together for what has to be counted one by one.
const PORTION: usize = 1024;

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

/// Calls `add` for portions of the elements, with the total, and counts what is in them.
#[inline(always)]
fn add_portions<T: Arithmetic, const WORDS: usize>(
    x: &[T],
    total: &mut ExactTotal<WORDS>,
    counts: &mut Counts,
    way: Way,
    has_zero: impl Fn(&[T]) -> bool,
    add: impl Fn(&mut ExactTotal<WORDS>, &[T]),
) {
    for portion in x.chunks(PORTION) {
        add(total, portion);
        if total.take_seen() & (POSITIVE | NEGATIVE) != 0 || has_zero(portion) {
            portion.iter().for_each(|x| counts.add(x.kind(), way.of(1)));
        } else {
            counts.all = counts.all.wrapping_add(way.of(portion.len() as i64));
        }
    }
}

macro_rules! float {
    ($float:ident, $batch:ident, unit $unit:literal, bits $bits:literal, $to:ident, tag $tag:literal, $($products:item)*) => {
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
                // Totals of few words are made for registers, which a state is not in
                // (docs/tuning/cpu.md).
                if words($bits) <= FEW {
                    let Parts { magnitude, place, is_negative } = self.parts();
                    let words = [magnitude as u32, (magnitude >> 32) as u32];
                    total.add_magnitude(&words, place, is_negative != (way == Way::Retract));
                } else {
                    let x = if way == Way::Push { self } else { -self };
                    total.add(x.into(), $unit);
                }
            }

            #[inline]
            fn add_product(self, other: Self, total: &mut Self::Product, way: Way) {
                let x = if way == Way::Push { self } else { -self };
                total.append_product(x.into(), other.into(), 2 * $unit);
                total.take_seen();
            }

            #[inline]
            fn add_slice(x: &[Self], total: &mut Self::Sum, counts: &mut Counts, way: Way) {
                // Any zero, since that is found in fewer steps than -0.0.
                let has_zero = |x: &[Self]| x.iter().fold(false, |any, &x| any | (x == 0.0));
                match way {
                    Way::Push => add_portions(x, total, counts, way, has_zero, $batch::append_slice),
                    Way::Retract => add_portions(x, total, counts, way, has_zero, |total, x| {
                        let mut negated = [0.0; PORTION];
                        negated.iter_mut().zip(x).for_each(|(to, x)| *to = -x);
                        $batch::append_slice(total, &negated[..x.len()]);
                    }),
                }
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
    fn add_finite_products(x: &[Self], y: &[Self], total: &mut Self::Product, way: Way) {
        products::add_finite(x, y, total, way);
    }

    #[inline]
    fn add_counted_products(x: &[Self], y: &[Self], total: &mut Self::Product, counts: &mut Counts, way: Way) {
        products::add_counted(x, y, total, counts, way);
    }
}
float! { f64, batch_f64, unit -1074, bits 2098, to_f64, tag 1, }
