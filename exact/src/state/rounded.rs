//! The rounding of what was divided, to nearest, ties to even.

use core::fmt::Debug;

/// A float that results are rounded to.
#[allow(unreachable_pub, reason = "a public trait's type has it; compilers before 1.95 do not see that")]
pub trait Rounded: Copy + Debug + PartialEq + Into<f64> {
    /// NaN, as results have it.
    const NAN: Self;

    /// Returns the float nearest to `bits` times 2 to the power of `exponent`. If there `is_more` below, the number is between
    /// `bits` and its successor, and `bits` has two bits more than a mantissa at least.
    fn nearest(is_negative: bool, bits: u128, exponent: i32, is_more: bool) -> Self;

    /// Returns the float nearest to this one, which is infinite, NaN or a zero.
    fn of_special(special: f64) -> Self;

    /// Returns the negative.
    fn negated(self) -> Self;
}

macro_rules! rounded {
    ($($float:ident, $bits:ident, least $least:literal;)*) => { $(
        impl Rounded for $float {
            const NAN: Self = Self::NAN;

            fn nearest(is_negative: bool, bits: u128, exponent: i32, is_more: bool) -> Self {
                const DIGITS: u32 = $float::MANTISSA_DIGITS;
                if bits == 0 {
                    return if is_negative { -0.0 } else { 0.0 };
                }
                let length = (u128::BITS - bits.leading_zeros()) as i32;
                // The exponent of the last digit that is kept.
                let last = (exponent + length - DIGITS as i32).max($least);
                let (mantissa, half, is_more) = split(bits, last - exponent, is_more);
                let rounded = mantissa + u128::from(half && (is_more || mantissa & 1 != 0));
                // The mantissa's leading bit adds 1 to the exponent; a carry from rounding up does so too.
                let scale = (last - $least).min(1 << 11) as u128;
                let magnitude = (scale << (DIGITS - 1)) + rounded;
                let magnitude = magnitude.min($float::INFINITY.to_bits().into()) as $bits;
                $float::from_bits(magnitude | $bits::from(is_negative) << ($bits::BITS - 1))
            }

            fn of_special(special: f64) -> Self {
                if special.is_nan() { Self::NAN } else { special as Self }
            }

            fn negated(self) -> Self {
                -self
            }
        }
    )* };
}
rounded! {
    f32, u32, least -149;
    f64, u64, least -1074;
}

/// Returns the bits from bit `at` on, the bit below, and whether there is more below that.
fn split(bits: u128, at: i32, is_more: bool) -> (u128, bool, bool) {
    match at {
        ..=0 => (bits << at.unsigned_abs(), false, is_more),
        1..=127 => {
            let below = bits & ((1 << (at - 1)) - 1);
            (bits >> at, bits >> (at - 1) & 1 != 0, is_more || below != 0)
        }
        128 => (0, bits >> 127 != 0, is_more || bits << 1 != 0),
        _ => (0, false, is_more || bits != 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exponent_is_rounded_as_a_product_is() {
        for exponent in -1200..1100 {
            for bits in
                [1u128, 3, 5, (1 << 53) - 1, (1 << 54) - 1, (1 << 54) + 1, (1 << 54) + 3, (1 << 55) - 3]
            {
                // The standard library's rounding of decimal and of hexadecimal numbers is not at hand: by halves.
                let expected = scaled(bits, exponent);
                let found = f64::nearest(false, bits, exponent, false);
                assert_eq!(found.to_bits(), expected.to_bits(), "{bits} 2^{exponent}");
                let found = f64::nearest(true, bits << 60, exponent - 60, false);
                assert_eq!(found.to_bits(), (-expected).to_bits(), "{bits} 2^{exponent}");
            }
        }
    }

    /// `bits` times a power of two, rounded by the conversion of an integer alone.
    fn scaled(bits: u128, exponent: i32) -> f64 {
        // What is below the least subnormal is kept as one bit, which decides no tie wrongly.
        let mut bits = bits << 10;
        let mut exponent = exponent - 10;
        let length = |bits: u128| 128 - bits.leading_zeros() as i32;
        while exponent < -1074 - 2 || (exponent < -1074 && length(bits) > 100) {
            (bits, exponent) = (bits >> 1 | bits & 1, exponent + 1);
        }
        if exponent < -1074 {
            let below = (-1074 - exponent) as u32;
            let (whole, rest) = (bits >> below, bits & ((1 << below) - 1));
            let half = 1 << (below - 1);
            if length(whole) <= 53 {
                let up = rest > half || (rest == half && whole & 1 != 0);
                return f64::from_bits((whole + u128::from(up)) as u64);
            }
        }
        // Two exact factors.
        let first = exponent.clamp(-1000, 1000);
        let power = |exponent: i32| f64::from_bits(((1023 + exponent) as u64) << 52);
        (bits as f64) * power(first) * power((exponent - first).clamp(-1022, 1023))
    }

    #[test]
    fn overflow_is_infinite_and_underflow_zero() {
        assert_eq!(f32::nearest(false, 1, 128, false), f32::INFINITY);
        assert_eq!(f32::nearest(true, 1, 1 << 20, false), f32::NEG_INFINITY);
        assert_eq!(f64::nearest(false, u128::MAX, 1 << 20, true), f64::INFINITY);
        assert_eq!(f64::nearest(true, u128::MAX, -1 << 20, true).to_bits(), (-0.0f64).to_bits());
        assert_eq!(f64::nearest(false, 1 << 127, -1074 - 128, true), f64::from_bits(1));
        assert_eq!(f64::nearest(false, 1 << 127, -1074 - 128, false), 0.0);
    }
}
