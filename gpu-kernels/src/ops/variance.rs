//! Variances and standard deviations.
//!
//! **Error bound.** Those of integers are exact, and rounded once. Those of floats are computed by updates of a running mean. To
//! first order their relative error is at most a small multiple of `depth(n) u k`, with `u` the unit roundoff,
//! [`depth`](crate::tree::depth) the height of the tree and `k = sqrt(1 + mean^2 / variance)` the condition number (Chan, Golub and
//! LeVeque, *Algorithms for computing the sample variance*, The American Statistician 37, 1983, table 1: pairwise algorithm with
//! updates). Subtracted squares would have `k^2`.

use warpfold_exact::unrolled;

use super::native::of_native_integers;
use super::numbers::number::{CarriedIn, FEW, Number};
use super::numbers::real::{DividendOf, Real};
use super::numbers::spread::{FewOf, Spread, few};
use crate::op::Op;

/// The variance of a whole population, the sum of the squared distances from the mean divided by `n`; of floats NaN if any element
/// is NaN or infinite. `None` for empty input.
///
/// For integers, and for bools as 0 and 1, it is an f64: the exact variance, rounded to nearest once. The sums of the elements and
/// of their squares are carried in enough bits for any number of elements.
///
/// For floats it is computed by Welford's recurrence (1962) for one more element, and by the formula of Chan, Golub and LeVeque
/// (1983) for two groups. It is infinite where squares of distances overflow, and NaN where distances overflow so that the running
/// mean is lost.
///
/// ```
/// use gpu_kernels::{Variance, reference};
///
/// assert_eq!(reference::reduce::<i64, Variance>(&[i64::MAX, i64::MAX - 2]), Some(1.0));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Variance;

/// The unbiased estimate of a variance from a sample, divided by `n - 1`; rounded, and NaN, as [`Variance`] is. `None` for at most
/// one element.
#[derive(Clone, Copy, Debug, Default)]
pub struct SampleVariance;

/// The standard deviation, the root of the [`Variance`]; NaN and infinite where that is. `None` for empty input.
///
/// The root is taken once, in `finish`. For integers it is the root of the exact variance, rounded to nearest once.
#[derive(Clone, Copy, Debug, Default)]
pub struct StdDev;

/// The root of [`SampleVariance`], rounded as [`StdDev`] is; NaN and `None` where that is.
#[derive(Clone, Copy, Debug, Default)]
pub struct SampleStdDev;

macro_rules! spread {
    ($op:ident: $result:ident over n - $ddof:literal) => {
        impl<T: Number<Wide: Real> + CarriedIn<DividendOf<T>, Few: Spread>> Op<T> for $op {
            type Acc = <FewOf<T> as Spread>::Sums;
            type Out = Option<<FewOf<T> as Spread>::Variance>;
            const IDENTITY: Self::Acc = FewOf::<T>::NONE;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = <FewOf<T> as Spread>::ASSOCIATIVE;
            const FINISHES_EMPTY: bool = false;
            const NEEDS_INDEX: bool = false;
            #[inline]
            fn lift(self, x: T, _index: u64) -> Self::Acc {
                few(x).sums()
            }
            #[inline]
            fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
                FewOf::<T>::join(left, right)
            }
            #[inline(always)]
            fn append(self, acc: Self::Acc, x: T, _index: u64) -> Self::Acc {
                FewOf::<T>::end(few(x).push(FewOf::<T>::begin(acc)))
            }
            #[inline(always)]
            fn append_if(self, is_there: bool, acc: Self::Acc, x: T, _index: u64) -> Self::Acc {
                FewOf::<T>::end(few(x).push_if(is_there, FewOf::<T>::begin(acc)))
            }
            #[inline(always)]
            fn append_rows<const V: usize, const R: usize>(
                self,
                acc: Self::Acc,
                rows: [[T; V]; R],
                _first: u64,
                _stride: u64,
            ) -> Self::Acc {
                const { assert!(V * R <= FEW) }
                let mut batch = FewOf::<T>::begin(acc);
                unrolled!(i < R, up to 8 => { unrolled!(j < V => { batch = few(rows[i][j]).push(batch) }) });
                FewOf::<T>::end(batch)
            }
            #[inline(always)]
            fn append_columns_if<const V: usize, const R: usize>(
                self,
                accs: &mut [Self::Acc; V],
                (there, rows): ([[bool; V]; R], [[T; V]; R]),
                _first: u64,
                _stride: u64,
            ) {
                FewOf::<T>::push_columns_if(accs, there, rows.map(|row| row.map(few)));
            }
            #[inline(always)]
            fn append_slice(self, mut acc: Self::Acc, x: &[T], _first: u64) -> Self::Acc {
                for part in x.chunks(FEW) {
                    let mut batch = FewOf::<T>::begin(acc);
                    for x in part {
                        batch = few(*x).push(batch);
                    }
                    acc = FewOf::<T>::end(batch);
                }
                acc
            }
            #[inline]
            fn finish(acc: Self::Acc, len: u64) -> Self::Out {
                #[allow(clippy::absurd_extreme_comparisons, reason = "of a population it is `len <= 0`")]
                if len <= $ddof {
                    return None;
                }
                Some(FewOf::<T>::$result(acc, len, len - $ddof))
            }
        }
    };
}
spread!(Variance: variance over n - 0);
spread!(SampleVariance: variance over n - 1);
spread!(StdDev: deviation over n - 0);
spread!(SampleStdDev: deviation over n - 1);

of_native_integers!(Variance, SampleVariance, StdDev, SampleStdDev);
