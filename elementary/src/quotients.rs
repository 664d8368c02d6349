//! `tanh` and `sigmoid`: quotients of powers.

use crate::exponential::{between, unless_nan};
use crate::float::{Constants, Float, Format};
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
    let power = Power::of_e(between(magnitude + magnitude, F::Format::ZERO, F::Format::TWICE_TANH_GREATEST));
    let one = power.reciprocal_scale();
    let numerator = Pair::ordered_sum(power.head, -one).plus(power.tail);
    let divisor = Pair::ordered_sum(power.head, one).plus(power.tail);
    let square = x * x;
    let near_zero = magnitude + magnitude * (square * polynomial(square, F::Format::TANH));
    let is_near_zero = magnitude.is_below(x.number(F::Format::NEAR_ZERO));
    let value = F::choose(is_near_zero, near_zero, numerator.divided_by(divisor));
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
    let power = Power::of_e(between(-x.magnitude(), F::Format::EXP_LEAST, F::Format::ZERO));
    // 1 / (1 + e^-|x|), or e^-|x| / (1 + e^-|x|), whose scale comes last.
    let (zero, one, far) = (x.number(F::Format::ZERO), x.number(F::Format::ONE), x.number(-F::Format::FAR));
    let scale = F::power_of_two(F::choose(far.is_below(power.n), power.n, far));
    let divisor = Pair::ordered_sum(one, power.head * scale).plus(power.tail * scale);
    let above = zero.is_below(x);
    let numerator = Pair::ordered_sum(power.head, power.tail);
    let numerator =
        Pair { high: F::choose(above, one, numerator.high), low: F::choose(above, zero, numerator.low) };
    unless_nan(x, scaled(numerator.divided_by(divisor), F::choose(above, zero, power.n)))
}
