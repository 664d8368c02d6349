//! Sums that are divided by the number of their elements.

use super::real::{Float, Real};
use super::rounded;
use super::wide::Wide;

/// What the sum of a mean is carried in: 128 bits of integers, which hold that of any number of them, and the type itself of
/// floats.
pub trait Dividend: Wide {
    /// What the quotient is given in: f64 of integers.
    type Quotient: Float;
    /// This sum over `len`, which is not 0. Of integers it is the exact quotient, rounded to nearest once; of floats the length
    /// is rounded to nearest first. A NaN is the canonical one.
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
                Wide::canonical(self.to_float() / Self::count(len))
            }
        }
    )* };
}
floats!(f32, f64);
