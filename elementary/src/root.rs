//! `rsqrt`.

use crate::float::{Constants, Float, Format};
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
    let j = ((k * F::Format::HALF - F::Format::QUARTER) + F::Format::TO_INTEGER) - F::Format::TO_INTEGER;
    let m = f + F::Format::ONE;
    let m = F::choose((j + j).is_below(k), m + m, m);
    let one = x.number(F::Format::ONE);
    // Newton's steps need no root, and are as fast in vectors.
    let mut y = polynomial(m, F::Format::RSQRT);
    let mut step = 0;
    while step < F::Format::NEWTON {
        y = y + y * F::Format::HALF * (one - m * (y * y));
        step += 1;
    }
    // The last one has an exact remainder, and a term more.
    let square = Pair::product(y, y);
    let product = Pair::product(m, square.high);
    let rest = ((one - product.high) - product.low) - m * square.low;
    let value = (y + y * (rest * (rest * F::Format::THREE_EIGHTHS + F::Format::HALF))) * F::power_of_two(-j);
    let (zero, infinity) = (x.number(F::Format::ZERO), x.number(F::Format::INFINITY));
    let value = F::choose(zero.is_below(x), value, x.number(F::Format::NAN));
    let value = F::choose(x.is_equal(zero), infinity.signed_as(x), value);
    F::choose(x.is_equal(infinity), zero, value)
}
