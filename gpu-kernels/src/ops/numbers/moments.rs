//! Moments of floats.
//!
//! Subtracting the square of the mean from the mean of the squares would lose all digits where the mean is large. Instead the
//! accumulator has the number of elements, their mean and the sum of their squared distances from it. One more element is added
//! by Welford's recurrence (*Note on a method for calculating corrected sums of squares and products*, Technometrics 4, 1962),
//! two groups are combined by the formula of Chan, Golub and LeVeque (*Algorithms for computing the sample variance*, The
//! American Statistician 37, 1983). The recurrence is the formula with a group of one.

use cuda_std::float::GpuFloat;

use super::real::{Float, Real};
use super::spread::Spread;
use super::wide::Wide;
use crate::ops::words::Joined;

/// What the variance of floats is computed from: the number of elements; their mean, which is never -0.0, and the sum of their
/// squared distances from it. 16 bytes for f32, 24 for f64.
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

/// Returns the variance of moments.
#[inline(always)]
fn variance<F: Float>(moments: Moments<F>, divisor: u64) -> F {
    let [mean, squares] = moments.right;
    if mean.is_finite() { squares / F::count(divisor) } else { F::nan() }
}

macro_rules! floats {
    ($($float:ty),*) => { $(
        impl Spread for $float {
            type Sums = Moments<Self>;
            type Batch = Moments<Self>;
            type Variance = Self;
            const NONE: Moments<Self> = Joined { left: 0, right: [0.0; 2] };
            const ASSOCIATIVE: bool = false;
            #[inline(always)]
            fn sums(self) -> Moments<Self> {
                // 0, or NaN if the element is not finite; -0.0 becomes +0.0.
                Joined { left: 1, right: [self + Self::NOUGHT, self - self] }
            }
            #[inline(always)]
            fn join(left: Moments<Self>, right: Moments<Self>) -> Moments<Self> {
                join(left, right)
            }
            #[inline(always)]
            fn begin(earlier: Moments<Self>) -> Moments<Self> {
                earlier
            }
            #[inline(always)]
            fn push(self, moments: Moments<Self>) -> Moments<Self> {
                // All lanes of a thread have the same number of elements, so the compiler need divide only once for all of them.
                self.push_if(true, moments)
            }
            #[inline(always)]
            fn push_if(self, is_there: bool, moments: Moments<Self>) -> Moments<Self> {
                // `join` with a group of one. What is not there has no distance from the mean, which is never -0.0.
                let (n, [mean, squares]) = (moments.left, moments.right);
                let all = n.wrapping_add(is_there.into());
                let distance = if is_there { self - mean } else { Self::NOUGHT };
                let step = if is_there { distance * (Self::UNIT / Self::count(all)) } else { Self::NOUGHT };
                let squares = squares + distance * (step * Self::count(n));
                Joined { left: all, right: [mean + step, squares] }
            }
            #[inline(always)]
            fn end(moments: Moments<Self>) -> Moments<Self> {
                moments
            }
            #[inline]
            fn variance(moments: Moments<Self>, _len: u64, divisor: u64) -> Self {
                Wide::canonical(variance(moments, divisor))
            }
            #[inline]
            fn deviation(moments: Moments<Self>, _len: u64, divisor: u64) -> Self {
                Wide::canonical(GpuFloat::sqrt(variance(moments, divisor)))
            }
        }
    )* };
}
floats!(f32, f64);
