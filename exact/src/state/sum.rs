//! The exact sum.

use super::bytes::{BufferTooSmall, Reader, Writer};
use super::counts::{Counts, Way};
use super::decode_error::DecodeError;
use super::element::Element;
use super::long::{Long, product};
use super::methods::state;
use super::natural::Integer;
use super::quotient::quotient;
use super::rounded::Rounded;
use crate::total::{NEGATIVE, NOT_NEGATIVE_ZERO, POSITIVE};

/// The exact sum of elements, as a state.
///
/// ```
/// use warpfold_exact::Sum;
///
/// // Stream.
/// let mut sum = Sum::new();
/// sum.push(1e100);
/// sum.extend_from_slice(&[0.1; 10]);
/// // Fork, and merge what both had in addition.
/// let mut fork = sum.clone();
/// fork.push(-1e100);
/// assert_eq!(fork.value(), 1.0);
/// let other: Sum<f64> = [f64::INFINITY, 2.0].into_iter().collect();
/// sum.merge(&other);
/// assert_eq!(sum.value(), f64::INFINITY);
/// // Take back.
/// sum.retract(f64::INFINITY);
/// sum.retract(1e100);
/// assert_eq!(sum.value(), 3.0);
/// assert_eq!(sum.count(), 11);
/// ```
pub struct Sum<T: Element> {
    pub(super) total: T::Sum,
    pub(super) counts: Counts,
}

impl<T: Element> Sum<T> {
    /// The sum of no elements.
    pub const EMPTY: Self = Self { total: T::Sum::ZERO, counts: Counts::NONE };
    const KIND: u8 = 1;
    /// The most bytes that [`encode`](Self::encode) writes.
    pub const MAX_BYTES: usize = Writer::HEAD + Writer::COUNTS + Writer::integer(T::Sum::BYTES);

    /// Returns the state of `count` elements with this total, such as a fold by warpfold's `ExactSum` gives.
    ///
    /// A total does not count -0.0, infinities and NaN. The state has as many of them as give the total's value: all of `count`,
    /// one of each kind that was seen, or none.
    #[must_use]
    pub fn of_total(mut total: T::Sum, count: u64) -> Self {
        let seen = total.take_flags();
        let one_if = |flag| i64::from(seen & flag != 0);
        let all = count as i64;
        let negative_zeros = if seen & NOT_NEGATIVE_ZERO == 0 && T::IS_FLOAT { all } else { 0 };
        let counts =
            Counts { all, negative_zeros, nans: 0, positive: one_if(POSITIVE), negative: one_if(NEGATIVE) };
        Self { total, counts }
    }

    /// Adds an element.
    #[inline]
    pub fn push(&mut self, x: T) {
        x.add_counted(&mut self.total, &mut self.counts, Way::Push);
    }

    /// Takes an element back.
    #[inline]
    pub fn retract(&mut self, x: T) {
        x.add_counted(&mut self.total, &mut self.counts, Way::Retract);
    }

    /// Adds an element `weight` times, or takes it back as often if `weight` is negative.
    pub fn push_weighted(&mut self, x: T, weight: i64) {
        let kind = x.kind();
        self.counts.add(kind, weight);
        if kind.is_finite() {
            let parts = x.parts();
            let magnitude = product(&[parts.magnitude, weight.unsigned_abs().into()]);
            self.total.add_magnitude(&magnitude, parts.place, parts.is_negative != (weight < 0));
        }
    }

    /// Adds the elements of a slice, which is faster than one by one.
    #[inline(always)]
    pub fn extend_from_slice(&mut self, x: &[T]) {
        T::add_slice(x, &mut self.total, &mut self.counts, Way::Push);
    }

    /// Takes the elements of a slice back.
    #[inline(always)]
    pub fn retract_slice(&mut self, x: &[T]) {
        T::add_slice(x, &mut self.total, &mut self.counts, Way::Retract);
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.counts.all
    }

    /// Returns the sum, rounded once to nearest, ties to even. Sums of integers are not rounded.
    ///
    /// It is NaN if an element is, or infinities of both signs meet; infinite only if an element is, or the exact sum rounds to
    /// infinity; -0.0 if there are no elements or all are -0.0; and +0.0 if elements cancel. An element that was taken back more
    /// often than it was pushed counts as its negative.
    ///
    /// Of `i64` and `u64`: `i128`; it saturates, which only decoded or wrapped states reach. Of `i128` and `u128`: `None` if the
    /// sum does not fit.
    #[must_use]
    pub fn value(&self) -> T::Value {
        T::value(self)
    }

    /// Returns the mean, rounded once; `None` if there are no elements, or more were taken back than pushed.
    #[must_use]
    pub fn mean(&self) -> Option<T::Float> {
        if self.counts.all <= 0 {
            return None;
        }
        let total = self.integer();
        let zero = if T::IS_FLOAT && self.counts.is_negative_zero() { -0.0 } else { 0.0 };
        let special = self.counts.special().or(total.magnitude.is_zero().then_some(zero));
        match special {
            Some(special) => Some(T::Float::of_special(special)),
            None => quotient(&total, &Integer::of_count(self.counts.all), T::UNIT),
        }
    }

    /// Returns the sum in units.
    pub(super) fn integer(&self) -> Integer {
        Integer::of_words(self.total.words())
    }

    pub(super) fn write(&self, to: &mut Writer<'_>) {
        to.counts(&self.counts);
        to.integer_of(self.total.words());
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { counts: from.counts(T::IS_FLOAT)?, total: from.integer()? })
    }
}
state!(Sum { total, counts }, T, |x| x);
