//! The exact dot product, rounded once.

use warpfold_exact::total::{ExactTotal, words};

use crate::op::Op;

/// The exact sum of products of pairs, rounded once to nearest, ties to even; NaN if any factor is NaN, a zero and an
/// infinity meet, or infinities of both signs do.
///
/// The result is as if products and sum were computed in numbers of unlimited length: no order of the pairs and no partial sum
/// changes a bit, and it is infinite only if a factor is, or the exact sum rounds to infinity. A NaN result is the canonical
/// one. If products cancel exactly the result is +0.0; for empty input, and if all products are -0.0, it is -0.0.
///
/// The accumulator, 84 bytes for f32 and 540 for f64, is too large for a GPU's threads, so this operator is for the CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactDot;

macro_rules! exact_dot {
    ($float:ty, unit $unit:literal, bits $bits:literal, round $round:ident) => {
        impl Op<[$float; 2]> for ExactDot {
            type Acc = ExactTotal<{ words($bits) }>;
            type Out = $float;
            const IDENTITY: Self::Acc = ExactTotal::EMPTY;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
            const NEEDS_INDEX: bool = false;
            #[inline]
            fn lift(self, pair: [$float; 2], index: u64) -> Self::Acc {
                self.append(ExactTotal::EMPTY, pair, index)
            }
            #[inline]
            fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
                left.plus(right)
            }
            #[inline(always)]
            fn append(self, mut acc: Self::Acc, [x, y]: [$float; 2], _index: u64) -> Self::Acc {
                acc.append_product(f64::from(x), f64::from(y), $unit);
                acc
            }
            #[inline(always)]
            fn append_slice(self, mut acc: Self::Acc, x: &[[$float; 2]], _first: u64) -> Self::Acc {
                for &[x, y] in x {
                    acc.append_product(f64::from(x), f64::from(y), $unit);
                }
                acc
            }
            #[inline]
            fn finish(acc: Self::Acc, _len: u64) -> $float {
                // A product's unit is the square of the least subnormal.
                acc.$round((-$unit / 2) as u32)
            }
        }
    };
}
// Products are multiples of the square of the least subnormal, 2^-298 and 2^-2148, and less than 2^256 and 2^2048.
exact_dot!(f32, unit -298, bits 554, round to_f32);
exact_dot!(f64, unit -2148, bits 4196, round to_f64);
