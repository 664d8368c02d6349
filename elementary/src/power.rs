//! Powers before they are rounded: `exp`, `exp2`, `expm1`, and what they are parts of.

use crate::float::{Constants, Float, Format};
use crate::pair::Pair;
use crate::polynomial::polynomial;

/// (head + tail) 2^n. The head is near 1 and has half of a mantissa's places; the tail is less than 1/8.
#[derive(Clone, Copy)]
pub(crate) struct Power<F> {
    pub(crate) head: F,
    pub(crate) tail: F,
    pub(crate) n: F,
    /// n with its bits last, as [`Format::TO_INTEGER`](crate::float::Format::TO_INTEGER) leaves them.
    placed: F,
}

impl<F: Float> Power<F> {
    /// Returns e^x for x between `EXP_LEAST` and `EXP_GREATEST`.
    ///
    /// x = n ln 2 + r with the nearest n, and e^r = 1 + r + r^2 / 2 + r^3 p(r). The head takes the first places of 1 + r + r^2 / 2, so
    /// that only the last addition rounds at the result's last place.
    #[inline(always)]
    pub(crate) fn of_e(x: F) -> Self {
        let placed = x * F::Format::LOG2_E + F::Format::TO_INTEGER;
        let n = placed - F::Format::TO_INTEGER;
        // Exact: the product has few bits, and the difference is not longer than x.
        let high = x.plus_exact(n, x.number(-F::Format::LN_2_HIGH));
        let low = n * F::Format::LN_2_LOW;
        let r = high - low;
        let coarse = (r + F::Format::TO_GRID) - F::Format::TO_GRID;
        let fine = (high - coarse) - low;
        let tail = (r * r * r * polynomial(r, F::Format::EXP))
            .plus_exact(x.number(F::Format::HALF), fine * (r + coarse))
            + fine;
        // Exact, as are both products: `coarse` has few bits.
        let one = x.number(F::Format::ONE);
        let head = one.plus_exact(coarse, one.plus_exact(coarse, x.number(F::Format::HALF)));
        Self { head, tail, n, placed }
    }

    /// Returns 2^x for x between `EXP2_LEAST` and `EXP2_GREATEST`.
    ///
    /// x = n + r, and 2^r = 1 + r ln 2 + r^2 p(r). The product of the first places of r and of ln 2 is exact.
    #[inline(always)]
    pub(crate) fn of_two(x: F) -> Self {
        let placed = x + F::Format::TO_INTEGER;
        let n = placed - F::Format::TO_INTEGER;
        let r = x - n;
        let coarse = (r + F::Format::TO_GRID_OF_EXP2) - F::Format::TO_GRID_OF_EXP2;
        let tail = ((r - coarse) * F::Format::LN_2 + coarse * F::Format::LN_2_TAIL)
            + r * r * polynomial(r, F::Format::EXP2);
        Self { head: coarse * F::Format::LN_2_HEAD + F::Format::ONE, tail, n, placed }
    }

    /// Returns the power, rounded.
    #[inline(always)]
    pub(crate) fn value(self) -> F {
        scaled(self.head + self.tail, self.n)
    }

    /// Returns the power, rounded, of an exponent up to 0: the first product is exact, and the second rounds where it is subnormal.
    #[inline(always)]
    pub(crate) fn value_up_to_one(self) -> F {
        (self.head + self.tail) * F::lifted_power(self.placed) * F::Format::UNLIFT
    }

    /// Returns the power less 1, rounded.
    #[inline(always)]
    pub(crate) fn less_one(self) -> F {
        let less = Pair::sum(self.head, -self.reciprocal_scale());
        scaled(less.high + (less.low + self.tail), self.n)
    }

    /// Returns 2^-n, or less than matters beside 1.
    #[inline(always)]
    pub(crate) fn reciprocal_scale(self) -> F {
        let far = self.n.number(F::Format::FAR);
        F::power_of_two(-F::choose(far.is_below(self.n), far, self.n))
    }
}

/// Returns x 2^n, rounded once. Neither factor overflows or is subnormal where the result is not.
#[inline(always)]
pub(crate) fn scaled<F: Float>(x: F, n: F) -> F {
    let half = (n * F::Format::HALF + F::Format::TO_INTEGER) - F::Format::TO_INTEGER;
    x * F::power_of_two(half) * F::power_of_two(n - half)
}
