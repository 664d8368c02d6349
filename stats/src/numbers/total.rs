//! Two results of one accumulator: the sum and the mean, and both standard deviations.

use warpfold::{Mean, Op, SampleStdDev, StdDev, Sum};

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

/// [`StdDev`] and [`SampleStdDev`], with the bits of each. Both carry the same.
#[derive(Clone, Copy, Default)]
pub(crate) struct Deviations;

impl<T: warpfold::Element> Op<T> for Deviations
where
    StdDev: Op<T>,
    SampleStdDev: Op<T, Acc = <StdDev as Op<T>>::Acc>,
{
    type Acc = <StdDev as Op<T>>::Acc;
    type Out = (<StdDev as Op<T>>::Out, <SampleStdDev as Op<T>>::Out);
    const IDENTITY: Self::Acc = <StdDev as Op<T>>::IDENTITY;
    const COMMUTATIVE: bool = <StdDev as Op<T>>::COMMUTATIVE;
    const ASSOCIATIVE: bool = <StdDev as Op<T>>::ASSOCIATIVE;
    const NEEDS_INDEX: bool = <StdDev as Op<T>>::NEEDS_INDEX;
    #[inline(always)]
    fn lift(self, x: T, index: u64) -> Self::Acc {
        StdDev.lift(x, index)
    }
    #[inline(always)]
    fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
        <StdDev as Op<T>>::combine(left, right)
    }
    #[inline(always)]
    fn append(self, acc: Self::Acc, x: T, index: u64) -> Self::Acc {
        StdDev.append(acc, x, index)
    }
    #[inline(always)]
    fn append_slice(self, acc: Self::Acc, x: &[T], first: u64) -> Self::Acc {
        StdDev.append_slice(acc, x, first)
    }
    fn finish(acc: Self::Acc, len: u64) -> Self::Out {
        (<StdDev as Op<T>>::finish(acc, len), <SampleStdDev as Op<T>>::finish(acc, len))
    }
}
