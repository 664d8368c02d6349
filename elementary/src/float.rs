//! The two formats: their bits, and constants of the functions.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// A float of these functions: `f32` or `f64`. Each computes in its own format.
pub trait Float: Format {}
impl Float for f32 {}
impl Float for f64 {}

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
pub trait Format:
    Copy
    + PartialOrd
    + Constants
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    const ZERO: Self;
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
    /// From this on `tanh` is 1.
    const TANH_GREATEST: Self;
    /// Below this `tanh` is a polynomial.
    const NEAR_ZERO: Self;
    /// The exponent from which on 1 does not change a sum.
    const FAR: Self;
    /// Below this in magnitude `expm1(x)` and `log1p(x)` are x.
    const TINY: Self;
    /// Newton's steps from 8 bits to more than a third of the format's.
    const NEWTON: usize;

    /// Returns 2^n for an integer n of a normal number.
    fn power_of_two(n: Self) -> Self;

    /// Returns 2^(n + 64) for `placed`, the sum of n and [`TO_INTEGER`](Self::TO_INTEGER), and an integer n up to 0 of a number, subnormal or
    /// not.
    fn lifted_power(placed: Self) -> Self;

    /// Returns the first half of the bits: products of two such numbers are exact.
    fn head(self) -> Self;

    /// Returns k and m of a positive normal number m 2^k, with m from about 1 / sqrt 2 to sqrt 2.
    fn parts(self) -> (Self, Self);

    /// Returns `self + a * b` for an exact product: one operation on a GPU, two elsewhere, with the same bits.
    fn plus_exact(self, a: Self, b: Self) -> Self;

    fn magnitude(self) -> Self;

    /// Returns this number with the sign of another.
    fn signed_as(self, other: Self) -> Self;
}

macro_rules! formats {
    ($([$float:ident: $bits:ident, mantissa $mantissa:literal, bias $bias:literal, head $head:literal, newton $newton:literal, grids $grid:literal, $grid2:literal]
        $($name:ident = $value:expr,)*)*) => { $(
        impl Format for $float {
            const ZERO: Self = 0.0;
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

            #[inline(always)]
            fn power_of_two(n: Self) -> Self {
                // The sum's last bits are n in two's complement; the others leave by the shift.
                Self::from_bits((n + Self::TO_INTEGER).to_bits().wrapping_add($bias) << $mantissa)
            }

            #[inline(always)]
            fn lifted_power(placed: Self) -> Self {
                Self::from_bits((placed.to_bits() << $mantissa).wrapping_add(($bias + 64) << $mantissa))
            }

            #[inline(always)]
            fn head(self) -> Self {
                Self::from_bits(self.to_bits() & (<$bits>::MAX << $head))
            }

            #[inline(always)]
            fn parts(self) -> (Self, Self) {
                // The exponent field counts from 1 / sqrt 2 and its powers of two.
                const LEAST: $bits = core::$float::consts::FRAC_1_SQRT_2.to_bits();
                let above = self.to_bits().wrapping_sub(LEAST).wrapping_add($bias << $mantissa);
                let k = above >> $mantissa;
                let mantissa = self.to_bits().wrapping_sub(k << $mantissa).wrapping_add($bias << $mantissa);
                // `k` is written as the last bits of a float: no conversion, which few processors have for 64 bits.
                let k = Self::from_bits(Self::TO_INTEGER.to_bits().wrapping_add(k).wrapping_sub($bias));
                (k - Self::TO_INTEGER, Self::from_bits(mantissa))
            }

            #[inline(always)]
            fn plus_exact(self, a: Self, b: Self) -> Self {
                #[cfg(target_arch = "nvptx64")]
                return core::$float::math::mul_add(a, b, self);
                #[cfg(not(target_arch = "nvptx64"))]
                return self + a * b;
            }

            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }

            #[inline(always)]
            fn signed_as(self, other: Self) -> Self {
                self.copysign(other)
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
        TANH_GREATEST = 10.0,
        FAR = 60.0,
        TINY = 2.0e-8,
    [f64: u64, mantissa 52, bias 1023, head 27, newton 2, grids 21, 25]
        EXP_LEAST = -746.0,
        EXP_GREATEST = 710.0,
        EXP2_LEAST = -1076.0,
        EXP2_GREATEST = 1024.0,
        EXPM1_LEAST = -38.0,
        TANH_GREATEST = 20.0,
        FAR = 120.0,
        TINY = 5.0e-17,
}
