//! Mean, variance and deviation of floats, exact and rounded once.

use warpfold_exact::Moments;
use warpfold_exact::total::{ExactTotal, batch_f32, batch_f64, words};

use crate::op::Op;
use crate::ops::words::Joined;

/// The mean of floats, exact and rounded once to nearest, ties to even; NaN if any element is NaN or infinities of both signs meet.
///
/// `None` for empty input. No order of the elements changes a bit, and no sum overflows. It is for the CPU, as [`ExactDot`] is.
///
/// ```
/// use gpu_kernels::{ExactMean, reference};
///
/// assert_eq!(reference::reduce::<f64, ExactMean>(&[f64::MAX, f64::MAX, 0.0, 0.0]), Some(f64::MAX / 2.0));
/// ```
///
/// [`ExactDot`]: super::ExactDot
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactMean;

/// The variance of a whole population of floats, exact and rounded once to nearest, ties to even; NaN if any element is NaN or
/// infinite.
///
/// `None` for empty input. No order of the elements changes a bit, however large the mean is beside the deviation. Its
/// accumulator, 132 bytes for f32 and 816 for f64, is for the CPU.
///
/// ```
/// use gpu_kernels::{ExactVariance, reference};
///
/// assert_eq!(reference::reduce::<f64, ExactVariance>(&[1e15, 1e15 + 1.0, 1e15 + 2.0, 1e15 + 3.0]), Some(1.25));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactVariance;

/// The variance of what floats are a sample of, divided by `n - 1`: exact, rounded, and NaN, as [`ExactVariance`] is. `None` for at
/// most one element.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactSampleVariance;

/// The standard deviation of floats, the root of the exact variance, rounded once; NaN where [`ExactVariance`] is. `None` for empty
/// input.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactStdDev;

/// The root of the exact sample variance of floats, rounded once; NaN and `None` where [`ExactSampleVariance`] is.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactSampleStdDev;

macro_rules! exact_mean {
    ($($float:ident, bits $bits:literal, $batch:ident;)*) => { $(
        impl Op<$float> for ExactMean {
            type Acc = ExactTotal<{ words($bits) }>;
            type Out = Option<$float>;
            const IDENTITY: Self::Acc = ExactTotal::EMPTY;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
            const FINISHES_EMPTY: bool = false;
            const NEEDS_INDEX: bool = false;
            #[inline]
            fn lift(self, x: $float, index: u64) -> Self::Acc {
                self.append(ExactTotal::EMPTY, x, index)
            }
            #[inline]
            fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
                left.plus(right)
            }
            #[inline(always)]
            fn append(self, mut acc: Self::Acc, x: $float, _index: u64) -> Self::Acc {
                $batch::append(&mut acc, [[x]]);
                acc
            }
            #[inline(always)]
            fn absent(self) -> Option<$float> {
                Some(-0.0)
            }
            #[inline(always)]
            fn append_slice(self, mut acc: Self::Acc, x: &[$float], _first: u64) -> Self::Acc {
                $batch::append_slice(&mut acc, x);
                acc
            }
            #[inline]
            fn finish(acc: Self::Acc, len: u64) -> Option<$float> {
                Moments::<$float>::of_totals(acc, ExactTotal::EMPTY, len).mean()
            }
        }
    )* };
}
exact_mean! {
    f32, bits 277, batch_f32;
    f64, bits 2098, batch_f64;
}

macro_rules! exact_spread {
    ($float:ident, unit $unit:literal, bits $bits:literal, $batch:ident, $($op:ident $result:ident),*) => { $(
        impl Op<$float> for $op {
            /// The sum, and the sum of squares, whose flags say nothing.
            type Acc = Joined<ExactTotal<{ words($bits) }>, ExactTotal<{ words(2 * $bits) }>>;
            type Out = Option<$float>;
            const IDENTITY: Self::Acc = Joined { left: ExactTotal::EMPTY, right: ExactTotal::EMPTY };
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
            const FINISHES_EMPTY: bool = false;
            const NEEDS_INDEX: bool = false;
            #[inline]
            fn lift(self, x: $float, index: u64) -> Self::Acc {
                self.append(<Self as Op<$float>>::IDENTITY, x, index)
            }
            #[inline]
            fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
                Joined { left: left.left.plus(right.left), right: left.right.plus(right.right) }
            }
            #[inline(always)]
            fn append(self, acc: Self::Acc, x: $float, first: u64) -> Self::Acc {
                self.append_slice(acc, &[x], first)
            }
            #[inline(always)]
            fn append_slice(self, mut acc: Self::Acc, x: &[$float], _first: u64) -> Self::Acc {
                if let &[x] = x {
                    $batch::append(&mut acc.left, [[x]]);
                } else {
                    $batch::append_slice(&mut acc.left, x);
                }
                for &x in x {
                    acc.right.append_product(x.into(), x.into(), 2 * $unit);
                }
                acc
            }
            #[inline]
            fn finish(acc: Self::Acc, len: u64) -> Option<$float> {
                Moments::<$float>::of_totals(acc.left, acc.right, len).$result()
            }
        }
    )* };
}
exact_spread!(f32, unit -149, bits 277, batch_f32, ExactVariance variance, ExactSampleVariance sample_variance);
exact_spread!(f32, unit -149, bits 277, batch_f32, ExactStdDev std_dev, ExactSampleStdDev sample_std_dev);
exact_spread!(f64, unit -1074, bits 2098, batch_f64, ExactVariance variance, ExactSampleVariance sample_variance);
exact_spread!(f64, unit -1074, bits 2098, batch_f64, ExactStdDev std_dev, ExactSampleStdDev sample_std_dev);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::reduce;

    /// Each operator by the tree, in parts and in slices, against the state.
    fn are_those_of_the_state(x: &[f64]) {
        let state: Moments<f64> = x.iter().collect();
        let same = |found: [Option<f64>; 5]| {
            let expected = [
                state.mean(),
                state.variance(),
                state.sample_variance(),
                state.std_dev(),
                state.sample_std_dev(),
            ];
            assert_eq!(found.map(|x| x.map(f64::to_bits)), expected.map(|x| x.map(f64::to_bits)), "{x:?}");
        };
        same([
            reduce::<f64, ExactMean>(x),
            reduce::<f64, ExactVariance>(x),
            reduce::<f64, ExactSampleVariance>(x),
            reduce::<f64, ExactStdDev>(x),
            reduce::<f64, ExactSampleStdDev>(x),
        ]);
        macro_rules! parts {
            ($($op:ident),*) => {
                [$({
                    let (left, right) = x.split_at(x.len() / 3);
                    let [left, right] = [left, right].map(|x| $op.append_slice(<$op as Op<f64>>::IDENTITY, x, 0));
                    <$op as Op<f64>>::finish(<$op as Op<f64>>::combine(right, left), x.len() as u64)
                }),*]
            };
        }
        same(parts!(ExactMean, ExactVariance, ExactSampleVariance, ExactStdDev, ExactSampleStdDev));
    }

    #[test]
    fn statistics_are_those_of_the_state() {
        let like: Vec<f64> = (0..700).map(|i| 1e9 + f64::from(i * 7919 % 613) / 7.0).collect();
        let unlike: Vec<f64> = like
            .iter()
            .map(|x| (x - 1e9).powi(60) * if x.to_bits() % 2 == 0 { -1e-90 } else { 1.0 })
            .collect();
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let special: [&[f64]; 9] = [
            &[],
            &[3.0],
            &[-0.0],
            &[-0.0, -0.0],
            &[0.0, -0.0],
            &[inf, 1.0],
            &[-inf, inf],
            &[1.0, nan],
            &[f64::MAX, f64::MIN, f64::MAX],
        ];
        are_those_of_the_state(&like);
        are_those_of_the_state(&unlike);
        special.into_iter().for_each(are_those_of_the_state);
    }

    #[test]
    fn large_means_leave_f32_its_deviation() {
        let x: Vec<f32> = (0..4000).map(|i| 16_000_000.0 + (i % 4) as f32).collect();
        assert_eq!(reduce::<f32, ExactVariance>(&x), Some(1.25));
        assert_eq!(reduce::<f32, ExactMean>(&x), Some(16_000_001.5));
        assert_eq!(reduce::<f32, ExactSampleStdDev>(&x[..4]), Some((5.0f64 / 3.0).sqrt() as f32));
    }
}
