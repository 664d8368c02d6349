//! `exp`, `log` and their kin in formulas: the operations of the crate `warpfold-elementary`, computed or recorded one by one.

use warpfold_elementary::Float;

use super::scalar::{Binary, Comparison};
use super::value::{Mode, Value};

macro_rules! floats {
    ($($type:ident, $bits:ident;)*) => { $(
        impl<M: Mode> Float for Value<M, $type> {
            type Format = $type;
            type Is = Value<M, bool>;
            type Bits = Value<M, $bits>;

            #[inline(always)]
            fn number(self, number: $type) -> Self {
                Self(M::number(self.0, number))
            }
            #[inline(always)]
            fn is_below(self, other: Self) -> Value<M, bool> {
                self.compare(Comparison::Lt, other)
            }
            #[inline(always)]
            fn is_equal(self, other: Self) -> Value<M, bool> {
                self.compare(Comparison::Eq, other)
            }
            #[inline(always)]
            fn choose(is: Value<M, bool>, then: Self, otherwise: Self) -> Self {
                is.select(then, otherwise)
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn signed_as(self, other: Self) -> Self {
                self.binary(Binary::CopySign, other)
            }
            #[inline(always)]
            fn bits(self) -> Value<M, $bits> {
                Value(M::bits::<$type, $bits>(self.0))
            }
            #[inline(always)]
            fn of_bits(bits: Value<M, $bits>) -> Self {
                Self(M::bits::<$bits, $type>(bits.0))
            }
            #[inline(always)]
            fn plus(bits: Value<M, $bits>, number: $bits) -> Value<M, $bits> {
                bits + number
            }
            #[inline(always)]
            fn less(bits: Value<M, $bits>, other: Value<M, $bits>) -> Value<M, $bits> {
                bits - other
            }
            #[inline(always)]
            fn and(bits: Value<M, $bits>, number: $bits) -> Value<M, $bits> {
                bits & number
            }
            #[inline(always)]
            fn left(bits: Value<M, $bits>, by: u32) -> Value<M, $bits> {
                bits << by
            }
            #[inline(always)]
            fn right(bits: Value<M, $bits>, by: u32) -> Value<M, $bits> {
                bits >> by
            }
        }

        functions! { $type:
            /// Returns e^x.
            exp
            /// Returns 2^x; of an integer exactly.
            exp2
            /// Returns e^x - 1, also near 0 within one unit in the last place.
            expm1
            /// Returns the natural logarithm; of zeros -infinity, of numbers below them NaN.
            log
            /// Returns the logarithm to base 2; of a power of two exactly.
            log2
            /// Returns log(1 + x), also near 0 within one unit in the last place.
            log1p
            /// Returns the hyperbolic tangent.
            tanh
            /// Returns 1 / (1 + e^-x), the logistic function.
            sigmoid
            /// Returns 1 / sqrt(x), closer than a rounded root and a rounded division.
            rsqrt
        }
    )* };
}
macro_rules! functions {
    ($type:ident: $($(#[$doc:meta])* $name:ident)*) => {
        /// Functions of the crate `warpfold-elementary`, each within one unit in the last place. A NaN result is the canonical one.
        impl<M: Mode> Value<M, $type> { $(
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name(self) -> Self {
                warpfold_elementary::$name(self)
            }
        )* }
    };
}
floats! {
    f32, u32;
    f64, u64;
}
