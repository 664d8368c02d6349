//! Logarithms before they are rounded.

use crate::float::{Constants, Float, Format};
use crate::pair::Pair;
use crate::polynomial::polynomial;

/// k ln 2 + log(1 + f), with 1 + f near 1.
#[derive(Clone, Copy)]
pub(crate) struct Logarithm<F> {
    pub(crate) k: F,
    pub(crate) f: F,
}

impl<F: Float> Logarithm<F> {
    /// Returns the logarithm of a number above zero and below infinity.
    #[inline(always)]
    pub(crate) fn of(x: F) -> Self {
        let is_subnormal = x.is_below(x.number(F::Format::LEAST_NORMAL));
        let (k, m) = F::choose(is_subnormal, x * F::Format::LIFT, x).parts();
        Self { k: F::choose(is_subnormal, k - F::Format::LIFT_EXPONENT, k), f: m - F::Format::ONE }
    }

    /// Returns log(1 + f) in three parts: a first one of few places, f less its own first places, and the rest, which is less than 1/32.
    ///
    /// With s = f / (2 + f) the logarithm is that of (1 + s) / (1 - s), which is 2 s + s^3 p(s^2), and 2 s = f - f^2 / 2 + s f^2 / 2.
    /// The first part is that of f - f^2 / 2.
    #[inline(always)]
    fn parts(self) -> [F; 3] {
        let f = self.f;
        let coarse = (f + F::Format::TO_GRID) - F::Format::TO_GRID;
        let fine = f - coarse;
        let s = f / (f + F::Format::TWO);
        let z = s * s;
        let rest = s * (f * F::Format::HALF * f + z * polynomial(z, F::Format::LOG))
            - fine * F::Format::HALF * (f + coarse);
        [coarse - coarse * F::Format::HALF * coarse, fine, rest]
    }

    /// Returns the natural logarithm plus a small number, rounded. The first places are added without rounding.
    #[inline(always)]
    pub(crate) fn natural(self, small: F) -> F {
        let [first, fine, rest] = self.parts();
        (self.k * F::Format::LN_2_HIGH + first) + (fine + (rest + (self.k * F::Format::LN_2_LOW + small)))
    }

    /// Returns the logarithm to base 2, rounded. The products of the first places with those of log2 e are exact.
    #[inline(always)]
    pub(crate) fn binary(self) -> F {
        let [first, fine, rest] = self.parts();
        let head = fine.head();
        let of_first = Pair::ordered_sum(self.k, first * F::Format::LOG2_E_HEAD);
        let sum = Pair::ordered_sum(of_first.high, head * F::Format::LOG2_E_HEAD);
        let tails = (first + head) * F::Format::LOG2_E_TAIL + ((fine - head) + rest) * F::Format::LOG2_E;
        sum.high + (sum.low + (of_first.low + tails))
    }
}
