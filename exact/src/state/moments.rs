//! Exact mean, variance and deviation.

use super::bytes::{BufferTooSmall, Reader, Writer};
use super::counts::Way;
use super::decode_error::DecodeError;
use super::element::Element;
use super::long::{Long, product};
use super::methods::state;
use super::natural::Integer;
use super::quotient::{quotient, root_of_quotient};
use super::rounded::Rounded;
use super::sum::Sum;

/// The count, the exact sum and the exact sum of squares of elements, as a state.
///
/// Each result is the exact one of these elements, rounded once. So mean, variance and deviation belong together, however large
/// the mean is beside the deviation.
///
/// ```
/// use warpfold_exact::Moments;
///
/// // Stream.
/// let mut moments = Moments::new();
/// moments.extend_from_slice(&[1e9f64 + 1.0, 1e9 + 2.0, 1e9 + 3.0]);
/// assert_eq!((moments.mean(), moments.sample_variance()), (Some(1e9 + 2.0), Some(1.0)));
/// // Fork, merge, take back.
/// let mut fork = moments.clone();
/// fork.merge(&[1e9 + 4.0, f64::NAN].into_iter().collect());
/// assert!(fork.std_dev().is_some_and(f64::is_nan));
/// fork.retract(f64::NAN);
/// fork.retract(1e9 + 1.0);
/// assert_eq!((fork.count(), fork.mean(), fork.sample_std_dev()), (3, Some(1e9 + 3.0), Some(1.0)));
/// ```
pub struct Moments<T: Element> {
    pub(super) sum: Sum<T>,
    pub(super) squares: T::Product,
}

impl<T: Element> Moments<T> {
    /// The moments of no elements.
    pub const EMPTY: Self = Self { sum: Sum::EMPTY, squares: T::Product::ZERO };
    const KIND: u8 = 3;
    /// The most bytes that [`encode`](Self::encode) writes.
    pub const MAX_BYTES: usize = Sum::<T>::MAX_BYTES + Writer::integer(T::Product::BYTES);

    /// Returns the state of `count` elements with these totals of them and of their squares: [`Sum::of_total`].
    #[must_use]
    pub fn of_totals(total: T::Sum, mut squares: T::Product, count: u64) -> Self {
        // The flags of `total` say which elements were infinite or NaN.
        squares.take_flags();
        Self { sum: Sum::of_total(total, count), squares }
    }

    /// Adds an element.
    #[inline]
    pub fn push(&mut self, x: T) {
        self.sum.push(x);
        x.add_finite_product(x, &mut self.squares, Way::Push);
    }

    /// Takes an element back.
    #[inline]
    pub fn retract(&mut self, x: T) {
        self.sum.retract(x);
        x.add_finite_product(x, &mut self.squares, Way::Retract);
    }

    /// Adds an element `weight` times, or takes it back as often if `weight` is negative.
    pub fn push_weighted(&mut self, x: T, weight: i64) {
        self.sum.push_weighted(x, weight);
        if x.kind().is_finite() {
            let parts = x.parts();
            let square = product(&[parts.magnitude, parts.magnitude, weight.unsigned_abs().into()]);
            self.squares.add_magnitude(&square, 2 * parts.place, weight < 0);
        }
    }

    /// Adds the elements of a slice, which is faster than one by one.
    #[inline(always)]
    pub fn extend_from_slice(&mut self, x: &[T]) {
        self.sum.extend_from_slice(x);
        T::add_finite_products(x, x, &mut self.squares, Way::Push);
    }

    /// Takes the elements of a slice back.
    #[inline(always)]
    pub fn retract_slice(&mut self, x: &[T]) {
        self.sum.retract_slice(x);
        T::add_finite_products(x, x, &mut self.squares, Way::Retract);
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.sum.count()
    }

    /// Returns the sum: [`Sum::value`].
    #[must_use]
    pub fn sum(&self) -> T::Value {
        self.sum.value()
    }

    /// Returns the mean: [`Sum::mean`].
    #[must_use]
    pub fn mean(&self) -> Option<T::Float> {
        self.sum.mean()
    }

    /// Returns the mean squared distance from the mean, rounded once.
    ///
    /// `None` if there are no elements, or more were taken back than pushed. NaN if an element is infinite or NaN. If elements
    /// were taken back that had not been pushed, it may be negative.
    #[must_use]
    pub fn variance(&self) -> Option<T::Float> {
        self.of_spread(0, |spread, divisor| quotient(spread, divisor, 2 * T::UNIT))
    }

    /// Returns the variance of what the elements are a sample of: divided by one less than their number. `None` also for one
    /// element.
    #[must_use]
    pub fn sample_variance(&self) -> Option<T::Float> {
        self.of_spread(1, |spread, divisor| quotient(spread, divisor, 2 * T::UNIT))
    }

    /// Returns the root of the exact variance, rounded once; NaN if the variance is negative.
    #[must_use]
    pub fn std_dev(&self) -> Option<T::Float> {
        self.of_spread(0, root::<T>)
    }

    /// Returns the root of the exact sample variance, rounded once; NaN if the variance is negative.
    #[must_use]
    pub fn sample_std_dev(&self) -> Option<T::Float> {
        self.of_spread(1, root::<T>)
    }

    /// Returns what `f` makes of the spread and of what the variance divides it by, for `less` fewer elements.
    fn of_spread(&self, less: i64, f: impl Fn(&Integer, &Integer) -> Option<T::Float>) -> Option<T::Float> {
        let count = self.count();
        if count <= less {
            return None;
        }
        if !self.sum.counts.are_finite() {
            return Some(T::Float::NAN);
        }
        let divisor = Integer::of_count(count).times(&Integer::of_count(count - less));
        f(&self.spread(), &divisor)
    }

    /// Returns the number of elements times the sum of their squared distances from the mean, in units.
    pub(super) fn spread(&self) -> Integer {
        let sum = self.sum.integer();
        let squares = Integer::of_words(self.squares.words());
        Integer::of_count(self.count()).times(&squares).minus(&sum.times(&sum))
    }

    pub(super) fn write(&self, to: &mut Writer<'_>) {
        self.sum.write(to);
        to.integer_of(self.squares.words());
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { sum: Sum::read(from)?, squares: from.integer()? })
    }
}
state!(Moments { sum, squares }, T, |x| x);

/// Returns the root of a variance.
fn root<T: Element>(spread: &Integer, divisor: &Integer) -> Option<T::Float> {
    if spread.is_negative {
        return Some(T::Float::NAN);
    }
    root_of_quotient(&spread.magnitude, &divisor.magnitude, T::UNIT)
}
