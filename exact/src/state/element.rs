//! What is added up.

use super::counts::{Counts, Kind, Way};
use super::long::Long;
use super::rounded::Rounded;
use super::sum::Sum;

/// A finite element: an integer, a sign, and the power of two that the integer is multiplied by, in units of the state.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub(super) magnitude: u128,
    pub(super) place: u32,
    pub(super) is_negative: bool,
}

/// How an element is added to long integers. Only this crate implements it.
pub trait Arithmetic: Copy {
    /// The integer that a sum is.
    type Sum: Long;
    /// The integer that a sum of products is.
    type Product: Long;
    /// The element's number in the format.
    const TAG: u8;
    /// The exponent of the sum's unit. Products have twice the exponent.
    const UNIT: i32;
    /// Whether there are infinities, NaN and -0.0.
    const IS_FLOAT: bool;

    /// Returns the element's kind.
    fn kind(self) -> Kind;
    /// Returns a finite element's parts.
    fn parts(self) -> Parts;
    /// Returns the product's kind.
    fn kind_of_product(self, other: Self) -> Kind;
    /// Adds a finite element.
    fn add(self, total: &mut Self::Sum, way: Way);
    /// Adds the product of two finite elements.
    fn add_product(self, other: Self, total: &mut Self::Product, way: Way);
    /// Adds any elements.
    fn add_slice(x: &[Self], total: &mut Self::Sum, counts: &mut Counts, way: Way);

    /// Adds an element, and counts it.
    #[inline]
    fn add_counted(self, total: &mut Self::Sum, counts: &mut Counts, way: Way) {
        let kind = self.kind();
        counts.add(kind, way.of(1));
        if kind.is_finite() {
            self.add(total, way);
        }
    }

    /// Adds the product of two elements, if both are finite.
    #[inline]
    fn add_finite_product(self, other: Self, total: &mut Self::Product, way: Way) {
        if self.kind().is_finite() && other.kind().is_finite() {
            self.add_product(other, total, way);
        }
    }

    /// Adds the product of two elements, and counts it.
    #[inline]
    fn add_counted_product(self, other: Self, total: &mut Self::Product, counts: &mut Counts, way: Way) {
        let kind = self.kind_of_product(other);
        counts.add(kind, way.of(1));
        if kind.is_finite() {
            self.add_product(other, total, way);
        }
    }

    /// Adds the products of the pairs of two slices of one length whose elements are finite.
    #[inline]
    fn add_finite_products(x: &[Self], y: &[Self], total: &mut Self::Product, way: Way) {
        x.iter().zip(y).for_each(|(&x, &y)| x.add_finite_product(y, total, way));
    }

    /// Adds the products of the pairs of two slices of one length, and counts them.
    #[inline]
    fn add_counted_products(
        x: &[Self],
        y: &[Self],
        total: &mut Self::Product,
        counts: &mut Counts,
        way: Way,
    ) {
        x.iter().zip(y).for_each(|(&x, &y)| x.add_counted_product(y, total, counts, way));
    }
}

/// A number that states add up: `f32`, `f64`, `i64`, `u64`, `i128` and `u128`; with the feature `half`, `f16` and `bf16`.
///
/// Shorter integers are converted first: `i64::from(x)`. Only this crate implements it.
pub trait Element: Arithmetic {
    /// What a sum of such elements is: itself for `f32` and `f64`; `f32` for 16-bit floats. Of `i64` and `u64`:
    /// `i128`; it saturates, which only decoded or wrapped states reach. For 128-bit integers an `Option`, `None` if the sum does
    /// not fit.
    type Value: Copy + core::fmt::Debug + PartialEq;
    /// What means, variances and correlations are: `f32` for floats of up to 32 bits, otherwise `f64`.
    type Float: Rounded;

    /// Returns the value of a sum.
    #[doc(hidden)]
    fn value(sum: &Sum<Self>) -> Self::Value;
}
