//! What a variance is computed from.

use warpfold_exact::unrolled;

use super::number::{CarriedIn, Number};
use super::real::{DividendOf, Float, Real};
use super::wide::Wide;
use crate::op::Accumulator;

/// The type in which few elements of a variance are summed. Integers have exact sums of themselves and of their squares, floats
/// have [`Moments`](super::Moments).
pub trait Spread: Wide {
    /// What the variance is computed from, for any number of elements.
    type Sums: Accumulator;
    /// Those of earlier elements, and of up to 65,536 more in fewer bits.
    type Batch: Copy;
    /// The type of the variance: f64 for integers.
    type Variance: Float;
    /// The exact identity of [`join`](Spread::join).
    const NONE: Self::Sums;
    /// Whether [`join`](Spread::join) is associative, bit for bit.
    const ASSOCIATIVE: bool;
    /// Returns the sums of one element.
    fn sums(self) -> Self::Sums;
    /// Joins the sums of two groups of elements.
    fn join(left: Self::Sums, right: Self::Sums) -> Self::Sums;
    /// Begins a batch behind earlier elements.
    fn begin(earlier: Self::Sums) -> Self::Batch;
    /// Adds this element to a batch.
    fn push(self, batch: Self::Batch) -> Self::Batch;
    /// Adds this element to a batch, if it is there.
    #[inline(always)]
    fn push_if(self, is_there: bool, batch: Self::Batch) -> Self::Batch {
        let pushed = self.push(batch);
        if is_there { pushed } else { batch }
    }
    /// Adds those elements of rows that are there, of column `j` to `sums[j]`.
    #[inline(always)]
    fn push_columns_if<const V: usize, const R: usize>(
        sums: &mut [Self::Sums; V],
        there: [[bool; V]; R],
        rows: [[Self; V]; R],
    ) {
        unrolled!(i < R, up to 8 => {
            unrolled!(j < V => {
                sums[j] = Self::end(rows[i][j].push_if(there[i][j], Self::begin(sums[j])));
            });
        });
    }
    /// Returns the sums of the earlier elements and of the batch, with the bits of joining one element after the
    /// other.
    fn end(batch: Self::Batch) -> Self::Sums;
    /// Returns the sum of the squared distances from the mean of `len` elements, divided by `divisor`; neither is 0. For integers
    /// it is exact, and rounded to nearest once. A NaN is the canonical one.
    fn variance(sums: Self::Sums, len: u64, divisor: u64) -> Self::Variance;
    /// Returns the root of the variance: for integers of the exact one, rounded to nearest once.
    fn deviation(sums: Self::Sums, len: u64, divisor: u64) -> Self::Variance;
}

/// The type in which few elements of a variance of `T` are summed.
pub(in crate::ops) type FewOf<T> = <T as CarriedIn<DividendOf<T>>>::Few;

/// Returns an element as one of few.
#[inline(always)]
pub(in crate::ops) fn few<T: Number<Wide: Real> + CarriedIn<DividendOf<T>>>(x: T) -> FewOf<T> {
    CarriedIn::<DividendOf<T>>::few(x)
}
