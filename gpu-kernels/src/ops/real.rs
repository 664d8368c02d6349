//! Real numbers that sums are carried in: what norms, means and variances need of them. A [number](super::Number) whose
//! sums are carried in one has all of these.

use core::ops::{Add, Div, Mul, Sub};

use cuda_std::float::GpuFloat;

use super::dividend::Dividend;
use super::number::Number;
use super::order::Ordered;
use super::squares::{Squares, square_of};
use super::wide::Wide;
use super::words::WholeWords;

/// A real number that sums are carried in.
pub trait Real: Wide {
    /// What magnitudes and squares are carried in: u64 for integers, the type itself for floats.
    type Magnitude: Real + Ordered;
    /// What a mean is computed in: f64 for integers, the type itself for floats.
    type Float: Float;
    /// What the sum of a mean is carried in: 128 bits for integers, the type itself for floats.
    type Dividend: Dividend<Quotient = Self::Float>;
    /// What the sum of squares of a norm is carried in: 192 bits for integers, the type itself for floats.
    type Squares: Squares<Root = Self::Float>;
    /// Zero; +0.0 for floats, which is the exact identity of sums of what is not negative.
    const NOUGHT: Self;
    /// The absolute value.
    fn magnitude(self) -> Self::Magnitude;
    /// The square: integers wrap, floats round to nearest.
    fn square(self) -> Self::Magnitude;
    /// The square of which a root is taken: exact for integers, floats round to nearest.
    fn squares(self) -> Self::Squares;
    /// The same number as a float, rounded to nearest.
    fn to_float(self) -> Self::Float;
}

/// A float that sums are carried in.
pub trait Float:
    Real<Magnitude = Self, Float = Self>
    + Ordered
    + WholeWords
    + GpuFloat
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// 1.
    const UNIT: Self;
    /// A number of elements, rounded to nearest.
    fn count(n: u64) -> Self;
    /// Whether it is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// The canonical NaN.
    fn nan() -> Self;
}

/// What magnitudes and squares of `T` are carried in.
pub(super) type MagnitudeOf<T> = <<T as Number>::Wide as Real>::Magnitude;

/// What a mean of `T` is computed in.
pub(super) type FloatOf<T> = <<T as Number>::Wide as Real>::Float;

/// What the sum of a mean of `T` is carried in.
pub(super) type DividendOf<T> = <<T as Number>::Wide as Real>::Dividend;

/// What the sum of squares of a norm of `T` is carried in.
pub(super) type SquaresOf<T> = <<T as Number>::Wide as Real>::Squares;

macro_rules! integers {
    ($($int:ty, in $long:ty: $magnitude:ident);*) => { $(
        impl Real for $int {
            type Magnitude = u64;
            type Float = f64;
            type Dividend = $long;
            type Squares = [u64; 3];
            const NOUGHT: Self = 0;
            #[inline]
            fn magnitude(self) -> u64 {
                $magnitude(self)
            }
            #[inline]
            fn square(self) -> u64 {
                self.wrapping_mul(self) as u64
            }
            #[inline]
            fn squares(self) -> [u64; 3] {
                square_of($magnitude(self))
            }
            #[inline]
            fn to_float(self) -> f64 {
                self as f64
            }
        }
    )* };
}
integers!(i64, in i128: magnitude_of_signed; u64, in u128: magnitude_of_unsigned);

/// 2^63 for the least.
#[inline(always)]
const fn magnitude_of_signed(x: i64) -> u64 {
    x.unsigned_abs()
}

/// Itself.
#[inline(always)]
const fn magnitude_of_unsigned(x: u64) -> u64 {
    x
}

macro_rules! floats {
    ($($float:ty),*) => { $(
        impl Real for $float {
            type Magnitude = Self;
            type Float = Self;
            type Dividend = Self;
            type Squares = Self;
            const NOUGHT: Self = 0.0;
            #[inline]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline]
            fn square(self) -> Self {
                self * self
            }
            #[inline]
            fn squares(self) -> Self {
                self * self
            }
            #[inline]
            fn to_float(self) -> Self {
                self
            }
        }
        impl Float for $float {
            const UNIT: Self = 1.0;
            #[inline]
            fn count(n: u64) -> Self {
                n as Self
            }
            #[inline]
            fn is_finite(self) -> bool {
                self.abs() < Self::INFINITY
            }
            #[inline]
            fn nan() -> Self {
                Wide::canonical(Self::NAN)
            }
        }
    )* };
}
floats!(f32, f64);
