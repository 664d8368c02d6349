//! The six element types, and what the statistics need from each besides warpfold's operators.

use std::ops::AddAssign;

use bytemuck::Pod;
use warpfold::Op;
use warpfold::elements::{BinNumber, Number, Ordered, SortKey};

use crate::numbers::naive::{Accurate, Compensated};
use crate::numbers::total::{Deviations, SumAndMean};
use crate::numbers::value::Value;

/// An element type by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dtype {
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Dtype {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Size of an element.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// An element.
pub(crate) trait Numeric:
    Pod + Number<Wide: Into<Value>> + Ordered + BinNumber + SortKey<Quantile: Into<Value>> + Into<Value>
{
    /// The type of a mean.
    type Mean: Copy + Send + Into<Value>;
    /// The operator of the sum and the mean.
    type Sums: Op<Self, Out = (Self::Wide, Option<Self::Mean>)> + Default;
    /// The operator of the standard deviation, and of that of a sample.
    type Deviations: Op<Self, Out = (Option<Self::Mean>, Option<Self::Mean>)> + Default;
    /// The type's name.
    const DTYPE: Dtype;
    /// An accumulator with negligible rounding error.
    type Accumulator: Pod + Default + AddAssign + From<Self> + Into<Accurate>;
    /// The initial value of a plain loop.
    const ZERO: Self;
    /// `+` in a plain loop; integers wrap, as in C and NumPy.
    #[must_use]
    fn plain_add(self, right: Self) -> Self;
    /// The number with its bytes reversed.
    #[must_use]
    fn swap_bytes(self) -> Self;
    fn is_nan(self) -> bool;
}

macro_rules! integers {
    ($($int:ty: $dtype:ident),*) => { $(
        impl Numeric for $int {
            type Mean = f64;
            type Sums = SumAndMean;
            type Deviations = Deviations;
            const DTYPE: Dtype = Dtype::$dtype;
            type Accumulator = i128;
            const ZERO: Self = 0;
            fn plain_add(self, right: Self) -> Self {
                self.wrapping_add(right)
            }
            fn swap_bytes(self) -> Self {
                self.swap_bytes()
            }
            fn is_nan(self) -> bool {
                false
            }
        }
    )* };
}
integers!(i32: I32, u32: U32, i64: I64, u64: U64);

macro_rules! floats {
    ($($float:ty: $dtype:ident),*) => { $(
        impl Numeric for $float {
            type Mean = Self;
            type Sums = SumAndMean;
            type Deviations = Deviations;
            const DTYPE: Dtype = Dtype::$dtype;
            type Accumulator = Compensated;
            const ZERO: Self = 0.0;
            fn plain_add(self, right: Self) -> Self {
                self + right
            }
            fn swap_bytes(self) -> Self {
                Self::from_bits(self.to_bits().swap_bytes())
            }
            fn is_nan(self) -> bool {
                self.is_nan()
            }
        }
    )* };
}
floats!(f32: F32, f64: F64);
