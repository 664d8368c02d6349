//! `rsqrt`.

use crate::float::Float;
use crate::logarithm::Logarithm;
use crate::pair::Pair;
use crate::polynomial::polynomial;

/// Returns 1 / sqrt(x), within little more than half a unit in the last place: closer than a rounded root and a rounded division.
///
/// A zero gives an infinity of its sign, as IEEE 754's rSqrt; infinity gives 0, numbers below zero give NaN.
///
/// ```
/// use warpfold_elementary::rsqrt;
///
/// assert_eq!((rsqrt(4.0f32), rsqrt(2.0f64), rsqrt(-0.0f32)), (0.5, std::f64::consts::FRAC_1_SQRT_2, f32::NEG_INFINITY));
/// ```
#[must_use]
#[inline(always)]
pub fn rsqrt<F: Float>(x: F) -> F {
    // x = m 4^j.
    let Logarithm { k, f } = Logarithm::of(x);
    let j = ((k * F::HALF - F::HALF * F::HALF) + F::TO_INTEGER) - F::TO_INTEGER;
    let m = F::ONE + f;
    let m = if k > j + j { m + m } else { m };
    // Newton's steps need no root, and are as fast in vectors.
    let mut y = polynomial(m, F::RSQRT);
    let mut step = 0;
    while step < F::NEWTON {
        y = y + F::HALF * y * (F::ONE - m * (y * y));
        step += 1;
    }
    // The last one has an exact remainder, and a term more.
    let square = Pair::product(y, y);
    let product = Pair::product(m, square.high);
    let rest = ((F::ONE - product.high) - product.low) - m * square.low;
    let three_eighths = F::HALF - F::HALF * F::HALF * F::HALF;
    let value = (y + y * (rest * (F::HALF + three_eighths * rest))) * F::power_of_two(-j);
    let value = if x > F::ZERO { value } else { F::NAN };
    let value = if x == F::ZERO { F::INFINITY.signed_as(x) } else { value };
    if x == F::INFINITY { F::ZERO } else { value }
}
