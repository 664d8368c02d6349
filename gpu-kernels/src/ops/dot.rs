//! Operators over pairs of elements at the same index of two arrays.

use bytemuck::Pod;

use super::numbers::number::Number;
use super::numbers::real::Real;
use super::numbers::wide::Wide;
use crate::op::Op;

/// The sum of products of pairs; NaN if any factor is NaN, a zero and an infinity meet, or infinities of both signs do.
///
/// Integers are multiplied and summed in 64 bits, where they wrap. Of floats, each product and each node of the
/// [tree](crate::tree) is rounded: no multiplication is fused with an addition. With `u` as in the tree's error bound, the
/// result differs from the exact one by at most `(depth(n) + 1) * u * sum|x y|` to first order, if no product underflows
/// (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., section 3.1). A NaN result is the canonical one. Empty
/// input gives the identity of [`Sum`](super::Sum): 0, and -0.0 for floats. Complex factors are not conjugated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dot;

/// The sum of squared differences of pairs, the square of their Euclidean distance; NaN if any element is NaN or two
/// infinities of one sign meet.
///
/// Integers are subtracted, squared and summed in 64 bits, where they wrap. Of floats, each difference, each square and each
/// node of the [tree](crate::tree) is rounded. A NaN result is the canonical one. Empty input gives the result of [`Dot`].
#[derive(Clone, Copy, Debug, Default)]
pub struct SquaredDistance;

/// The mean of the first elements of pairs, weighted by the second: the sum of products divided by the sum of weights, once, at
/// the end. NaN if any element is NaN, or the weights add up to zero, or an infinity meets a zero or another infinity such that
/// IEEE 754 gives NaN.
///
/// Products and both sums are rounded as in [`Dot`] and [`Sum`](super::Sum). A NaN result is the canonical one. `None`
/// for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct WeightedMean;

macro_rules! sums_of_pairs {
    ($($op:ty, in $wide:path: |$x:ident, $y:ident| $lift:expr);* $(;)?) => { $(
        impl<T: Number<Wide: $wide> + Pod> Op<[T; 2]> for $op {
            type Acc = T::Wide;
            type Out = T::Wide;
            const IDENTITY: T::Wide = T::Wide::ZERO;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = T::Wide::ASSOCIATIVE;
            const NEEDS_INDEX: bool = false;
            #[inline]
            fn lift(self, pair: [T; 2], _index: u64) -> T::Wide {
                let [$x, $y] = pair.map(|x| T::widen(x.few()));
                $lift
            }
            #[inline]
            fn combine(left: T::Wide, right: T::Wide) -> T::Wide {
                left.add(right)
            }
            #[inline]
            fn finish(acc: T::Wide, _len: u64) -> T::Wide {
                acc.canonical()
            }
        }
    )* };
}
sums_of_pairs! {
    Dot, in Wide: |x, y| x.factor().mul(y.factor());
    SquaredDistance, in Real: |x, y| { let difference = x.sub(y); difference.mul(difference) };
}

macro_rules! weighted_means {
    ($($float:ty),*) => { $(
        impl Op<[$float; 2]> for WeightedMean {
            /// The sum of values times their weights, and the sum of weights.
            type Acc = [$float; 2];
            type Out = Option<$float>;
            const IDENTITY: Self::Acc = [<$float>::ZERO; 2];
            const COMMUTATIVE: bool = true;
            const FINISHES_EMPTY: bool = false;
            const NEEDS_INDEX: bool = false;
            #[inline]
            fn lift(self, [value, weight]: [$float; 2], _index: u64) -> Self::Acc {
                [value * weight, weight]
            }
            #[inline]
            fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
                [left[0] + right[0], left[1] + right[1]]
            }
            #[inline]
            fn finish([sum, weight]: Self::Acc, len: u64) -> Option<$float> {
                let mean = if weight == 0.0 { <$float>::NAN } else { sum / weight };
                (len > 0).then_some(mean.canonical())
            }
        }
    )* };
}
weighted_means!(f32, f64);
