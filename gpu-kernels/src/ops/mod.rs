//! The operators. Each file is one family; each operator's first line says what it does with NaN.

mod accurate;
mod affine;
mod arg;
mod bitwise;
mod count;
mod ends;
mod extremum;
mod matrix;
mod mean;
mod min_max;
mod norm;
mod number;
mod order;
mod real;
mod sum;
mod tuple;
mod variance;
mod words;

pub use accurate::AccurateSum;
pub use affine::{Affine, Compose, Ring};
pub use arg::{ArgMax, ArgMin, At, Indexed};
pub use bitwise::{BitAnd, BitField, BitOr, BitXor};
pub use count::{Above, All, Any, Below, Count, IsNan, NonZero, Predicate, Within};
pub use ends::{First, Last};
pub use extremum::{Max, Maximum, Min, Minimum};
pub use matrix::{Matrix2, MatrixProduct};
pub use mean::Mean;
pub use min_max::{ArgMinMax, Extremes, MinMax};
pub use norm::{CentredSquares, Norm1, Norm2, NormInf, SumOfSquares};
pub use number::{Number, Wide};
pub use order::{Key, Ordered};
pub use real::{Float, Real};
pub use sum::{Product, Sum};
pub use variance::{Moments, SampleStdDev, SampleVariance, StdDev, Variance};
pub use words::{Joined, WholeWords};
