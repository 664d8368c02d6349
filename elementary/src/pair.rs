//! Numbers of two parts, a rounded one and what it lacks: for the few steps that may not round.

use crate::float::{Float, Format};

/// `high + low`, where `low` is at most about half a unit in the last place of `high`.
#[derive(Clone, Copy)]
pub(crate) struct Pair<F> {
    pub(crate) high: F,
    pub(crate) low: F,
}

impl<F: Float> Pair<F> {
    /// Returns a + b, exactly.
    #[inline(always)]
    pub(crate) fn sum(a: F, b: F) -> Self {
        let high = a + b;
        let of_b = high - a;
        Self { high, low: (a - (high - of_b)) + (b - of_b) }
    }

    /// Returns a + b, exactly, where a is zero, or a multiple of the last place of b, or not less than b in magnitude.
    #[inline(always)]
    pub(crate) fn ordered_sum(a: F, b: F) -> Self {
        let high = a + b;
        Self { high, low: (a - high) + b }
    }

    /// Returns a b; of f32 exactly, of f64 to twice its bits.
    #[inline(always)]
    pub(crate) fn product(a: F, b: F) -> Self {
        let (a_head, b_head) = (a.head(), b.head());
        let (a_tail, b_tail) = (a - a_head, b - b_head);
        let high = a * b;
        Self { high, low: ((a_head * b_head - high) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail }
    }

    /// Adds a number that is much less than this one.
    #[inline(always)]
    pub(crate) fn plus(self, small: F) -> Self {
        Self::ordered_sum(self.high, self.low + small)
    }

    /// Returns this number divided by another, rounded, within little more than half a unit in the last place.
    #[inline(always)]
    pub(crate) fn divided_by(self, divisor: Self) -> F {
        let reciprocal = divisor.high.number(F::Format::ONE) / divisor.high;
        let quotient = self.high * reciprocal;
        let back = Self::product(quotient, divisor.high);
        let rest = ((self.high - back.high) - back.low) + (self.low - quotient * divisor.low);
        quotient + rest * reciprocal
    }
}
