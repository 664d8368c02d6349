//! Quotients of long integers, and their roots, as f64: the exact result, rounded to nearest once, with ties to even.
//!
//! As in `rounded`, results are computed to at least 62 bits, rounded to odd, and then to nearest. The quotient has twice as
//! many bits, for a root that has enough of them.

use super::rounded::{EXACT, power_of_two, root_to_odd};

/// A positive quotient as `floor * 2^exponent`, where the exponent is even.
struct Ratio {
    /// The quotient of shifted integers, rounded down: at least 2^125; of two digits, 2^61.
    floor: u128,
    /// Whether the exact quotient is greater.
    is_more: bool,
    exponent: i32,
}

/// Returns `dividend / divisor`, of a dividend of 256 bits, the upper half first. No integer is 0.
#[inline]
fn ratio([high, low]: [u128; 2], divisor: u128) -> Ratio {
    // Both are shifted until their highest bit is at the top; the dividend then back by 1 or 2 bits, so that the quotient has
    // at least 126 bits, at most 128, and an even exponent.
    let up_divisor = divisor.leading_zeros();
    let divisor = divisor << up_divisor;
    let (high, low, words) = if high == 0 { (low, 0, 128) } else { (high, low, 0) };
    let up = high.leading_zeros();
    // Shifted twice, since the shift may be by 128 bits.
    let (high, low) = (high << up | low >> 1 >> (127 - up), low << up);
    let down = 2 - ((up ^ up_divisor) & 1);
    let is_cut = low & ((1 << down) - 1) != 0;
    let (mut rest, mut next) = (high >> down, high << (128 - down) | low >> down);
    let mut floor = 0;
    let mut digits = 0;
    while digits < 4 {
        let (digit, left) = digit(rest, (next >> 96) as u32, divisor);
        (floor, rest, next) = (floor << 32 | u128::from(digit), left, next << 32);
        digits += 1;
    }
    let exponent = up_divisor as i32 + down as i32 - up as i32 - words;
    Ratio { floor, is_more: is_cut | (rest != 0), exponent }
}

/// Does [`ratio`] for integers of fewer bits, to 32 bits per digit: 62 bits at least of two digits, 126 of four. Its steps are of 64
/// bits instead of 128.
#[inline]
fn short_ratio(dividend: u128, divisor: u64, digits: u32) -> Ratio {
    let (up, up_divisor) = (dividend.leading_zeros(), divisor.leading_zeros());
    let (long, divisor) = (dividend << up, divisor << up_divisor);
    let down = 2 - ((up ^ up_divisor) & 1);
    let is_cut = long & ((1 << down) - 1) != 0;
    let long = long >> down;
    let (mut rest, mut next) = ((long >> 64) as u64, long as u64);
    let mut floor = 0;
    let mut done = 0;
    while done < digits {
        // As in `digit`.
        let estimate = rest / (divisor >> 32 | 1 << 31);
        let mut digit = if estimate > u64::from(u32::MAX) { u64::from(u32::MAX) } else { estimate };
        let all = u128::from(rest) << 32 | u128::from(next >> 32);
        let mut product = u128::from(digit) * u128::from(divisor);
        while product > all {
            (digit, product) = (digit - 1, product - u128::from(divisor));
        }
        (floor, rest, next) = (floor << 32 | u128::from(digit), (all - product) as u64, next << 32);
        done += 1;
    }
    // Digits after the second are of zeros that follow the dividend.
    let exponent = up_divisor as i32 + down as i32 - up as i32 - 32 * (digits as i32 - 2);
    Ratio { floor, is_more: is_cut | ((rest | next) != 0), exponent }
}

/// Returns the next 32 bits of a quotient and the new rest, by one step of long division (Knuth, *The Art of Computer
/// Programming* 2, algorithm 4.3.1D). The divisor's highest bit is set, and the rest is less than the divisor.
#[inline(always)]
fn digit(rest: u128, next: u32, divisor: u128) -> (u64, u128) {
    // At most 2 too much (theorem 4.3.1B). The bit, which is set, tells the compiler that the divisor is not 0.
    let estimate = (rest >> 64) as u64 / ((divisor >> 96) as u64 | 1 << 31);
    let mut digit = if estimate > u64::from(u32::MAX) { u64::from(u32::MAX) } else { estimate };
    // The product has 160 bits: the highest 32 of them are kept apart.
    let low = u128::from(digit) * u128::from(divisor as u64);
    let high = u128::from(digit) * (divisor >> 64) + (low >> 64);
    let (mut left, borrow) =
        (rest << 32 | u128::from(next)).overflowing_sub(high << 64 | u128::from(low as u64));
    let mut above = (rest >> 96) as i64 - (high >> 64) as i64 - i64::from(borrow);
    while above < 0 {
        let (more, carry) = left.overflowing_add(divisor);
        (digit, left, above) = (digit - 1, more, above + i64::from(carry));
    }
    (digit, left)
}

/// Returns `dividend / divisor`, of a dividend of 256 bits, the upper half first; `divisor` is not 0.
#[inline]
pub(in crate::ops) fn quotient(dividend: [u128; 2], divisor: u128) -> f64 {
    let [high, low] = dividend;
    if high == 0 && low <= u128::from(EXACT) && divisor <= u128::from(EXACT) {
        return low as u64 as f64 / divisor as u64 as f64;
    }
    if high | low == 0 {
        return 0.0;
    }
    if high == 0 && divisor <= u128::from(u64::MAX) {
        let Ratio { floor, is_more, exponent } = short_ratio(low, divisor as u64, 2);
        return (floor as u64 | u64::from(is_more)) as f64 * power_of_two(exponent);
    }
    let Ratio { floor, is_more, exponent } = ratio(dividend, divisor);
    let odd = (floor >> 64) as u64 | u64::from((floor as u64 != 0) | is_more);
    odd as f64 * power_of_two(64 + exponent)
}

/// Returns the square root of `dividend / divisor`, of a dividend of 256 bits, the upper half first; `divisor` is not 0.
#[inline]
pub(in crate::ops) fn root_of_quotient(dividend: [u128; 2], divisor: u128) -> f64 {
    let [high, low] = dividend;
    if high | low == 0 {
        return 0.0;
    }
    let Ratio { floor, is_more, exponent } = if high == 0 && divisor <= u128::from(u64::MAX) {
        short_ratio(low, divisor as u64, 4)
    } else {
        ratio(dividend, divisor)
    };
    root_to_odd(floor, is_more) as f64 * power_of_two(exponent / 2)
}
