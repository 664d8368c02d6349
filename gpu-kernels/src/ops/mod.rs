//! The operators, one family per file. Each operator's first line says what it does with NaN.

mod accurate;
mod affine;
mod arg;
mod bitwise;
mod by_rank;
mod count;
#[cfg(not(target_arch = "nvptx64"))]
mod device_predicate;
mod dot;
mod ends;
mod exact;
mod extremum;
mod hash;
mod matrix;
mod mean;
mod min_max;
mod native;
mod norm;
mod numbers;
mod sum;
mod tuple;
mod variance;
mod words;

pub use accurate::{AccurateDot, AccurateSum};
pub use affine::{Affine, Compose, Ring};
pub use arg::{ArgMax, ArgMin, At};
pub use bitwise::{BitAnd, BitField, BitOr, BitXor};
pub use by_rank::{ByRank, RankedNumber, Ranks};
pub use count::{
    Above, All, Any, Below, Count, IsNan, NonZero, Not, Predicate, Within, above, below, count, not, within,
};
#[cfg(not(target_arch = "nvptx64"))]
pub use device_predicate::{Criterion, DevicePredicate};
pub use dot::{Dot, SquaredDistance, WeightedMean};
pub use ends::{EndElement, Ending, First, Last};
pub use exact::{ExactDot, ExactSum, ExactTotal};
#[cfg(not(target_arch = "nvptx64"))]
pub use exact::{ExactMean, ExactSampleStdDev, ExactSampleVariance, ExactStdDev, ExactVariance};
pub use extremum::{Max, Maximum, Min, Minimum};
pub use hash::PolynomialHash;
pub use matrix::{Matrix2, MatrixProduct};
pub use mean::Mean;
pub use min_max::{ArgMinMax, Extremes, MinMax};
pub use native::OfNativeIntegers;
pub use norm::{CentredSquares, Norm1, Norm2, NormInf, SumOfSquares};
pub use numbers::{
    CarriedIn, Dividend, Float, Key, Moments, NanGreatest, Number, Ordered, Rank, Real, Spread, Squares,
    TotalOrder, Wide,
};
pub use sum::{Product, ProductIn, Sum, SumIn};
pub use variance::{SampleStdDev, SampleVariance, StdDev, Variance};
pub use words::{Joined, Kept, WholeWords};
