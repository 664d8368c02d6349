//! The sum and the mean with one accumulator.

use warpfold::{Mean, Op, Sum};

/// [`Sum`] and [`Mean`], with the bits of each. For floats both have the same accumulator. For integers the
/// mean carries the exact sum, whose low 64 bits are the wrapping sum.
#[derive(Clone, Copy, Default)]
pub(crate) struct SumAndMean;

macro_rules! sums_and_means {
    ($($element:ty: $sum:ty, $mean:ty, |$exact:ident| $carried:expr;)*) => { $(
        impl Op<$element> for SumAndMean {
            type Acc = <Mean as Op<$element>>::Acc;
            type Out = ($sum, Option<$mean>);
            const IDENTITY: Self::Acc = <Mean as Op<$element>>::IDENTITY;
            const COMMUTATIVE: bool = <Mean as Op<$element>>::COMMUTATIVE;
            const ASSOCIATIVE: bool = <Mean as Op<$element>>::ASSOCIATIVE;
            const NEEDS_INDEX: bool = <Mean as Op<$element>>::NEEDS_INDEX;
            #[inline(always)]
            fn lift(self, x: $element, index: u64) -> Self::Acc {
                Mean.lift(x, index)
            }
            #[inline(always)]
            fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
                <Mean as Op<$element>>::combine(left, right)
            }
            #[inline(always)]
            fn append(self, acc: Self::Acc, x: $element, index: u64) -> Self::Acc {
                Mean.append(acc, x, index)
            }
            #[inline(always)]
            fn append_slice(self, acc: Self::Acc, x: &[$element], first: u64) -> Self::Acc {
                Mean.append_slice(acc, x, first)
            }
            fn finish($exact: Self::Acc, len: u64) -> Self::Out {
                (<Sum as Op<$element>>::finish($carried, len), <Mean as Op<$element>>::finish($exact, len))
            }
        }
    )* };
}
sums_and_means! {
    i32: i64, f64, |exact| exact as i64;
    u32: u64, f64, |exact| exact as u64;
    i64: i64, f64, |exact| exact as i64;
    u64: u64, f64, |exact| exact as u64;
    f32: f32, f32, |exact| exact;
    f64: f64, f64, |exact| exact;
}
