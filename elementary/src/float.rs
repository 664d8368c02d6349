//! What the functions compute with, its two formats, and their constants.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// What the functions take and return: `f32`, `f64`, or what records the operations on one of these, as the formulas of the crate
/// `warpfold-kernels` do.
///
/// A function is a sequence of these operations, the same for every argument. Each rounds to nearest.
pub trait Float:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<Self::Format, Output = Self>
    + Sub<Self::Format, Output = Self>
    + Mul<Self::Format, Output = Self>
{
    /// The format, which has the constants.
    type Format: Format;
    /// The result of a comparison.
    #[doc(hidden)]
    type Is: Copy;
    /// The bits, an integer.
    #[doc(hidden)]
    type Bits: Copy;

    /// Returns a number in the place of this one.
    #[doc(hidden)]
    fn number(self, number: Self::Format) -> Self;
    /// Returns whether this is less.
    #[doc(hidden)]
    fn is_below(self, other: Self) -> Self::Is;
    /// Returns whether both are equal.
    #[doc(hidden)]
    fn is_equal(self, other: Self) -> Self::Is;
    /// Returns `then` where `is` holds.
    #[doc(hidden)]
    fn choose(is: Self::Is, then: Self, otherwise: Self) -> Self;
    #[doc(hidden)]
    fn magnitude(self) -> Self;
    /// Returns this number with the sign of another. The sign of a NaN may be any.
    #[doc(hidden)]
    fn signed_as(self, other: Self) -> Self;
    /// Returns `self + a * b` for an exact product: one operation on a GPU, two elsewhere, with the same bits.
    #[doc(hidden)]
    #[inline(always)]
    fn plus_exact(self, a: Self, b: Self) -> Self {
        self + a * b
    }

    /// Returns the bits; those of a NaN may be any NaN's.
    #[doc(hidden)]
    fn bits(self) -> Self::Bits;
    #[doc(hidden)]
    fn of_bits(bits: Self::Bits) -> Self;
    /// Adds, and wraps around.
    #[doc(hidden)]
    fn plus(bits: Self::Bits, number: WordOf<Self>) -> Self::Bits;
    /// Subtracts, and wraps around.
    #[doc(hidden)]
    fn less(bits: Self::Bits, other: Self::Bits) -> Self::Bits;
    #[doc(hidden)]
    fn and(bits: Self::Bits, number: WordOf<Self>) -> Self::Bits;
    #[doc(hidden)]
    fn left(bits: Self::Bits, by: u32) -> Self::Bits;
    #[doc(hidden)]
    fn right(bits: Self::Bits, by: u32) -> Self::Bits;

    /// Returns 2^n for an integer n of a normal number.
    #[doc(hidden)]
    #[inline(always)]
    fn power_of_two(n: Self) -> Self {
        // The sum's last bits are n in two's complement; the others leave by the shift.
        let placed = (n + Self::Format::TO_INTEGER).bits();
        Self::of_bits(Self::left(Self::plus(placed, Self::Format::BIAS), Self::Format::MANTISSA))
    }

    /// Returns 2^(n + 64) for `placed`, the sum of n and [`TO_INTEGER`](Format::TO_INTEGER), and an integer n up to 0 of a number,
    /// subnormal or not.
    #[doc(hidden)]
    #[inline(always)]
    fn lifted_power(placed: Self) -> Self {
        Self::of_bits(Self::plus(
            Self::left(placed.bits(), Self::Format::MANTISSA),
            Self::Format::PLACED_LIFT,
        ))
    }

    /// Returns the first half of the bits: products of two such numbers are exact.
    #[doc(hidden)]
    #[inline(always)]
    fn head(self) -> Self {
        Self::of_bits(Self::and(self.bits(), Self::Format::HEAD))
    }

    /// Returns k and m of a positive normal number m 2^k, with m from about 1 / sqrt 2 to sqrt 2.
    #[doc(hidden)]
    #[inline(always)]
    fn parts(self) -> (Self, Self) {
        // The exponent field counts from 1 / sqrt 2 and its powers of two.
        let k = Self::right(Self::plus(self.bits(), Self::Format::FROM_SQRT), Self::Format::MANTISSA);
        let mantissa = Self::less(self.bits(), Self::left(k, Self::Format::MANTISSA));
        // `k` is written as the last bits of a float: no conversion, which few processors have for 64 bits.
        let k = Self::of_bits(Self::plus(k, Self::Format::FROM_BIAS));
        (k - Self::Format::TO_INTEGER, Self::of_bits(Self::plus(mantissa, Self::Format::PLACED_BIAS)))
    }
}

/// An integer of a format's bits.
type WordOf<F> = <<F as Float>::Format as Format>::Word;

/// Polynomials, from the lowest coefficient, and parts of constants.
pub trait Constants: Sized + 'static {
    /// ln 2 in two parts: the product of an exponent and the first is exact.
    const LN_2_HIGH: Self;
    const LN_2_LOW: Self;
    /// ln 2 in two parts: the product of a number on [`Format::GRID`] of exp2 and the first is exact.
    const LN_2_HEAD: Self;
    const LN_2_TAIL: Self;
    /// log2 e in two parts: the product of the first and the first places of a logarithm is exact.
    const LOG2_E_HEAD: Self;
    const LOG2_E_TAIL: Self;
    /// (e^x - 1 - x - x^2 / 2) / x^3 for x within ln 2 / 2 of zero.
    const EXP: &'static [Self];
    /// (2^x - 1 - x ln 2) / x^2 for x within 1/2 of zero.
    const EXP2: &'static [Self];
    /// (log((1 + s) / (1 - s)) - 2 s) / s^3 as a function of s^2, for (1 + s) / (1 - s) from 1 / sqrt 2 to sqrt 2.
    const LOG: &'static [Self];
    /// (tanh x - x) / x^3 as a function of x^2, for x up to 1/32.
    const TANH: &'static [Self];
    /// 1 / sqrt x to 8 bits, from 1 / sqrt 2 to 2 sqrt 2.
    const RSQRT: &'static [Self];
}

/// A format of IEEE 754.
pub trait Format: Copy + Constants + Neg<Output = Self> {
    /// An integer with as many bits.
    type Word: Copy;
    /// The mantissa's bits without the first, which is not stored.
    const MANTISSA: u32;
    /// The exponent field of 1; and in its place.
    const BIAS: Self::Word;
    const PLACED_BIAS: Self::Word;
    /// The exponent field of 2^64 in its place.
    const PLACED_LIFT: Self::Word;
    /// The bits of the first half.
    const HEAD: Self::Word;
    /// From the bits of 1 / sqrt 2 to those of 1.
    const FROM_SQRT: Self::Word;
    /// From an exponent field to the bits of [`TO_INTEGER`](Self::TO_INTEGER) plus its exponent.
    const FROM_BIAS: Self::Word;
    const ZERO: Self;
    const QUARTER: Self;
    const THREE_EIGHTHS: Self;
    const HALF: Self;
    const ONE: Self;
    const TWO: Self;
    const LN_2: Self;
    const LOG2_E: Self;
    const INFINITY: Self;
    /// The canonical NaN.
    const NAN: Self;
    /// The least number that is not subnormal.
    const LEAST_NORMAL: Self;
    /// Brings subnormal numbers among the normal ones: a power of two, and its exponent.
    const LIFT: Self;
    const LIFT_EXPONENT: Self;
    /// 2^-64: brings a power of two, as [`lifted_power`](Self::lifted_power) returns it, to its place.
    const UNLIFT: Self;
    /// 3/2 of the number whose unit in the last place is 1. Added and subtracted again, it rounds to an integer.
    const TO_INTEGER: Self;
    /// The same, to half of the mantissa's places after the point; and to fewer, for `exp2`.
    const TO_GRID: Self;
    const TO_GRID_OF_EXP2: Self;
    /// Beyond these `exp` is 0 or infinite.
    const EXP_LEAST: Self;
    const EXP_GREATEST: Self;
    /// Beyond these `exp2` is 0 or infinite.
    const EXP2_LEAST: Self;
    const EXP2_GREATEST: Self;
    /// Below this `expm1` is -1.
    const EXPM1_LEAST: Self;
    /// Twice the number from which on `tanh` is 1.
    const TWICE_TANH_GREATEST: Self;
    /// Below this `tanh` is a polynomial.
    const NEAR_ZERO: Self;
    /// The exponent from which on 1 does not change a sum.
    const FAR: Self;
    /// Below this in magnitude `expm1(x)` and `log1p(x)` are x.
    const TINY: Self;
    /// Newton's steps from 8 bits to more than a third of the format's.
    const NEWTON: usize;
}

macro_rules! formats {
    ($([$float:ident: $bits:ident, mantissa $mantissa:literal, bias $bias:literal, head $head:literal, newton $newton:literal, grids $grid:literal, $grid2:literal]
        $($name:ident = $value:expr,)*)*) => { $(
        impl Format for $float {
            type Word = $bits;
            const MANTISSA: u32 = $mantissa;
            const BIAS: $bits = $bias;
            const PLACED_BIAS: $bits = $bias << $mantissa;
            const PLACED_LIFT: $bits = ($bias + 64) << $mantissa;
            const HEAD: $bits = <$bits>::MAX << $head;
            const FROM_SQRT: $bits = Self::PLACED_BIAS - core::$float::consts::FRAC_1_SQRT_2.to_bits();
            const FROM_BIAS: $bits = Self::TO_INTEGER.to_bits() - $bias;
            const ZERO: Self = 0.0;
            const QUARTER: Self = 0.25;
            const THREE_EIGHTHS: Self = 0.375;
            const HALF: Self = 0.5;
            const ONE: Self = 1.0;
            const TWO: Self = 2.0;
            const LN_2: Self = core::$float::consts::LN_2;
            const LOG2_E: Self = core::$float::consts::LOG2_E;
            const INFINITY: Self = <$float>::INFINITY;
            const NAN: Self = <$float>::from_bits((<$bits>::MAX >> 1) ^ ((1 << ($mantissa - 1)) - 1));
            const LEAST_NORMAL: Self = <$float>::MIN_POSITIVE;
            const LIFT: Self = (1u64 << ($mantissa + 1)) as $float;
            const LIFT_EXPONENT: Self = ($mantissa + 1) as $float;
            const UNLIFT: Self = 1.0 / (1u128 << 64) as $float;
            const TO_INTEGER: Self = (3u64 << ($mantissa - 1)) as $float;
            const TO_GRID: Self = (3u64 << ($mantissa - 1 - $grid)) as $float;
            const TO_GRID_OF_EXP2: Self = (3u64 << ($mantissa - 1 - $grid2)) as $float;
            const NEAR_ZERO: Self = 1.0 / 32.0;
            const NEWTON: usize = $newton;
            $(const $name: Self = $value;)*
        }

        impl Float for $float {
            type Format = Self;
            type Is = bool;
            type Bits = $bits;

            #[inline(always)]
            fn number(self, number: Self) -> Self {
                number
            }
            #[inline(always)]
            fn is_below(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn is_equal(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn choose(is: bool, then: Self, otherwise: Self) -> Self {
                if is { then } else { otherwise }
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn signed_as(self, other: Self) -> Self {
                self.copysign(other)
            }
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn plus_exact(self, a: Self, b: Self) -> Self {
                core::$float::math::mul_add(a, b, self)
            }
            #[inline(always)]
            fn bits(self) -> $bits {
                self.to_bits()
            }
            #[inline(always)]
            fn of_bits(bits: $bits) -> Self {
                Self::from_bits(bits)
            }
            #[inline(always)]
            fn plus(bits: $bits, number: $bits) -> $bits {
                bits.wrapping_add(number)
            }
            #[inline(always)]
            fn less(bits: $bits, other: $bits) -> $bits {
                bits.wrapping_sub(other)
            }
            #[inline(always)]
            fn and(bits: $bits, number: $bits) -> $bits {
                bits & number
            }
            #[inline(always)]
            fn left(bits: $bits, by: u32) -> $bits {
                bits << by
            }
            #[inline(always)]
            fn right(bits: $bits, by: u32) -> $bits {
                bits >> by
            }
        }
    )* };
}

formats! {
    [f32: u32, mantissa 23, bias 127, head 12, newton 1, grids 8, 10]
        EXP_LEAST = -104.0,
        EXP_GREATEST = 89.0,
        EXP2_LEAST = -151.0,
        EXP2_GREATEST = 128.0,
        EXPM1_LEAST = -18.0,
        TWICE_TANH_GREATEST = 20.0,
        FAR = 60.0,
        TINY = 2.0e-8,
    [f64: u64, mantissa 52, bias 1023, head 27, newton 2, grids 21, 25]
        EXP_LEAST = -746.0,
        EXP_GREATEST = 710.0,
        EXP2_LEAST = -1076.0,
        EXP2_GREATEST = 1024.0,
        EXPM1_LEAST = -38.0,
        TWICE_TANH_GREATEST = 40.0,
        FAR = 120.0,
        TINY = 5.0e-17,
}
