//! Sums of squares, and their roots.

use cuda_std::float::GpuFloat;

use super::real::Float;
use super::rounded;
use super::wide::Wide;
use crate::op::Accumulator;

/// The type that carries the sum of squares of a norm: for integers 192 bits, which hold the sum of any number of squares; for
/// floats the type itself.
pub trait Squares: Accumulator {
    /// The type of the root: f64 for integers.
    type Root: Float;
    /// The exact identity of the sum.
    const NOUGHT: Self;
    /// Whether [`add`](Squares::add) is associative, bit for bit.
    const ASSOCIATIVE: bool;
    /// Adds: integers exactly, floats rounded to nearest.
    fn add(self, right: Self) -> Self;
    /// Returns the square root, rounded to nearest once; a NaN is the canonical one.
    fn root(self) -> Self::Root;
}

/// An integer, the lowest word first.
impl Squares for [u64; 3] {
    type Root = f64;
    const NOUGHT: Self = [0; 3];
    const ASSOCIATIVE: bool = true;
    #[inline(always)]
    fn add(self, right: Self) -> Self {
        let (low, carry) = low_half(self).overflowing_add(low_half(right));
        [low as u64, (low >> 64) as u64, self[2].wrapping_add(right[2]).wrapping_add(u64::from(carry))]
    }
    #[inline]
    fn root(self) -> f64 {
        rounded::root(self)
    }
}

/// Returns the two lower words.
#[inline(always)]
fn low_half(words: [u64; 3]) -> u128 {
    u128::from(words[1]) << 64 | u128::from(words[0])
}

/// Returns the square of a magnitude.
#[inline(always)]
pub(in crate::ops) fn square_of(magnitude: u64) -> [u64; 3] {
    let square = u128::from(magnitude) * u128::from(magnitude);
    [square as u64, (square >> 64) as u64, 0]
}

macro_rules! floats {
    ($($float:ty),*) => { $(
        impl Squares for $float {
            type Root = Self;
            const NOUGHT: Self = 0.0;
            const ASSOCIATIVE: bool = false;
            #[inline(always)]
            fn add(self, right: Self) -> Self {
                self + right
            }
            #[inline]
            fn root(self) -> Self {
                Wide::canonical(GpuFloat::sqrt(self))
            }
        }
    )* };
}
floats!(f32, f64);
