//! Natural numbers of up to 9216 bits, without allocation, and integers of them and a sign: what results are computed in.

use core::cmp::Ordering;

/// Words of the longest number, the square of a covariance of f64. Legitimate states need 271 words, any decoded one 274;
/// division needs two more.
const MOST: usize = 288;

/// A natural number, the lowest word first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Natural {
    words: [u32; MOST],
    /// Words up to the highest that is not zero.
    len: usize,
}

impl Natural {
    pub(super) const ZERO: Self = Self { words: [0; MOST], len: 0 };

    /// Returns the number with these words.
    pub(super) fn of_words(words: impl Iterator<Item = u32>) -> Self {
        let mut number = Self::ZERO;
        number.words.iter_mut().zip(words).for_each(|(to, from)| *to = from);
        number.trimmed(MOST)
    }

    /// Returns a short number.
    pub(super) fn of(x: u128) -> Self {
        Self::of_words((0..4).map(|i| (x >> (32 * i)) as u32))
    }

    /// Returns the number as a short one, if it is.
    pub(super) fn to_u128(self) -> Option<u128> {
        (self.len <= 4).then(|| (0..4).fold(0, |all, i| all | u128::from(self.words[i]) << (32 * i)))
    }

    /// Returns itself with the right length, which is at most `len`.
    fn trimmed(mut self, len: usize) -> Self {
        self.len = self.words[..len.min(MOST)].iter().rposition(|&word| word != 0).map_or(0, |top| top + 1);
        self
    }

    /// Returns the words.
    pub(super) fn words(&self) -> &[u32] {
        &self.words[..self.len]
    }

    pub(super) fn is_zero(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of bits.
    pub(super) fn bits(&self) -> u32 {
        self.words().last().map_or(0, |top| self.len as u32 * 32 - top.leading_zeros())
    }

    /// Returns the product.
    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = Self::ZERO;
        // Sums of like numbers end in many zeros.
        let first = other.words().iter().position(|&word| word != 0).unwrap_or(0);
        for (i, &x) in self.words().iter().enumerate().filter(|&(_, &x)| x != 0) {
            let mut carry = 0;
            let places = product.words.iter_mut().skip(i + first);
            let factors = other.words()[first..].iter().copied().chain([0]);
            for (to, y) in places.zip(factors) {
                let sum = u64::from(*to) + u64::from(x) * u64::from(y) + carry;
                (*to, carry) = (sum as u32, sum >> 32);
            }
        }
        product.trimmed(self.len + other.len)
    }

    /// Returns the sum.
    pub(super) fn plus(mut self, other: &Self) -> Self {
        let len = (self.len.max(other.len) + 1).min(MOST);
        let mut carry = 0;
        for (to, &y) in self.words[..len].iter_mut().zip(&other.words) {
            let sum = u64::from(*to) + u64::from(y) + carry;
            (*to, carry) = (sum as u32, sum >> 32);
        }
        self.trimmed(len)
    }

    /// Returns the difference from a number that is not greater.
    pub(super) fn minus(mut self, other: &Self) -> Self {
        let len = self.len;
        let mut carry = 1;
        for (to, &y) in self.words[..len].iter_mut().zip(&other.words) {
            let sum = u64::from(*to) + u64::from(!y) + carry;
            (*to, carry) = (sum as u32, sum >> 32);
        }
        self.trimmed(len)
    }

    /// Takes `factor` times a number away that is not greater.
    pub(super) fn subtract(&mut self, factor: u32, other: &Self) {
        let first = other.words().iter().position(|&word| word != 0).unwrap_or(0);
        let factors = other.words()[first..].iter().copied().chain(core::iter::repeat(0));
        // The carry counts what is still to be taken away.
        let mut carry = 0;
        for (to, y) in self.words[..self.len].iter_mut().skip(first).zip(factors) {
            let product = u64::from(factor) * u64::from(y) + carry;
            let (rest, is_less) = to.overflowing_sub(product as u32);
            (*to, carry) = (rest, (product >> 32) + u64::from(is_less));
        }
        while self.words().last() == Some(&0) {
            self.len -= 1;
        }
    }

    /// Multiplies the number by 2 to the power of 32.
    pub(super) fn shift_word(&mut self) {
        self.words.copy_within(..self.len.min(MOST - 1), 1);
        self.words[0] = 0;
        self.len = if self.len == 0 { 0 } else { (self.len + 1).min(MOST) };
    }

    /// Returns the number times 2 to the power of `by`.
    pub(super) fn shifted(&self, by: u32) -> Self {
        let (words, bits) = ((by / 32) as usize, by % 32);
        let mut moved = Self::ZERO;
        let mut below = 0;
        let from = self.words().iter().copied().chain([0]);
        for (to, word) in moved.words.iter_mut().skip(words).zip(from) {
            *to = ((u64::from(word) << 32 | u64::from(below)) << bits >> 32) as u32;
            below = word;
        }
        moved.trimmed(self.len + words + 1)
    }
}

impl PartialEq for Natural {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl Eq for Natural {}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_words = || self.words().iter().rev().cmp(other.words().iter().rev());
        self.len.cmp(&other.len).then_with(by_words)
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An integer of up to 9216 bits and a sign. Zero is not negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integer {
    pub(super) is_negative: bool,
    pub(super) magnitude: Natural,
}

impl Integer {
    /// Returns the integer with this magnitude, negative if it is not zero and `is_negative`.
    fn of(is_negative: bool, magnitude: Natural) -> Self {
        Self { is_negative: is_negative && !magnitude.is_zero(), magnitude }
    }

    /// Returns the integer whose words in two's complement these are.
    pub(super) fn of_words(words: &[u32]) -> Self {
        let is_negative = words.last().is_some_and(|&top| top >> 31 != 0);
        let complement = if is_negative { u32::MAX } else { 0 };
        let mut carry = u64::from(is_negative);
        let magnitude = words.iter().map(|&word| {
            let sum = u64::from(word ^ complement) + carry;
            carry = sum >> 32;
            sum as u32
        });
        Self { is_negative, magnitude: Natural::of_words(magnitude) }
    }

    /// Returns a count.
    pub(super) fn of_count(count: i64) -> Self {
        Self { is_negative: count < 0, magnitude: Natural::of(count.unsigned_abs().into()) }
    }

    /// Returns the product.
    pub(super) fn times(&self, other: &Self) -> Self {
        Self::of(self.is_negative != other.is_negative, self.magnitude.times(&other.magnitude))
    }

    /// Returns the difference.
    pub(super) fn minus(self, other: &Self) -> Self {
        if self.is_negative != other.is_negative {
            return Self::of(self.is_negative, self.magnitude.plus(&other.magnitude));
        }
        if self.magnitude >= other.magnitude {
            Self::of(self.is_negative, self.magnitude.minus(&other.magnitude))
        } else {
            Self::of(!self.is_negative, other.magnitude.minus(&self.magnitude))
        }
    }
}
