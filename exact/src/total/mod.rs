//! The long integer that carries a sum, and what was seen besides numbers.
//!
//! Every float is an integer times one power of two, so all of them add up in one long integer without rounding. Element by
//! element that would be slow, so batches of neighbours are added up in a few f64 first, wherever no bit can be lost
//! ([`batch_f32`], [`batch_f64`]).
//!
//! This is what states and warpfold's operators are made of. It can be merged; only states can take back.

mod batch;
pub mod batch_f32;
pub mod batch_f64;
mod round;

use crate::unrolled;

/// An integer in units of the least subnormal number, or of its square, and a word of flags for what else was seen. The integer
/// has `WORDS - 1` words in two's complement, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct ExactTotal<const WORDS: usize>([u32; WORDS]);

/// Returns the words of a total whose elements have `bits` bits: 64 more allow for the number of elements, and one is the sign.
#[must_use]
pub const fn words(bits: u32) -> usize {
    (bits + u64::BITS + 1).div_ceil(u32::BITS) as usize + 1
}

/// Positive infinity was seen, or a NaN.
pub const POSITIVE: u32 = 1;
/// Negative infinity was seen, or a NaN. A NaN counts as both infinities, because infinities of both signs give a NaN.
pub const NEGATIVE: u32 = 2;
/// Something other than -0.0 was seen.
pub const NOT_NEGATIVE_ZERO: u32 = 4;

/// Most words of a total that is kept in registers, where no word can be indexed at run time.
pub(crate) const FEW: usize = 16;

impl<const WORDS: usize> ExactTotal<WORDS> {
    /// The total of no elements.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// Returns the words of the integer.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.0[..WORDS - 1]
    }

    /// Returns the flags of what was seen.
    #[must_use]
    pub fn seen(&self) -> u32 {
        self.0[WORDS - 1]
    }

    /// Returns the words of the integer, to be changed.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(crate) fn words_mut(&mut self) -> &mut [u32] {
        &mut self.0[..WORDS - 1]
    }

    /// Takes the flags away, and returns them.
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    pub(crate) fn take_seen(&mut self) -> u32 {
        core::mem::take(&mut self.0[WORDS - 1])
    }

    /// Sets the flags `what`.
    #[inline(always)]
    pub fn see(&mut self, what: u32) {
        self.0[WORDS - 1] |= what;
    }

    /// Sets the flags of an infinity or a NaN.
    #[inline(always)]
    pub fn see_infinite(&mut self, x: f64) {
        // Comparisons with a NaN are false.
        let (not_positive, not_negative) = (x < 0.0, x > 0.0);
        self.see(if not_positive { 0 } else { POSITIVE } | if not_negative { 0 } else { NEGATIVE });
    }

    /// Returns the sum of both.
    #[must_use]
    #[inline(always)]
    pub fn plus(mut self, right: Self) -> Self {
        self.add_words(|i| right.0[i]);
        self.see(right.seen());
        self
    }

    /// Adds `x` in units of 2 to the power of `unit`. `x` is a multiple of the unit, and less than 2 to the power of 32
    /// (`WORDS` - 3) units.
    #[inline(always)]
    pub fn add(&mut self, x: f64, unit: i32) {
        let (magnitude, exponent) = integer(x);
        // The place of the mantissa's lowest bit. Bits below the total's lowest bit are zeros.
        let place = exponent - unit;
        let (magnitude, place) =
            if place < 0 { (magnitude >> (-place).min(63), 0) } else { (magnitude, place as u32) };
        let sign = (x.to_bits() as i64 >> 63) as u64;
        let integer = ((magnitude ^ sign).wrapping_sub(sign)) as i64;
        // Three words from one of the total's words on, and the sign above them.
        let low = (integer as u64) << (place % 32);
        let high = ((integer >> 32) >> (32 - place % 32)) as u32;
        self.add_at([low as u32, (low >> 32) as u32, high], (place / 32) as usize);
    }

    /// Adds the product of `x` and `y` in units of 2 to the power of `unit`. It is a multiple of the unit, and less than 2 to
    /// the power of 32 (`WORDS` - 3) units. Factors may be infinite or NaN.
    #[inline(always)]
    pub fn append_product(&mut self, x: f64, y: f64, unit: i32) {
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
        // As in `add`; the product of two f32 has zeros in its low bits.
        let (magnitude, place) =
            if place < 0 { (magnitude >> (-place).min(127), 0) } else { (magnitude, place as u32) };
        let integer = if negative { magnitude.wrapping_neg() } else { magnitude };
        // 106 bits and a sign, shifted within a word: five words.
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

    /// Adds some words in two's complement, the lowest at word `at`.
    #[inline(always)]
    fn add_at<const N: usize>(&mut self, words: [u32; N], at: usize) {
        let sign = (words[N - 1] as i32 >> 31) as u32;
        if WORDS > FEW {
            let mut carry = 0;
            for i in at..WORDS - 1 {
                let word = if i - at < N { words[i - at] } else { sign };
                // Zeros without a carry change nothing above, and neither do ones with a carry.
                if i - at >= N && carry == u64::from(sign & 1) {
                    return;
                }
                let sum = u64::from(self.0[i]) + u64::from(word) + carry;
                (self.0[i], carry) = (sum as u32, sum >> 32);
            }
            return;
        }
        // The words are moved up by 1, 2, 4 and 8 words or not at all. The compiler knows at each step which of them are
        // zeros or the sign (docs/tuning/registers.md).
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

    /// Adds the integer whose words `word` returns.
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

/// Splits the magnitude of a finite number into an integer of up to 53 bits and the exponent of its power of two.
#[inline(always)]
fn integer(x: f64) -> (u64, i32) {
    const HIDDEN: u64 = 1 << 52;
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & (HIDDEN - 1));
    if exponent == 0 { (fraction, 1 - 1075) } else { (fraction | HIDDEN, exponent - 1075) }
}
