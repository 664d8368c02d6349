//! The long integer that a sum is carried in, and what was seen besides numbers.

use bytemuck::{Pod, Zeroable};

use crate::unroll::unrolled;

/// What [`ExactSum`](super::ExactSum) and [`ExactDot`](super::ExactDot) carry: an integer in units of the least subnormal
/// number, or of its square, and a word that tells what else was seen. The integer has `WORDS - 1` words, the lowest first, in
/// two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct ExactTotal<const WORDS: usize>([u32; WORDS]);

/// Words of a total whose elements have `bits` bits.
pub(super) const fn words(bits: u32) -> usize {
    (bits + u64::BITS + 1).div_ceil(u32::BITS) as usize + 1
}

/// Positive infinity was seen, or a NaN.
pub(super) const POSITIVE: u32 = 1;
/// Negative infinity was seen, or a NaN: as infinities of both signs give a NaN, a NaN counts as both.
pub(super) const NEGATIVE: u32 = 2;
/// Something other than -0.0 was seen.
pub(super) const NOT_NEGATIVE_ZERO: u32 = 4;

/// Most words of a total that is kept in registers, where no word can be picked by its number.
const FEW: usize = 16;

impl<const WORDS: usize> ExactTotal<WORDS> {
    /// Of no elements.
    pub(super) const EMPTY: Self = Self([0; WORDS]);

    /// The words of the integer.
    pub(super) fn words(&self) -> &[u32] {
        &self.0[..WORDS - 1]
    }

    /// What was seen.
    pub(super) fn seen(&self) -> u32 {
        self.0[WORDS - 1]
    }

    /// Notes that something was seen.
    #[inline(always)]
    pub(super) fn see(&mut self, what: u32) {
        self.0[WORDS - 1] |= what;
    }

    /// Notes an infinity or a NaN.
    #[inline(always)]
    pub(super) fn see_infinite(&mut self, x: f64) {
        // Comparisons with a NaN are false.
        let (not_positive, not_negative) = (x < 0.0, x > 0.0);
        self.see(if not_positive { 0 } else { POSITIVE } | if not_negative { 0 } else { NEGATIVE });
    }

    /// Both together.
    #[inline(always)]
    pub(super) fn plus(mut self, right: Self) -> Self {
        self.add_words(|i| right.0[i]);
        self.see(right.seen());
        self
    }

    /// Adds `x` in units of 2 to the power of `unit`, of which it is a multiple, and less than 2 to the power of 32 (`WORDS`
    /// - 3).
    #[inline(always)]
    pub(super) fn add(&mut self, x: f64, unit: i32) {
        let (magnitude, exponent) = integer(x);
        // The place of the mantissa's lowest bit. What is below the total's lowest bit is zeros.
        let place = exponent - unit;
        let (magnitude, place) =
            if place < 0 { (magnitude >> (-place).min(63), 0) } else { (magnitude, place as u32) };
        let sign = (x.to_bits() as i64 >> 63) as u64;
        let integer = ((magnitude ^ sign).wrapping_sub(sign)) as i64;
        // Three words that start at a word of the total, and above them the sign.
        let low = (integer as u64) << (place % 32);
        let high = ((integer >> 32) >> (32 - place % 32)) as u32;
        self.add_at([low as u32, (low >> 32) as u32, high], (place / 32) as usize);
    }

    /// Appends the product of `x` and `y` in units of 2 to the power of `unit`, of which it is a multiple, and less than 2 to
    /// the power of 32 (`WORDS` - 3). Factors may be infinite or NaN.
    #[inline(always)]
    pub(super) fn append_product(&mut self, x: f64, y: f64, unit: i32) {
        if !(x.is_finite() && y.is_finite()) {
            self.see(NOT_NEGATIVE_ZERO);
            return self.see_infinite(x * y);
        }
        let ((x_magnitude, x_exponent), (y_magnitude, y_exponent)) = (integer(x), integer(y));
        let magnitude = u128::from(x_magnitude) * u128::from(y_magnitude);
        let negative = x.is_sign_negative() != y.is_sign_negative();
        if magnitude == 0 {
            return self.see(if negative { 0 } else { NOT_NEGATIVE_ZERO });
        }
        self.see(NOT_NEGATIVE_ZERO);
        let place = x_exponent + y_exponent - unit;
        // As in `add`; the product of two f32 has zeros below.
        let (magnitude, place) =
            if place < 0 { (magnitude >> (-place).min(127), 0) } else { (magnitude, place as u32) };
        let integer = if negative { magnitude.wrapping_neg() } else { magnitude };
        // 106 bits and a sign, moved up within a word: five words.
        let word = |i: usize| match i {
            0..4 => (integer >> (32 * i)) as u32,
            _ => ((integer as i128) >> 127) as u32,
        };
        let moved = core::array::from_fn::<u32, 5, _>(|i| {
            let below = if i == 0 { 0 } else { word(i - 1) };
            ((u64::from(word(i)) << 32 | u64::from(below)) << (place % 32) >> 32) as u32
        });
        self.add_at(moved, (place / 32) as usize);
    }

    /// Adds some words in two's complement, the lowest of them at word `at`.
    #[inline(always)]
    fn add_at<const N: usize>(&mut self, words: [u32; N], at: usize) {
        let sign = (words[N - 1] as i32 >> 31) as u32;
        if WORDS > FEW {
            let mut carry = 0;
            for i in at..WORDS - 1 {
                let word = if i - at < N { words[i - at] } else { sign };
                // Zeros without a carry change nothing above, and neither do ones with one.
                if i - at >= N && carry == u64::from(sign & 1) {
                    return;
                }
                let sum = u64::from(self.0[i]) + u64::from(word) + carry;
                (self.0[i], carry) = (sum as u32, sum >> 32);
            }
            return;
        }
        // All are moved up by 1, 2, 4 and 8 words, or are not: the compiler knows at each step which of them are zeros
        // or the sign.
        // [ptxas 13.5, sm_90, f32: 84 instructions for 16 elements, of the 210 that a thread spends on them.]
        let mut moved = [sign; WORDS];
        moved[..N].copy_from_slice(&words);
        unrolled!(step < 4, up to 4 => {
            let by = 1 << step;
            let before = moved;
            let moves = at & by != 0;
            unrolled!(i < if WORDS < FEW { WORDS } else { FEW } => {
                moved[i] = if !moves { before[i] } else if i < by { 0 } else { before[i - by] };
            });
        });
        self.add_words(|i| moved[i]);
    }

    /// Adds the integer whose words are `word`.
    #[inline(always)]
    fn add_words(&mut self, word: impl Fn(usize) -> u32) {
        let mut carry = 0;
        let mut add = |i: usize| {
            let sum = u64::from(self.0[i]) + u64::from(word(i)) + carry;
            (self.0[i], carry) = (sum as u32, sum >> 32);
        };
        if WORDS <= FEW {
            unrolled!(i < if WORDS <= FEW { WORDS - 1 } else { 0 } => { add(i) });
        } else {
            (0..WORDS - 1).for_each(add);
        }
    }
}

/// The magnitude of a finite number: an integer of up to 53 bits, and the exponent of the power of two that it is times.
#[inline(always)]
fn integer(x: f64) -> (u64, i32) {
    const HIDDEN: u64 = 1 << 52;
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & (HIDDEN - 1));
    if exponent == 0 { (fraction, 1 - 1075) } else { (fraction | HIDDEN, exponent - 1075) }
}
