//! Integers with a sign, as results need them.

use super::natural::Natural;

/// An integer of up to 9216 bits and a sign. Zero may have either sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integer {
    pub(super) is_negative: bool,
    pub(super) magnitude: Natural,
}

impl Integer {
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
        Self {
            is_negative: self.is_negative != other.is_negative,
            magnitude: self.magnitude.times(&other.magnitude),
        }
    }

    /// Returns the difference.
    pub(super) fn minus(self, other: &Self) -> Self {
        if self.is_negative != other.is_negative {
            return Self { magnitude: self.magnitude.plus(&other.magnitude), ..self };
        }
        if self.magnitude >= other.magnitude {
            Self { magnitude: self.magnitude.minus(&other.magnitude), ..self }
        } else {
            Self { is_negative: !self.is_negative, magnitude: other.magnitude.minus(&self.magnitude) }
        }
    }
}
