//! Covariance and correlation of pairs of floats, exact and rounded once.

use gpu_kernels::{ExactTotal, Joined, Op};
use warpfold_exact::Comoments;
use warpfold_exact::total::{batch_f32, batch_f64, words};

/// The covariance of a whole population of pairs of floats, exact and rounded once to nearest, ties to even; NaN if any element is
/// NaN or infinite.
///
/// `None` for empty input. It is the mean product of the distances from the means. No order of the pairs changes a bit, however
/// large the means are. Its accumulator, 264 bytes for f32 and 2160 for f64, is for the CPU.
///
/// ```
/// use warpfold::{Cpu, ExactCovariance, zip};
///
/// let (x, y) = ([1e15f64, 1e15 + 2.0], [-1e15, -1e15 - 4.0]);
/// assert_eq!(Cpu::new().reduce(ExactCovariance, zip(&x, &y))?, Some(-2.0));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactCovariance;

/// The covariance of what pairs of floats are a sample of, divided by `n - 1`: exact, rounded, and NaN, as [`ExactCovariance`] is.
/// `None` for at most one pair.
///
/// ```
/// use warpfold::{Cpu, ExactSampleCovariance, zip};
///
/// let (x, y) = ([1e15f64, 1e15 + 2.0], [-1e15, -1e15 - 4.0]);
/// assert_eq!(Cpu::new().reduce(ExactSampleCovariance, zip(&x, &y))?, Some(-4.0));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactSampleCovariance;

/// Pearson's correlation of pairs of floats, exact and rounded once; NaN where [`ExactCovariance`] is.
///
/// `None` for empty input, and if all first or all second elements are equal. It is from -1 to 1.
///
/// ```
/// use warpfold::{Cpu, ExactCorrelation, zip};
///
/// let (x, y) = ([1e15f64, 1e15 + 2.0, 1e15 + 3.0], [-1.0, -5.0, -7.0]);
/// assert_eq!(Cpu::new().reduce(ExactCorrelation, zip(&x, &y))?, Some(-1.0));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactCorrelation;

/// Pairs whose elements are added together.
const PORTION: usize = 256;

macro_rules! of_pairs {
    ($float:ident, unit $unit:literal, bits $bits:literal, $batch:ident, $($op:ident $result:ident),*) => { $(
        impl Op<[$float; 2]> for $op {
            /// The sums of the elements and of their squares, first and second, and the sum of the products. The flags of squares
            /// and products say nothing.
            type Acc = Joined<
                Joined<
                    Joined<ExactTotal<{ words($bits) }>, ExactTotal<{ words(2 * $bits) }>>,
                    Joined<ExactTotal<{ words($bits) }>, ExactTotal<{ words(2 * $bits) }>>,
                >,
                ExactTotal<{ words(2 * $bits) }>,
            >;
            type Out = Option<$float>;
            const IDENTITY: Self::Acc = Joined {
                left: Joined {
                    left: Joined { left: ExactTotal::EMPTY, right: ExactTotal::EMPTY },
                    right: Joined { left: ExactTotal::EMPTY, right: ExactTotal::EMPTY },
                },
                right: ExactTotal::EMPTY,
            };
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
            const FINISHES_EMPTY: bool = false;
            const NEEDS_INDEX: bool = false;

            #[inline]
            fn lift(self, pair: [$float; 2], index: u64) -> Self::Acc {
                self.append(<Self as Op<[$float; 2]>>::IDENTITY, pair, index)
            }

            #[inline]
            fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
                let Joined { left: Joined { left: x, right: y }, right: products } = left;
                let Joined { left: Joined { left: more_x, right: more_y }, right: more_products } = right;
                let x = Joined { left: x.left.plus(more_x.left), right: x.right.plus(more_x.right) };
                let y = Joined { left: y.left.plus(more_y.left), right: y.right.plus(more_y.right) };
                Joined { left: Joined { left: x, right: y }, right: products.plus(more_products) }
            }

            #[inline(always)]
            fn append(self, acc: Self::Acc, pair: [$float; 2], first: u64) -> Self::Acc {
                self.append_slice(acc, &[pair], first)
            }

            #[inline(always)]
            fn append_slice(self, mut acc: Self::Acc, pairs: &[[$float; 2]], _first: u64) -> Self::Acc {
                if let &[[x, y]] = pairs {
                    $batch::append(&mut acc.left.left.left, [[x]]);
                    $batch::append(&mut acc.left.right.left, [[y]]);
                } else {
                    for pairs in pairs.chunks(PORTION) {
                        let mut elements = [[0.0; PORTION]; 2];
                        for i in 0..2 {
                            elements[i].iter_mut().zip(pairs).for_each(|(to, pair)| *to = pair[i]);
                        }
                        let [x, y] = &elements;
                        $batch::append_slice(&mut acc.left.left.left, &x[..pairs.len()]);
                        $batch::append_slice(&mut acc.left.right.left, &y[..pairs.len()]);
                    }
                }
                for &[x, y] in pairs {
                    let (x, y) = (x.into(), y.into());
                    acc.left.left.right.append_product(x, x, 2 * $unit);
                    acc.left.right.right.append_product(y, y, 2 * $unit);
                    acc.right.append_product(x, y, 2 * $unit);
                }
                acc
            }

            #[inline]
            fn finish(acc: Self::Acc, len: u64) -> Option<$float> {
                let Joined { left: Joined { left: x, right: y }, right: products } = acc;
                Comoments::<$float>::of_totals([x.left, y.left], [x.right, y.right], products, len).$result()
            }
        }
    )* };
}
// As of ExactSum and ExactDot.
of_pairs!(f32, unit -149, bits 277, batch_f32, ExactCovariance covariance, ExactSampleCovariance sample_covariance);
of_pairs!(f32, unit -149, bits 277, batch_f32, ExactCorrelation correlation);
of_pairs!(f64, unit -1074, bits 2098, batch_f64, ExactCovariance covariance, ExactSampleCovariance sample_covariance);
of_pairs!(f64, unit -1074, bits 2098, batch_f64, ExactCorrelation correlation);
