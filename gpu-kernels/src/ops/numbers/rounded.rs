//! Quotients and roots of long integers as f64: the exact result, rounded to nearest once, with ties to even.
//!
//! Both are computed to at least 63 bits, with the lowest bit set if there is a remainder. Such a number is rounded to odd. If
//! it has at least two bits more than f64, rounding it to nearest gives what rounding the exact one would (Boldo and Melquiond,
//! *Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd*, IEEE Transactions on Computers 57,
//! 2008). A quotient is found one bit at a time, which is short. A root begins with an estimate, and integers prove the result, so
//! it is the same on every machine.

use cuda_std::float::GpuFloat;

/// Integers up to this one are exact as f64.
pub(super) const EXACT: u64 = 1 << 53;

/// Returns `2^exponent`, if that is a normal number.
#[inline(always)]
pub(super) const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Returns `dividend / divisor`; `divisor` is not 0.
#[inline]
pub(in crate::ops) fn quotient(dividend: u128, divisor: u64) -> f64 {
    if dividend <= EXACT as u128 && divisor <= EXACT {
        return dividend as u64 as f64 / divisor as f64;
    }
    // Both are shifted until their highest bit is at the top; the dividend by a bit less, so that the quotient has 63 or 64
    // bits.
    let (up, up_divisor) = (dividend.leading_zeros(), divisor.leading_zeros());
    // Wrapping, since a dividend of 0 is shifted by 128 bits, and stays 0.
    let (long, divisor) = (dividend.wrapping_shl(up), divisor << up_divisor);
    let mut rest = (long >> 65) as u64;
    let mut next = (long >> 1) as u64;
    let mut quotient = 0u64;
    let mut bit = 0;
    while bit < u64::BITS {
        let carry = rest >> 63;
        rest = rest << 1 | next >> 63;
        next <<= 1;
        let is_in = (carry != 0) | (rest >= divisor);
        rest = if is_in { rest.wrapping_sub(divisor) } else { rest };
        quotient = quotient << 1 | u64::from(is_in);
        bit += 1;
    }
    let odd = quotient | u64::from((rest != 0) | (long & 1 != 0));
    odd as f64 * power_of_two(1 - up as i32 + up_divisor as i32)
}

/// Returns the square root of a 192-bit integer, the lowest word first.
#[inline]
pub(in crate::ops) fn root(words: [u64; 3]) -> f64 {
    let [low, middle, high] = words;
    if (high | middle) == 0 && low <= EXACT {
        return GpuFloat::sqrt(low as f64);
    }
    // The highest 128 bits, shifted up by an even number of bits until one of the two highest is set, and whether any bit below
    // them is set.
    let (long, is_cut, exponent) = if high == 0 {
        let all = u128::from(middle) << 64 | u128::from(low);
        let up = all.leading_zeros() & !1;
        (all << up, false, -(up as i32 / 2))
    } else {
        let up = high.leading_zeros() & !1;
        let top = u128::from(high) << 64 | u128::from(middle);
        // Shifted twice, since the shift may be by 64 bits.
        let below = low >> 1 >> (63 - up);
        (top << up | u128::from(below), low << up != 0, 32 - up as i32 / 2)
    };
    root_to_odd(long, is_cut) as f64 * power_of_two(exponent)
}

/// Returns the square root of an integer of at least 2^124, rounded to odd. `is_cut` says that the exact integer is greater, by
/// less than 1.
#[inline]
pub(super) fn root_to_odd(long: u128, is_cut: bool) -> u64 {
    // The root of the upper half is less than 2^12 off. One step of Newton's method leaves less than 1, and 2 less is never too
    // much.
    let near = GpuFloat::sqrt((long >> 64) as u64 as f64) * power_of_two(32);
    let start = near as u64;
    let off = (long.wrapping_sub(u128::from(start) * u128::from(start)) as i128 >> 32) as i64;
    let step = off as f64 * power_of_two(31) / near;
    let mut root = start.wrapping_add((step as i64 - 2) as u64);
    loop {
        let rest = long.wrapping_sub(u128::from(root) * u128::from(root));
        if rest <= u128::from(root) << 1 {
            return root | u64::from(is_cut | (rest != 0));
        }
        root = root.wrapping_add(1);
    }
}
