//! A sum that carries what it rounds off.

use super::number::Number;
use super::real::{Float, Real};
use super::wide::Wide;
use crate::op::Op;

/// The sum of floats with its rounding errors added at the end; NaN if any element is NaN or infinities of both signs
/// meet. Of nothing -0.0.
///
/// Each addition's error is computed exactly (TwoSum: Knuth, *The Art of Computer Programming* 2, section 4.2.2; Møller,
/// *Quasi double-precision in floating point addition*, BIT 5, 1965), the errors are summed beside the sum, and the two are
/// added once, on the host. A sum that is not finite has no error: then it is the result, as it is of
/// [`Sum`](super::Sum). So it is where an error cannot be computed since its parts pass the largest float, which takes an
/// element or a partial sum within a few units in the last place of that.
///
/// **Error bound.** To leading order `u |exact| + 2 h^2 u^2 sum|x|` with `u` the unit roundoff and
/// `h =` [`depth(n)`](crate::tree::depth): each of at most `h` sums over an element rounds off `u` of it, and each error
/// passes through two additions a level (compare Ogita, Rump and Oishi, *Accurate sum and dot product*, 2005, whose `Sum2`
/// is the same from left to right). So the result is as good as computed with twice the digits and then rounded, unless
/// the sum cancels by more than `1 / u`.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccurateSum;

/// A sum and what it rounded off.
///
/// The rest is exact, never -0.0, and the same in either order, but NaN where the sum is not finite, and in one order also
/// where `sum - a` is not, though `b` and the sum are.
#[inline(always)]
fn two_sum<F: Float>(a: F, b: F) -> (F, F) {
    let sum = a + b;
    let added = sum - a;
    (sum, (a - (sum - added)) + (b - added))
}

impl<T: Number<Wide: Float>> Op<T> for AccurateSum {
    /// The sum, and the sum of what was rounded off.
    type Acc = [T::Wide; 2];
    type Out = T::Wide;
    const IDENTITY: [T::Wide; 2] = [T::Wide::ZERO, T::Wide::NOUGHT];
    const COMMUTATIVE: bool = true;
    #[inline]
    fn lift(self, x: T, _index: u64) -> [T::Wide; 2] {
        // Nothing is rounded off: +0.0, and NaN beside what is not finite, as in every sum with it.
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
