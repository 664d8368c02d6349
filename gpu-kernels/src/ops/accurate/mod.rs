//! Sums that also carry their rounding errors.

mod dot;

pub use dot::AccurateDot;

use crate::op::Op;
use crate::ops::numbers::number::Number;
use crate::ops::numbers::real::{Float, Real};
use crate::ops::numbers::wide::Wide;

/// The sum of floats, corrected by its rounding errors at the end; NaN if any element is NaN or infinities of both signs meet.
/// -0.0 for empty input.
///
/// The error of each addition is computed exactly (TwoSum: Knuth, *The Art of Computer Programming* 2, section 4.2.2; Møller,
/// *Quasi double-precision in floating point addition*, BIT 5, 1965), the errors are summed beside the sum, and the two are
/// added once, in `finish`. If the sum is not finite it has no error and is the result, as with [`Sum`](crate::Sum). The sum is
/// also the result if an error cannot be computed because its parts overflow, which takes an element or a partial sum within a
/// few units in the last place of the largest float.
///
/// **Error bound.** To leading order `u |exact| + 2 h^2 u^2 sum|x|` with `u` the unit roundoff and `h =`
/// [`depth(n)`](crate::tree::depth): each of at most `h` sums over an element rounds off `u` of it, and each error passes
/// through two additions per level (compare Ogita, Rump and Oishi, *Accurate sum and dot product*, 2005, whose `Sum2` is the
/// same from left to right). So the result is as good as if computed with twice the digits and then rounded, unless the sum
/// cancels by more than `1 / u`.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccurateSum;

/// Returns a sum and its rounding error.
///
/// The error is exact, never -0.0, and the same in either order. Exceptions: it is NaN where the sum is not finite, and in one
/// order also where `sum - a` is not finite though `b` and the sum are.
#[inline(always)]
fn two_sum<F: Float>(a: F, b: F) -> (F, F) {
    let sum = a + b;
    let added = sum - a;
    (sum, (a - (sum - added)) + (b - added))
}

impl<T: Number<Wide: Float>> Op<T> for AccurateSum {
    /// The sum, and the sum of the rounding errors.
    type Acc = [T::Wide; 2];
    type Out = T::Wide;
    const IDENTITY: [T::Wide; 2] = [T::Wide::ZERO, T::Wide::NOUGHT];
    const COMMUTATIVE: bool = true;
    const NEEDS_INDEX: bool = false;
    #[inline]
    fn lift(self, x: T, _index: u64) -> [T::Wide; 2] {
        // No rounding error: +0.0; for an element that is not finite NaN, as in every sum with it.
        [T::widen(x.few()), T::widen(x.few()) - T::widen(x.few())]
    }
    #[inline]
    fn combine(left: [T::Wide; 2], right: [T::Wide; 2]) -> [T::Wide; 2] {
        let (sum, rest) = two_sum(left[0], right[0]);
        [sum, (left[1] + right[1]) + rest]
    }
    #[inline(always)]
    fn append(self, acc: [T::Wide; 2], x: T, _index: u64) -> [T::Wide; 2] {
        let (sum, rest) = two_sum(acc[0], T::widen(x.few()));
        [sum, acc[1] + rest]
    }
    #[inline]
    fn finish([sum, rest]: [T::Wide; 2], _len: u64) -> T::Wide {
        if sum.is_finite() && rest.is_finite() && rest != T::Wide::NOUGHT {
            Wide::add(sum, rest)
        } else {
            sum.canonical()
        }
    }
}
