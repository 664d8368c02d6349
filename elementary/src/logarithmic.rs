//! `log`, `log2`, `log1p`.

use crate::float::{Float, Format};
use crate::logarithm::Logarithm;

/// Returns the value of a logarithm of x where it is a number, and otherwise what C has.
#[inline(always)]
fn at_ends<F: Float>(x: F, value: F) -> F {
    let (zero, infinity) = (x.number(F::Format::ZERO), x.number(F::Format::INFINITY));
    let value = F::choose(zero.is_below(x), value, x.number(F::Format::NAN));
    let value = F::choose(x.is_equal(zero), -infinity, value);
    F::choose(x.is_equal(infinity), x, value)
}

/// Returns the natural logarithm of x.
///
/// -infinity for both zeros, infinity for infinity, NaN for numbers below zero.
///
/// ```
/// use warpfold_elementary::log;
///
/// assert_eq!((log(1.0f32), log(10.0f64), log(-0.0f32)), (0.0, std::f64::consts::LN_10, f32::NEG_INFINITY));
/// assert!(log(-1.0f32).is_nan());
/// ```
#[must_use]
#[inline(always)]
pub fn log<F: Float>(x: F) -> F {
    at_ends(x, Logarithm::of(x).natural(x.number(F::Format::ZERO)))
}

/// Returns the logarithm of x to base 2. It is exact for powers of two.
///
/// -infinity for both zeros, infinity for infinity, NaN for numbers below zero.
///
/// ```
/// use warpfold_elementary::log2;
///
/// assert_eq!((log2(8.0f32), log2(f64::from_bits(1)), log2(10.0f64)), (3.0, -1074.0, std::f64::consts::LOG2_10));
/// ```
#[must_use]
#[inline(always)]
pub fn log2<F: Float>(x: F) -> F {
    at_ends(x, Logarithm::of(x).binary())
}

/// Returns the natural logarithm of 1 + x, without the loss of an addition and [`log`] near zero.
///
/// -infinity for -1, infinity for infinity, a zero for the same zero, NaN for numbers below -1.
///
/// ```
/// use warpfold_elementary::log1p;
///
/// assert_eq!((log1p(1e-20f64), log1p(-0.0f32).to_bits(), log1p(-1.0f32)), (1e-20, (-0.0f32).to_bits(), f32::NEG_INFINITY));
/// ```
#[must_use]
#[inline(always)]
pub fn log1p<F: Float>(x: F) -> F {
    let (one, zero) = (x.number(F::Format::ONE), x.number(F::Format::ZERO));
    let sum = one + x;
    let lost = F::choose(one.is_below(x), one - (sum - x), x - (sum - one));
    let mut logarithm = Logarithm::of(sum);
    // Near 1 nothing need be lost.
    let is_near = logarithm.k.is_equal(zero);
    logarithm.f = F::choose(is_near, x, logarithm.f);
    let value = at_ends(sum, logarithm.natural(F::choose(is_near, zero, lost / sum)));
    F::choose(x.magnitude().is_below(x.number(F::Format::TINY)), x, value)
}
