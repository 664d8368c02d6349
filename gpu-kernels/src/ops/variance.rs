//! Variances and standard deviations.
//!
//! Subtracting the square of the mean from the mean of the squares would lose all digits where the mean is large. Instead the
//! accumulator has the number of elements, their mean and the sum of their squared distances from it. One more element is added
//! by Welford's recurrence (*Note on a method for calculating corrected sums of squares and products*, Technometrics 4, 1962),
//! two groups are combined by the formula of Chan, Golub and LeVeque (*Algorithms for computing the sample variance*, The
//! American Statistician 37, 1983). The recurrence is the formula with a group of one.
//!
//! **Error bound.** To first order the relative error is at most a small multiple of `depth(n) u k`, with `u` the unit
//! roundoff, [`depth`](crate::tree::depth) the height of the tree and `k = sqrt(1 + mean^2 / variance)` the condition number
//! (Chan, Golub and LeVeque, table 1: pairwise algorithm with updates). Subtracted squares would have `k^2`.

use super::numbers::number::Number;
use super::numbers::real::{Float, FloatOf, Real};
use super::numbers::wide::Wide;
use super::words::Joined;
use crate::op::Op;

/// The variance of a whole population; NaN if any element is NaN or infinite. It is infinite where squares of distances
/// overflow, and NaN where distances overflow so that the running mean is lost. `None` for empty input.
///
/// The sum of the squared distances from the mean, divided by `n`. For integers it is an f64; each element beyond 2^53 is first
/// rounded to f64, so nothing wraps. Computed by Welford's recurrence (1962) for one more element, and by the formula of Chan,
/// Golub and LeVeque (1983) for two groups.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variance;

/// The unbiased estimate of a variance from a sample, divided by `n - 1`; NaN as for [`Variance`]. `None` for at most one
/// element.
#[derive(Clone, Copy, Debug, Default)]
pub struct SampleVariance;

/// The standard deviation, the root of the [`Variance`]; NaN and infinite where that is. `None` for empty input.
///
/// The root is taken once, in `finish`.
#[derive(Clone, Copy, Debug, Default)]
pub struct StdDev;

/// The root of [`SampleVariance`]; NaN and `None` where that is.
#[derive(Clone, Copy, Debug, Default)]
pub struct SampleStdDev;

/// The accumulator of these: the number of elements; their mean, which is never -0.0, and the sum of their squared distances
/// from it. 16 bytes for f32, 24 for f64.
pub type Moments<F> = Joined<u64, [F; 2]>;

/// Joins the moments of two groups of elements. If one group is empty, the result is the other, exactly.
#[inline(always)]
fn join<F: Float>(left: Moments<F>, right: Moments<F>) -> Moments<F> {
    let (n, [mean, squares]) = (left.left, left.right);
    let (more, [mean_of_more, squares_of_more]) = (right.left, right.right);
    if n == 0 {
        return right;
    }
    if more == 0 {
        return left;
    }
    // A single finite element has squares of 0.
    let squares_of_more = if more == 1 { F::NOUGHT } else { squares_of_more };
    let all = n.wrapping_add(more);
    let distance = mean_of_more - mean;
    let step = distance * (F::count(more) / F::count(all));
    Joined { left: all, right: [mean + step, (squares + squares_of_more) + distance * (step * F::count(n))] }
}

macro_rules! spread {
    ($op:ident over n - $ddof:literal: $result:expr) => {
        impl<T: Number<Wide: Real>> Op<T> for $op {
            type Acc = Moments<FloatOf<T>>;
            type Out = Option<FloatOf<T>>;
            const IDENTITY: Self::Acc = Joined { left: 0, right: [FloatOf::<T>::NOUGHT; 2] };
            const COMMUTATIVE: bool = true;
            const FINISHES_EMPTY: bool = false;
            #[inline]
            fn lift(self, x: T, _index: u64) -> Self::Acc {
                let x = T::widen(x.few()).to_float();
                // 0, or NaN if `x` is not finite; -0.0 becomes +0.0.
                Joined { left: 1, right: [x + FloatOf::<T>::NOUGHT, x - x] }
            }
            #[inline]
            fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
                join(left, right)
            }
            #[inline(always)]
            fn append(self, acc: Self::Acc, x: T, _index: u64) -> Self::Acc {
                // `join` with a group of one. All lanes of a thread have the same number of elements, so the compiler need
                // divide only once for all of them.
                let (n, [mean, squares]) = (acc.left, acc.right);
                let all = n.wrapping_add(1);
                let distance = T::widen(x.few()).to_float() - mean;
                let step = distance * (FloatOf::<T>::UNIT / FloatOf::<T>::count(all));
                let squares = squares + distance * (step * FloatOf::<T>::count(n));
                Joined { left: all, right: [mean + step, squares] }
            }
            #[inline]
            fn finish(acc: Self::Acc, len: u64) -> Self::Out {
                let [mean, squares] = acc.right;
                #[allow(clippy::absurd_extreme_comparisons, reason = "of a population it is `len <= 0`")]
                if len <= $ddof {
                    return None;
                }
                if !mean.is_finite() {
                    return Some(FloatOf::<T>::nan());
                }
                let variance = squares / FloatOf::<T>::count(len - $ddof);
                Some(Wide::canonical($result(variance)))
            }
        }
    };
}
spread!(Variance over n - 0: |variance| variance);
spread!(SampleVariance over n - 1: |variance| variance);
spread!(StdDev over n - 0: cuda_std::float::GpuFloat::sqrt);
spread!(SampleStdDev over n - 1: cuda_std::float::GpuFloat::sqrt);
