//! `tanh` and `sigmoid`: quotients of powers.

use crate::exponential::{between, unless_nan};
use crate::float::Float;
use crate::pair::Pair;
use crate::polynomial::polynomial;
use crate::power::{Power, scaled};

/// Returns the hyperbolic tangent of x.
///
/// -1 for -infinity, 1 for infinity, a zero for the same zero. It is odd.
///
/// ```
/// use warpfold_elementary::tanh;
///
/// assert_eq!((tanh(1.0f64), tanh(-20.0f32), tanh(1e-30f32)), (0.7615941559557649, -1.0, 1e-30));
/// ```
#[must_use]
#[inline(always)]
pub fn tanh<F: Float>(x: F) -> F {
    let magnitude = x.magnitude();
    // (e^2x - 1) / (e^2x + 1), both divided by the power of two.
    let power = Power::of_e(between(F::TWO * magnitude, F::ZERO, F::TWO * F::TANH_GREATEST));
    let one = power.reciprocal_scale();
    let numerator = Pair::ordered_sum(power.head, -one).plus(power.tail);
    let divisor = Pair::ordered_sum(power.head, one).plus(power.tail);
    let square = x * x;
    let near_zero = magnitude + magnitude * (square * polynomial(square, F::TANH));
    let value = if magnitude < F::NEAR_ZERO { near_zero } else { numerator.divided_by(divisor) };
    unless_nan(x, value.signed_as(x))
}

/// Returns 1 / (1 + e^-x), the logistic function. It is precise for numbers below zero too, where it is about e^x.
///
/// 0 for -infinity, 1/2 for zeros, 1 for infinity.
///
/// ```
/// use warpfold_elementary::{exp, sigmoid};
///
/// assert_eq!((sigmoid(0.0f32), sigmoid(40.0f64), sigmoid(-80.0f32)), (0.5, 1.0, exp(-80.0f32)));
/// ```
#[must_use]
#[inline(always)]
pub fn sigmoid<F: Float>(x: F) -> F {
    let power = Power::of_e(between(-x.magnitude(), F::EXP_LEAST, F::ZERO));
    // 1 / (1 + e^-|x|), or e^-|x| / (1 + e^-|x|), whose scale comes last.
    let scale = F::power_of_two(if power.n > -F::FAR { power.n } else { -F::FAR });
    let divisor = Pair::ordered_sum(F::ONE, power.head * scale).plus(power.tail * scale);
    let above = x > F::ZERO;
    let numerator = Pair::ordered_sum(power.head, power.tail);
    let numerator = Pair {
        high: if above { F::ONE } else { numerator.high },
        low: if above { F::ZERO } else { numerator.low },
    };
    unless_nan(x, scaled(numerator.divided_by(divisor), if above { F::ZERO } else { power.n }))
}
