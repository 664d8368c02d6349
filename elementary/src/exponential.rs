//! `exp`, `exp2`, `expm1`.

use crate::float::{Float, Format};
use crate::power::Power;

/// Returns x between two bounds. A NaN becomes one of them, whichever is faster; the caller returns NaN for it.
#[inline(always)]
pub(crate) fn between<F: Float>(x: F, least: F::Format, greatest: F::Format) -> F {
    let (least, greatest) = (x.number(least), x.number(greatest));
    let x = F::choose(least.is_below(x), x, least);
    F::choose(x.is_below(greatest), x, greatest)
}

/// Returns `value`, or the canonical NaN if x is a NaN.
#[inline(always)]
pub(crate) fn unless_nan<F: Float>(x: F, value: F) -> F {
    F::choose(x.is_equal(x), value, x.number(F::Format::NAN))
}

/// Returns e^x.
///
/// 0 for -infinity, infinity for infinity. Results above the greatest finite number are infinite; results below the least subnormal
/// number round to it or to 0.
///
/// ```
/// use warpfold_elementary::exp;
///
/// assert_eq!(exp(1.0f32), std::f32::consts::E);
/// assert_eq!((exp(0.0f64), exp(f64::NEG_INFINITY), exp(89.0f32)), (1.0, 0.0, f32::INFINITY));
/// ```
#[must_use]
#[inline(always)]
pub fn exp<F: Float>(x: F) -> F {
    unless_nan(x, Power::of_e(between(x, F::Format::EXP_LEAST, F::Format::EXP_GREATEST)).value())
}

/// Returns e^x of a number up to zero, as [`exp`] does, by fewer operations. Of a number above zero the result is unspecified.
///
/// ```
/// use warpfold_elementary::{exp, exp_up_to_one};
///
/// assert_eq!((exp_up_to_one(0.0f32), exp_up_to_one(f64::NEG_INFINITY)), (1.0, 0.0));
/// assert_eq!(exp_up_to_one(-100.0f32), exp(-100.0f32)); // subnormal
/// ```
#[must_use]
#[inline(always)]
pub fn exp_up_to_one<F: Float>(x: F) -> F {
    // A NaN stays: it is not less.
    let least = x.number(F::Format::EXP_LEAST);
    Power::of_e(F::choose(x.is_below(least), least, x)).value_up_to_one()
}

/// Returns 2^x. It is exact for integers.
///
/// 0 for -infinity, infinity for infinity, as [`exp`].
///
/// ```
/// use warpfold_elementary::exp2;
///
/// assert_eq!((exp2(10.0f32), exp2(-1074.0f64), exp2(0.5f64)), (1024.0, f64::from_bits(1), std::f64::consts::SQRT_2));
/// ```
#[must_use]
#[inline(always)]
pub fn exp2<F: Float>(x: F) -> F {
    unless_nan(x, Power::of_two(between(x, F::Format::EXP2_LEAST, F::Format::EXP2_GREATEST)).value())
}

/// Returns e^x - 1, without the loss of [`exp`] and a subtraction near zero.
///
/// -1 for -infinity, infinity for infinity, a zero for the same zero.
///
/// ```
/// use warpfold_elementary::expm1;
///
/// assert_eq!((expm1(1e-20f64), expm1(-0.0f32).to_bits(), expm1(f32::NEG_INFINITY)), (1e-20, (-0.0f32).to_bits(), -1.0));
/// ```
#[must_use]
#[inline(always)]
pub fn expm1<F: Float>(x: F) -> F {
    let value = Power::of_e(between(x, F::Format::EXPM1_LEAST, F::Format::EXP_GREATEST)).less_one();
    unless_nan(x, F::choose(x.magnitude().is_below(x.number(F::Format::TINY)), x, value))
}
