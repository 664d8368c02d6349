//! The exponential function, with the same bits on the device and on the host.

use core::f32::consts::LOG2_E;

/// 1.5 * 2^23: so large that a sum with it is rounded to an integer.
const ROUNDER: f32 = 12_582_912.0;

/// ln 2 in two parts. The first has 9 bits, so its product with an integer up to 2^15 is exact.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];

/// e to the power `x`, within 2 units in the last place: 0 from -104 down, infinity from 89 up.
///
/// Uses only additions, multiplications and bit operations, each rounded separately, so the bits are the same on every
/// machine (except the bits of a NaN): `x = n ln 2 + r` with an integer `n` and `|r| <= ln 2 / 2`, and `exp(x) = 2^n
/// exp(r)`. The Taylor series of `exp(r)` ends where `r^8 / 8!` is less than 6e-9.
#[inline]
#[must_use]
pub fn exp(x: f32) -> f32 {
    let x = if x < -104.0 { -104.0 } else { x };
    let x = if x > 89.0 { 89.0 } else { x };
    let n = (x * LOG2_E + ROUNDER) - ROUNDER;
    let r = (x - n * LN_2[0]) - n * LN_2[1];
    let mut series = 1.0 / 5040.0;
    for coefficient in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = series * r + coefficient;
    }
    // Two factors, and neither overflows: the first product is exact, the second is rounded if the result is subnormal.
    let n = n as i32;
    series * power_of_two(n / 2) * power_of_two(n - n / 2)
}

/// 2 to the power `n`, for `n` from -126 to 127.
fn power_of_two(n: i32) -> f32 {
    f32::from_bits(((n + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every 997th float whose result is neither 0 nor infinite, against the standard library's result in f64.
    #[test]
    fn exponentials_are_within_two_units_in_the_last_place() {
        let mut worst = 0.0f64;
        for bits in (0..=104f32.to_bits()).step_by(997) {
            for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
                let expected = f64::from(x).exp();
                if expected >= f64::from(f32::MAX) {
                    continue;
                }
                let unit = f64::from((expected as f32).next_up()) - f64::from(expected as f32);
                worst = worst.max((f64::from(exp(x)) - expected).abs() / unit);
            }
        }
        assert!(worst <= 2.0, "{worst} units in the last place");
    }

    #[test]
    fn exponentials_at_the_edges() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert!(exp(f32::NAN).is_nan());
    }
}
