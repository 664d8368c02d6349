//! The exact dot product.

use super::bytes::{BufferTooSmall, Reader, Writer};
use super::counts::{Counts, Way};
use super::decode_error::DecodeError;
use super::element::Element;
use super::long::{Long, product};
use super::methods::state;
use super::natural::Integer;
use super::quotient::quotient;
use super::rounded::Rounded;

/// The exact sum of products of pairs, as a state.
///
/// A product never underflows: the state's unit is the square of the least subnormal number. So there is no question whether a
/// result is exact.
///
/// ```
/// use warpfold_exact::Dot;
///
/// // Stream.
/// let mut dot = Dot::new();
/// dot.push(1e200, 1e200);
/// dot.push(1e-200, 1e-200);
/// assert_eq!(dot.value(), f64::INFINITY);
/// // Fork, merge, take back.
/// let mut fork = dot.clone();
/// fork.merge(&[(3.0, 4.0)].into_iter().collect());
/// fork.retract(1e200, 1e200);
/// fork.unmerge(&[(1e-200, 1e-200)].into_iter().collect());
/// assert_eq!(fork.value(), 12.0);
/// ```
pub struct Dot<T: Element> {
    pub(super) total: T::Product,
    pub(super) counts: Counts,
}

impl<T: Element> Dot<T> {
    /// The dot product of no pairs.
    pub const EMPTY: Self = Self { total: T::Product::ZERO, counts: Counts::NONE };
    const KIND: u8 = 2;
    /// The most bytes that [`encode`](Self::encode) writes.
    pub const MAX_BYTES: usize = Writer::HEAD + Writer::COUNTS + Writer::integer(T::Product::BYTES);

    /// Adds a pair.
    #[inline]
    pub fn push(&mut self, x: T, y: T) {
        x.add_counted_product(y, &mut self.total, &mut self.counts, Way::Push);
    }

    /// Takes a pair back.
    #[inline]
    pub fn retract(&mut self, x: T, y: T) {
        x.add_counted_product(y, &mut self.total, &mut self.counts, Way::Retract);
    }

    /// Adds a pair `weight` times, or takes it back as often if `weight` is negative.
    pub fn push_weighted(&mut self, x: T, y: T, weight: i64) {
        let kind = x.kind_of_product(y);
        self.counts.add(kind, weight);
        if kind.is_finite() {
            let (x, y) = (x.parts(), y.parts());
            let magnitude = product(&[x.magnitude, y.magnitude, weight.unsigned_abs().into()]);
            let is_negative = (x.is_negative != y.is_negative) != (weight < 0);
            self.total.add_magnitude(&magnitude, x.place + y.place, is_negative);
        }
    }

    /// Adds the pairs of two slices. Elements of the longer slice that have no partner are left out.
    #[inline(always)]
    pub fn extend_from_slices(&mut self, x: &[T], y: &[T]) {
        let pairs = x.len().min(y.len());
        T::add_counted_products(&x[..pairs], &y[..pairs], &mut self.total, &mut self.counts, Way::Push);
    }

    /// Takes the pairs of two slices back.
    #[inline(always)]
    pub fn retract_slices(&mut self, x: &[T], y: &[T]) {
        let pairs = x.len().min(y.len());
        T::add_counted_products(&x[..pairs], &y[..pairs], &mut self.total, &mut self.counts, Way::Retract);
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.counts.all
    }

    /// Returns the sum of products, rounded once to nearest, ties to even: an f64 for integers.
    ///
    /// It is NaN if a factor is, a zero and an infinity meet, or infinite products of both signs do; -0.0 if there are no pairs
    /// or all products are -0.0; and +0.0 if products cancel, and for no pairs of integers.
    #[must_use]
    pub fn value(&self) -> T::Float {
        let total = Integer::of_words(self.total.words());
        let zero = if T::IS_FLOAT && self.counts.is_negative_zero() { -0.0 } else { 0.0 };
        let special = self.counts.special().or(total.magnitude.is_zero().then_some(zero));
        let whole = || quotient(&total, &Integer::of_count(1), 2 * T::UNIT).unwrap_or(T::Float::NAN);
        special.map_or_else(whole, T::Float::of_special)
    }

    fn write(&self, to: &mut Writer<'_>) {
        to.counts(&self.counts);
        to.integer_of(self.total.words());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { counts: from.counts(T::IS_FLOAT)?, total: from.integer()? })
    }
}
state!(Dot { total, counts }, (T, T), |(x, y)| x, y);
