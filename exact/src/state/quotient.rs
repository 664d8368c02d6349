//! Quotients of long integers and their roots, rounded once.

use super::natural::{Integer, Natural};
use super::rounded::Rounded;

/// The first bits of a number: `bits` times 2 to the power of `exponent`, and whether there is more below.
#[derive(Clone, Copy, Debug)]
struct Leading {
    bits: u128,
    exponent: i32,
    is_more: bool,
}

/// Returns the float nearest to `dividend / divisor` times 2 to the power of `exponent`; `None` if the divisor is zero.
pub(super) fn quotient<F: Rounded>(dividend: &Integer, divisor: &Integer, exponent: i32) -> Option<F> {
    let leading = divided(&dividend.magnitude, &divisor.magnitude)?;
    let is_negative = dividend.is_negative != divisor.is_negative && leading.bits != 0;
    Some(F::nearest(is_negative, leading.bits, leading.exponent + exponent, leading.is_more))
}

/// Returns the float nearest to the root of `dividend / divisor`, both not negative, times 2 to the power of `exponent`; `None`
/// if the divisor is zero.
pub(super) fn root_of_quotient<F: Rounded>(
    dividend: &Natural,
    divisor: &Natural,
    exponent: i32,
) -> Option<F> {
    let Leading { mut bits, exponent: mut twice, mut is_more } = divided(dividend, divisor)?;
    // The root halves the exponent.
    if twice % 2 != 0 {
        is_more |= bits & 1 != 0;
        (bits, twice) = (bits >> 1, twice + 1);
    }
    let root = root(bits);
    is_more |= u128::from(root) * u128::from(root) != bits;
    Some(F::nearest(false, root.into(), twice / 2 + exponent, is_more))
}

/// Returns the first 128 bits of the quotient; `None` if the divisor is zero.
fn divided(dividend: &Natural, divisor: &Natural) -> Option<Leading> {
    if divisor.is_zero() {
        return None;
    }
    if dividend.is_zero() {
        return Some(Leading { bits: 0, exponent: 0, is_more: false });
    }
    // Both are shifted up until the divisor fills its words, and the dividend is at least half of it, but less.
    let words = dividend.words().len().max(divisor.words().len()) as u32 + 1;
    let up = 32 * words - divisor.bits();
    let mut dividend_up = 32 * words - dividend.bits();
    let divisor = divisor.shifted(up);
    let mut rest = dividend.shifted(dividend_up);
    if rest >= divisor {
        dividend_up -= 1;
        rest = dividend.shifted(dividend_up);
    }
    let mut bits = 0;
    for _ in 0..4 {
        rest.shift_word();
        bits = bits << 32 | u128::from(digit(&mut rest, &divisor));
    }
    let exponent = up as i32 - dividend_up as i32 - 128;
    Some(Leading { bits, exponent, is_more: !rest.is_zero() })
}

/// Returns the whole quotient of `rest` by a divisor that fills its words, and leaves the rest. It has 32 bits.
fn digit(rest: &mut Natural, divisor: &Natural) -> u32 {
    let len = divisor.words().len();
    let top = u64::from(divisor.words().last().copied().unwrap_or(0)) + 1;
    let mut digit = 0u32;
    while *rest >= *divisor {
        let high = rest.words().get(len).copied().unwrap_or(0);
        let here = rest.words().get(len - 1).copied().unwrap_or(0);
        // Too small by little, if anything.
        let estimate = ((u64::from(high) << 32 | u64::from(here)) / top).max(1);
        rest.subtract(estimate as u32, divisor);
        digit = digit.wrapping_add(estimate as u32);
    }
    digit
}

/// Returns the whole root.
fn root(x: u128) -> u64 {
    let mut root = 0u64;
    for bit in (0..64).rev() {
        let with = root | 1 << bit;
        if u128::from(with) * u128::from(with) <= x {
            root = with;
        }
    }
    root
}
