//! The loops that texts on summation start from, for comparison.

use std::ops::AddAssign;

use bytemuck::{Pod, Zeroable};

use crate::numbers::numeric::Numeric;

/// Adds the elements one by one to an accumulator of their own type.
pub(crate) struct Plain<T>(pub(crate) T);

impl<T: Numeric> Plain<T> {
    pub(crate) fn add(&mut self, x: &[T]) {
        self.0 = x.iter().fold(self.0, |sum, &x| sum.plain_add(x));
    }
}

/// Adds with almost no rounding error.
pub(crate) struct Careful<A>(pub(crate) A);

impl<A> Careful<A> {
    pub(crate) fn add<T: Numeric<Accumulator = A>>(&mut self, x: &[T])
    where
        A: AddAssign + From<T>,
    {
        for &x in x {
            self.0 += A::from(x);
        }
    }
}

/// The right value of a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Accurate {
    /// The exact sum.
    Exact(i128),
    /// The sum to within a few units in the last place of an f64.
    Compensated(f64),
}

impl From<i128> for Accurate {
    fn from(sum: i128) -> Self {
        Self::Exact(sum)
    }
}

/// A sum in f64 that carries the rounding error of each addition (Neumaier 1974).
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Compensated {
    sum: f64,
    lost: f64,
}

impl AddAssign for Compensated {
    fn add_assign(&mut self, right: Self) {
        let x = right.sum;
        let sum = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() { (self.sum - sum) + x } else { (x - sum) + self.sum };
        self.sum = sum;
    }
}

impl From<f32> for Compensated {
    fn from(x: f32) -> Self {
        f64::from(x).into()
    }
}

impl From<f64> for Compensated {
    fn from(x: f64) -> Self {
        Self { sum: x, lost: 0.0 }
    }
}

impl From<Compensated> for Accurate {
    fn from(total: Compensated) -> Self {
        // If the sum is infinite or NaN, the carried error is NaN and meaningless.
        Self::Compensated(if total.sum.is_finite() { total.sum + total.lost } else { total.sum })
    }
}
