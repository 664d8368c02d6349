//! The exact sum, rounded once: the same in any order of the elements.
//!
//! Every float is an integer times one power of two, so all of them add up in one long integer without rounding ([`total`]).
//! Element by element that would be slow, so batches of neighbours are added up in a few f64 first, wherever no bit can be lost
//! ([`batch_f32`], [`batch_f64`]).

mod batch_f32;
mod batch_f64;
mod dot;
mod round;
mod total;

use crate::op::Op;
use crate::unroll::unrolled;
pub use dot::ExactDot;
pub use total::ExactTotal;

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

/// Elements that a CPU adds up at a time: rows that fill a few of its registers. With 8, long arrays take longer and short
/// ones less (docs/tuning/cpu.md).
const ROW: usize = 16;
const ROWS: usize = 16;

/// Calls `f` for each place of a batch. Batches as small as a GPU's run as straight-line code, which keeps them in registers.
#[inline(always)]
fn each<const V: usize, const R: usize>(mut f: impl FnMut(usize, usize)) {
    if V * R <= 16 {
        unrolled!(i < if V * R <= 16 { R } else { 0 } => {
            unrolled!(j < if V * R <= 16 { V } else { 0 } => { f(i, j) });
        });
    } else {
        for i in 0..R {
            for j in 0..V {
                f(i, j);
            }
        }
    }
}

macro_rules! exact_sum {
    ($float:ty, words $words:expr, $batch:ident, round $round:ident) => {
        impl Op<$float> for ExactSum {
            type Acc = ExactTotal<{ $words }>;
            type Out = $float;
            const IDENTITY: Self::Acc = ExactTotal::EMPTY;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
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
                let (rows, _) = x.as_chunks::<ROW>();
                let (batches, _) = rows.as_chunks::<ROWS>();
                for batch in batches {
                    $batch::append(&mut acc, *batch);
                }
                let rest = &x[batches.len() * ROWS * ROW..];
                if !rest.is_empty() {
                    // Padding of -0.0 adds nothing, not even a sign.
                    let mut batch = [[-0.0; ROW]; ROWS];
                    for (place, &x) in batch.as_flattened_mut().iter_mut().zip(rest) {
                        *place = x;
                    }
                    $batch::append(&mut acc, batch);
                }
                acc
            }
            #[inline]
            fn finish(acc: Self::Acc, _len: u64) -> $float {
                round::$round(&acc, 0)
            }
        }
    };
}
// From the least subnormal to 2^128 and 2^1024 are 277 and 2098 bits. 64 more allow for the number of elements, and one is the
// sign.
exact_sum!(f32, words total::words(277), batch_f32, round to_f32);
exact_sum!(f64, words total::words(2098), batch_f64, round to_f64);
