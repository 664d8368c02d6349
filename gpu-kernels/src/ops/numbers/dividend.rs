//! Sums to be divided by the number of their elements.

use super::real::Float;
use super::rounded;
use super::wide::Wide;

/// The type that carries the sum of a mean: for integers 128 bits, which hold the sum of any number of them; for floats the
/// type itself.
pub trait Dividend: Wide {
    /// The type of the quotient: f64 for integers.
    type Quotient: Float;
    /// Returns this sum divided by `len`, which is not 0. For integers it is the exact quotient, rounded to nearest once; for
    /// floats the length is rounded to nearest first. A NaN is the canonical one.
    fn over(self, len: u64) -> Self::Quotient;
}

impl Dividend for u128 {
    type Quotient = f64;
    #[inline]
    fn over(self, len: u64) -> f64 {
        rounded::quotient(self, len)
    }
}

impl Dividend for i128 {
    type Quotient = f64;
    #[inline]
    fn over(self, len: u64) -> f64 {
        let magnitude = rounded::quotient(self.unsigned_abs(), len);
        if self < 0 { -magnitude } else { magnitude }
    }
}

macro_rules! floats {
    ($($float:ty),*) => { $(
        impl Dividend for $float {
            type Quotient = Self;
            #[inline]
            fn over(self, len: u64) -> Self {
                Wide::canonical(self / Self::count(len))
            }
        }
    )* };
}
floats!(f32, f64);
