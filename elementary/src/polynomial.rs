//! Polynomials, by Horner's rule.

use crate::float::Float;

/// Returns the polynomial at x. Coefficients begin with the lowest.
#[inline(always)]
pub(crate) fn polynomial<F: Float>(x: F, coefficients: &'static [F::Format]) -> F {
    let mut at = coefficients.len() - 1;
    let mut value = x.number(coefficients[at]);
    while at > 0 {
        at -= 1;
        value = value * x + coefficients[at];
    }
    value
}
