//! The one rounding: from the long integer to a float, to nearest, ties to even.

use super::{ExactTotal, NEGATIVE, NOT_NEGATIVE_ZERO, POSITIVE};

impl<const WORDS: usize> ExactTotal<WORDS> {
    /// Returns the f32 nearest to a total with `below` bits below the least subnormal.
    #[must_use]
    pub fn to_f32(&self, below: u32) -> f32 {
        let infinity = f32::INFINITY.to_bits().into();
        f32::from_bits(bits(self, below, f32::MANTISSA_DIGITS, infinity, 0x7fc0_0000, 31) as u32)
    }

    /// Returns the f64 nearest to a total with `below` bits below the least subnormal.
    #[must_use]
    pub fn to_f64(&self, below: u32) -> f64 {
        let infinity = f64::INFINITY.to_bits();
        f64::from_bits(bits(self, below, f64::MANTISSA_DIGITS, infinity, 0x7ff8_0000_0000_0000, 63))
    }
}

/// Returns the bits of the float nearest to a total that has `below` bits below the least subnormal. The format has `digits`
/// bits of mantissa, `infinity` and `nan` as the bits of positive infinity and the canonical NaN, and its sign at bit `sign`.
fn bits<const WORDS: usize>(
    total: &ExactTotal<WORDS>,
    below: u32,
    digits: u32,
    infinity: u64,
    nan: u64,
    sign: u32,
) -> u64 {
    let seen = total.seen();
    match seen & (POSITIVE | NEGATIVE) {
        0 => (),
        POSITIVE => return infinity,
        NEGATIVE => return infinity | 1 << sign,
        _ => return nan,
    }
    let words = total.words();
    let negative = words.last().is_some_and(|&top| top >> 31 != 0);
    let magnitude = Magnitude { words, negative, lowest: words.iter().position(|&word| word != 0) };
    let Some(length) = magnitude.length() else {
        return if seen & NOT_NEGATIVE_ZERO == 0 { 1 << sign } else { 0 };
    };
    // A total with no more bits than a mantissa, and none below the least subnormal, is exact, subnormal or not: the bits of
    // such a float are the integer.
    let dropped = length.saturating_sub(digits).max(below);
    let mantissa = magnitude.window(dropped);
    let half = dropped > 0 && magnitude.window(dropped - 1) & 1 != 0;
    let above_half = half && magnitude.any_below(dropped - 1);
    // The mantissa's leading bit adds 1 to the exponent; a carry from rounding up does so too.
    let rounded = (u64::from(dropped - below) << (digits - 1)) + mantissa;
    let rounded = rounded + u64::from(half && (above_half || mantissa & 1 != 0));
    rounded.min(infinity) | u64::from(negative) << sign
}

/// The magnitude of an integer in two's complement, word by word.
struct Magnitude<'a> {
    words: &'a [u32],
    negative: bool,
    /// The lowest word that is not zero. In a negative number the words below it are zeros and stay so; it is negated, and all
    /// words above are inverted.
    lowest: Option<usize>,
}

impl Magnitude<'_> {
    /// Returns word `i`.
    fn word(&self, i: usize) -> u32 {
        let word = self.words.get(i).copied().unwrap_or(if self.negative { u32::MAX } else { 0 });
        match self.lowest {
            Some(lowest) if self.negative && i == lowest => word.wrapping_neg(),
            Some(lowest) if self.negative && i > lowest => !word,
            _ => word,
        }
    }

    /// Returns the number of bits up to the highest set bit; `None` for zero.
    fn length(&self) -> Option<u32> {
        let top = (0..self.words.len()).rev().find(|&i| self.word(i) != 0)?;
        Some(top as u32 * 32 + 32 - self.word(top).leading_zeros())
    }

    /// Returns the 64 bits from bit `from` on.
    fn window(&self, from: u32) -> u64 {
        let at = (from / 32) as usize;
        let three = (0..3).fold(0u128, |bits, i| bits | u128::from(self.word(at + i)) << (32 * i));
        (three >> (from % 32)) as u64
    }

    /// Returns whether a bit below bit `end` is set.
    fn any_below(&self, end: u32) -> bool {
        // Negation leaves the lowest set bit where it is.
        self.lowest.is_some_and(|lowest| lowest as u32 * 32 + self.words[lowest].trailing_zeros() < end)
    }
}
