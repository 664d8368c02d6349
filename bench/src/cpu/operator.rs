//! The operators that are measured, and the element types, each with the plain loops of the standard library.

use std::num::Wrapping;

use arrow_array::{ArrowNumericType, types};
use arrow_buffer::ArrowNativeType;
use bytemuck::Pod;
use num_traits::Zero;
use warpfold::elements::{Number, Ordered};

use super::answer::Answer;
use crate::datum::Datum;

/// An operator that all or nearly all peers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Operator {
    Sum,
    Max,
    Argmax,
}

impl Operator {
    /// The name on the command line, in the table and in Python.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Max => "max",
            Self::Argmax => "argmax",
        }
    }
}

/// An element type of the contest.
pub(super) trait Measured:
    Datum
    + ArrowNativeType
    + Number<Wide: Into<Answer>, Total: Into<Answer>>
    + Ordered
    + PartialOrd
    + Into<Answer>
{
    /// Arrow's name of the type.
    type Arrow: ArrowNumericType<Native = Self>;
    /// The same type with wrapping sums in any build, without overflow panics.
    type Wrapping: Pod + Zero;
    /// The number in the wrapper.
    fn unwrapped(wrapping: Self::Wrapping) -> Self;
    /// The sum by a loop, in the type of warpfold's sum.
    fn sum_by_loop(x: &[Self]) -> Self::Wide;
    /// The greatest element by a loop.
    fn max_by_loop(x: &[Self]) -> Option<Self>;
}

macro_rules! integers {
    ($($int:ty, $wide:ty, $arrow:ident);* $(;)?) => { $(
        impl Measured for $int {
            type Arrow = types::$arrow;
            type Wrapping = Wrapping<Self>;
            fn unwrapped(wrapping: Wrapping<Self>) -> Self {
                wrapping.0
            }
            fn sum_by_loop(x: &[Self]) -> $wide {
                x.iter().map(|&x| Wrapping(<$wide>::from(x))).sum::<Wrapping<$wide>>().0
            }
            fn max_by_loop(x: &[Self]) -> Option<Self> {
                x.iter().max().copied()
            }
        }
    )* };
}
integers!(i32, i64, Int32Type; u32, u64, UInt32Type; i64, i64, Int64Type; u64, u64, UInt64Type);

macro_rules! floats {
    ($($float:ty, $arrow:ident);*) => { $(
        impl Measured for $float {
            type Arrow = types::$arrow;
            type Wrapping = Self;
            fn unwrapped(wrapping: Self) -> Self {
                wrapping
            }
            fn sum_by_loop(x: &[Self]) -> Self {
                x.iter().sum()
            }
            fn max_by_loop(x: &[Self]) -> Option<Self> {
                x.iter().copied().reduce(<$float>::max)
            }
        }
    )* };
}
floats!(f32, Float32Type; f64, Float64Type);
