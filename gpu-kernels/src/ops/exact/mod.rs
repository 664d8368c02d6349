//! The exact sum, rounded once: the same in any order of the elements.
//!
//! Their arithmetic is in the crate [`warpfold_exact`], which also has what a sum is as a value of its own: a state.

mod dot;
// Their results are of states, which are for the host.
#[cfg(not(target_arch = "nvptx64"))]
mod statistics;

pub use dot::ExactDot;
#[cfg(not(target_arch = "nvptx64"))]
pub use statistics::{ExactMean, ExactSampleStdDev, ExactSampleVariance, ExactStdDev, ExactVariance};
pub use warpfold_exact::total::ExactTotal;
use warpfold_exact::total::{batch_f32, batch_f64, words};

use crate::op::Op;

/// The exact sum, rounded once to nearest, ties to even; NaN if any element is NaN or infinities of both signs meet.
///
/// The result is as if the sum were computed in numbers of unlimited length: no order of the elements and no partial sum
/// changes a bit, and it is infinite only if an element is, or the exact sum rounds to infinity. A NaN result is the canonical
/// one. If elements cancel exactly the sum is +0.0; for empty input, and if all elements are -0.0, it is -0.0, as
/// [`Sum`](super::Sum) is.
///
/// The accumulator has room for more elements than 64 bits can count.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactSum;

macro_rules! exact_sum {
    ($float:ty, words $words:expr, $batch:ident, round $round:ident) => {
        impl Op<$float> for ExactSum {
            type Acc = ExactTotal<{ $words }>;
            type Out = $float;
            const IDENTITY: Self::Acc = ExactTotal::EMPTY;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
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
            fn append_rows<const V: usize, const R: usize>(
                self,
                mut acc: Self::Acc,
                rows: [[$float; V]; R],
                _first: u64,
                _stride: u64,
            ) -> Self::Acc {
                $batch::append(&mut acc, rows);
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
            fn finish(acc: Self::Acc, _len: u64) -> $float {
                acc.$round(0)
            }
        }
    };
}
// From the least subnormal to 2^128 and 2^1024 are 277 and 2098 bits.
exact_sum!(f32, words words(277), batch_f32, round to_f32);
exact_sum!(f64, words words(2098), batch_f64, round to_f64);
