//! Real numbers in which sums are carried, with what norms and means need. A [number](crate::Number) whose sums are
//! carried in one has all of these.

use core::ops::{Add, Div, Mul, Sub};

use cuda_std::float::GpuFloat;

use super::dividend::Dividend;
use super::number::Number;
use super::order::Ordered;
use super::squares::{Squares, square_of};
use super::wide::Wide;
use crate::ops::words::WholeWords;

/// A real number in which sums are carried.
pub trait Real: Wide {
    /// The type that carries magnitudes and squares: u64 for integers, the type itself for floats.
    type Magnitude: Real + Ordered;
    /// The type of a mean: f64 for integers, the type itself for floats.
    type Float: Float;
    /// The type that carries the sum of a mean: 128 bits for integers, the type itself for floats.
    type Dividend: Dividend<Quotient = Self::Float>;
    /// The type that carries the sum of squares of a norm: 192 bits for integers, the type itself for floats.
    type Squares: Squares<Root = Self::Float>;
    /// Zero; +0.0 for floats, which is the exact identity for sums of numbers that are not negative.
    const NOUGHT: Self;
    /// Returns the absolute value.
    fn magnitude(self) -> Self::Magnitude;
    /// Returns the square: integers wrap, floats round to nearest.
    fn square(self) -> Self::Magnitude;
    /// Returns the square for a sum whose root is taken: exact for integers, floats round to nearest.
    fn squares(self) -> Self::Squares;
}

/// A float in which sums are carried.
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
    /// Infinity.
    const INFINITE: Self;
    /// Converts a number of elements, rounded to nearest.
    fn count(n: u64) -> Self;
    /// Returns whether it is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Returns the canonical NaN.
    fn nan() -> Self;
}

/// The type that carries magnitudes and squares of `T`.
pub(in crate::ops) type MagnitudeOf<T> = <<T as Number>::Wide as Real>::Magnitude;

/// The type of a mean of `T`.
pub(in crate::ops) type FloatOf<T> = <<T as Number>::Wide as Real>::Float;

/// The type that carries the sum of a mean of `T`.
pub(in crate::ops) type DividendOf<T> = <<T as Number>::Wide as Real>::Dividend;

/// The type that carries the sum of squares of a norm of `T`.
pub(in crate::ops) type SquaresOf<T> = <<T as Number>::Wide as Real>::Squares;

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
        }
    )* };
}
integers!(i64, in i128: magnitude_of_signed; u64, in u128: magnitude_of_unsigned);

/// Returns the magnitude: 2^63 for the least integer.
#[inline(always)]
const fn magnitude_of_signed(x: i64) -> u64 {
    x.unsigned_abs()
}

/// Returns `x` itself.
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
        }
        impl Float for $float {
            const UNIT: Self = 1.0;
            const INFINITE: Self = Self::INFINITY;
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
