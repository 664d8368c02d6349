//! What is computed of a row's folds, and of each element with them. Each operation rounds once.

use warpfold_elementary::{exp, log, rsqrt};

use crate::ops::{Float, Wide};

/// What a sum of exponentials returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumExpResult {
    /// The sum: `e^greatest` times the sum of `e^(x - greatest)`.
    Sum,
    /// The logarithm of the sum: the greatest element plus the logarithm of the sum of `e^(x - greatest)`.
    Log,
    /// The logarithm of the mean: as for the sum, which is divided by the number of elements first.
    LogMean,
}

/// What a row's exponentials need: the greatest element, or 0 if it is not finite, and the sum of `e^(x - centre)`.
#[derive(Clone, Copy, Debug)]
pub struct Exponentials<A> {
    /// What is subtracted from each element.
    pub centre: A,
    /// The sum.
    pub sum: A,
}

impl<A: Float + warpfold_elementary::Float> Exponentials<A> {
    /// Returns the centre of a row with this greatest element.
    #[inline(always)]
    pub fn centre(greatest: A) -> A {
        if Float::is_finite(greatest) { greatest } else { A::NOUGHT }
    }

    /// Returns the sum for a softmax. It is NaN if an element is infinity, as it is if one is NaN: then no element has a share.
    #[inline(always)]
    pub fn shared(sum: A) -> A {
        if Float::is_finite(sum) { sum } else { Float::nan() }
    }

    /// Returns the cross-entropy of a row whose label's element is `x`: what [`shared`](Self::shared) gives its logarithm of softmax, negated.
    #[inline(always)]
    pub fn loss(self, x: A) -> A {
        Wide::canonical(((x - self.centre) - log(Self::shared(self.sum))) * (A::NOUGHT - A::UNIT))
    }

    /// Returns the result of a row of `len` elements.
    #[inline(always)]
    pub fn result(self, result: SumExpResult, len: u64) -> A {
        let value = match result {
            SumExpResult::Sum => exp(self.centre) * self.sum,
            SumExpResult::Log => self.centre + log(self.sum),
            SumExpResult::LogMean => self.centre + log(self.sum / A::count(len)),
        };
        Wide::canonical(value)
    }
}

/// Returns by what a norm multiplies the elements of a row, given the sum of their squares, or of the squares of their deviations.
#[inline(always)]
pub fn scale<A: Float + warpfold_elementary::Float>(sum: A, len: u64, epsilon: A) -> A {
    rsqrt(sum / A::count(len) + epsilon)
}

/// Returns `normed * weight + bias`. What is missing leaves its operation out.
#[inline(always)]
pub fn affine<A: Float>(normed: A, weight: Option<A>, bias: Option<A>) -> A {
    let weighted = weight.map_or(normed, |weight| normed * weight);
    bias.map_or(weighted, |bias| weighted + bias)
}
