//! Exact covariance, correlation and regression.

use super::bytes::{BufferTooSmall, Reader, Writer};
use super::counts::Way;
use super::decode_error::DecodeError;
use super::element::Element;
use super::long::{Long, product};
use super::methods::state;
use super::moments::Moments;
use super::natural::Integer;
use super::quotient::{quotient, root_of_quotient};
use super::rounded::Rounded;

/// The moments of pairs and the exact sum of their products, as a state.
///
/// ```
/// use warpfold_exact::Comoments;
///
/// // Stream.
/// let mut line: Comoments<f64> = (0..9).map(|i| (f64::from(i), 1e9 - 2.0 * f64::from(i))).collect();
/// assert_eq!((line.slope(), line.intercept(), line.correlation()), (Some(-2.0), Some(1e9), Some(-1.0)));
/// // Fork, merge, take back.
/// let mut fork = line.clone();
/// fork.merge(&[(9.0, 0.0)].into_iter().collect());
/// assert_ne!(fork, line);
/// fork.retract(9.0, 0.0);
/// assert_eq!(fork, line);
/// assert_eq!(line.sample_covariance(), Some(-15.0));
/// ```
pub struct Comoments<T: Element> {
    x: Moments<T>,
    y: Moments<T>,
    products: T::Product,
}

impl<T: Element> Comoments<T> {
    /// The comoments of no pairs.
    pub const EMPTY: Self = Self { x: Moments::EMPTY, y: Moments::EMPTY, products: T::Product::ZERO };
    const KIND: u8 = 4;
    /// The most bytes that [`encode`](Self::encode) writes.
    pub const MAX_BYTES: usize = 2 * Moments::<T>::MAX_BYTES + Writer::integer(T::Product::BYTES);

    /// Returns the state of `count` pairs with these totals of both elements, of their squares, and of the pairs' products:
    /// [`Sum::of_total`](super::Sum::of_total).
    #[must_use]
    pub fn of_totals(
        [x, y]: [T::Sum; 2],
        [squares_of_x, squares_of_y]: [T::Product; 2],
        mut products: T::Product,
        count: u64,
    ) -> Self {
        products.take_flags();
        let (x, y) = (Moments::of_totals(x, squares_of_x, count), Moments::of_totals(y, squares_of_y, count));
        Self { x, y, products }
    }

    /// Adds a pair.
    #[inline]
    pub fn push(&mut self, x: T, y: T) {
        self.x.push(x);
        self.y.push(y);
        x.add_finite_product(y, &mut self.products, Way::Push);
    }

    /// Takes a pair back.
    #[inline]
    pub fn retract(&mut self, x: T, y: T) {
        self.x.retract(x);
        self.y.retract(y);
        x.add_finite_product(y, &mut self.products, Way::Retract);
    }

    /// Adds a pair `weight` times, or takes it back as often if `weight` is negative.
    pub fn push_weighted(&mut self, x: T, y: T, weight: i64) {
        self.x.push_weighted(x, weight);
        self.y.push_weighted(y, weight);
        if x.kind().is_finite() && y.kind().is_finite() {
            let (x, y) = (x.parts(), y.parts());
            let magnitude = product(&[x.magnitude, y.magnitude, weight.unsigned_abs().into()]);
            let is_negative = (x.is_negative != y.is_negative) != (weight < 0);
            self.products.add_magnitude(&magnitude, x.place + y.place, is_negative);
        }
    }

    /// Adds the pairs of two slices. Elements of the longer slice that have no partner are left out.
    #[inline(always)]
    pub fn extend_from_slices(&mut self, x: &[T], y: &[T]) {
        let pairs = x.len().min(y.len());
        let (x, y) = (&x[..pairs], &y[..pairs]);
        self.x.extend_from_slice(x);
        self.y.extend_from_slice(y);
        T::add_finite_products(x, y, &mut self.products, Way::Push);
    }

    /// Takes the pairs of two slices back.
    #[inline(always)]
    pub fn retract_slices(&mut self, x: &[T], y: &[T]) {
        let pairs = x.len().min(y.len());
        let (x, y) = (&x[..pairs], &y[..pairs]);
        self.x.retract_slice(x);
        self.y.retract_slice(y);
        T::add_finite_products(x, y, &mut self.products, Way::Retract);
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.x.count()
    }

    /// Returns the moments of the first elements of the pairs.
    #[must_use]
    pub fn x(&self) -> &Moments<T> {
        &self.x
    }

    /// Returns the moments of the second elements of the pairs.
    #[must_use]
    pub fn y(&self) -> &Moments<T> {
        &self.y
    }

    /// Returns the mean product of the distances from the means, rounded once.
    ///
    /// `None` if there are no pairs, or more were taken back than pushed. NaN if an element is infinite or NaN.
    #[must_use]
    pub fn covariance(&self) -> Option<T::Float> {
        self.covariance_of(0)
    }

    /// Returns the covariance of what the pairs are a sample of: divided by one less than their number. `None` also for one
    /// pair.
    #[must_use]
    pub fn sample_covariance(&self) -> Option<T::Float> {
        self.covariance_of(1)
    }

    fn covariance_of(&self, less: i64) -> Option<T::Float> {
        let count = self.count();
        if count <= less {
            return None;
        }
        self.of_finite(|| {
            let divisor = Integer::of_count(count).times(&Integer::of_count(count - less));
            quotient(&self.spread(), &divisor, 2 * T::UNIT)
        })
    }

    /// Returns Pearson's correlation, rounded once.
    ///
    /// NaN if an element is infinite or NaN, or a variance is negative. Otherwise `None` if there are no pairs, or all elements of
    /// one kind are equal. It is from -1 to 1, but may be beyond them if pairs were taken back that had not been pushed.
    #[must_use]
    pub fn correlation(&self) -> Option<T::Float> {
        self.of_finite(|| {
            let (x, y) = (self.x.spread(), self.y.spread());
            if x.is_negative || y.is_negative {
                return Some(T::Float::NAN);
            }
            let spread = self.spread();
            let (square, product) = (spread.times(&spread), x.times(&y));
            let root: T::Float = root_of_quotient(&square.magnitude, &product.magnitude, 0)?;
            Some(if spread.is_negative { root.negated() } else { root })
        })
    }

    /// Returns the slope of the line through the pairs by least squares, rounded once. `None` if there are no pairs, or all first
    /// elements are equal. NaN if an element is infinite or NaN.
    #[must_use]
    pub fn slope(&self) -> Option<T::Float> {
        self.of_finite(|| quotient(&self.spread(), &self.x.spread(), 0))
    }

    /// Returns where that line has its second element for a first of zero: the exact one, rounded once, not the one of a rounded
    /// slope. `None` and NaN as for [`slope`](Self::slope).
    #[must_use]
    pub fn intercept(&self) -> Option<T::Float> {
        self.of_finite(|| {
            let spread = self.x.spread();
            let level = self.y.sum.integer().times(&spread);
            let rise = self.spread().times(&self.x.sum.integer());
            let divisor = spread.times(&Integer::of_count(self.count()));
            quotient(&level.minus(&rise), &divisor, T::UNIT)
        })
    }

    /// Returns what `f` returns, if there are pairs, and all elements are finite.
    fn of_finite(&self, f: impl Fn() -> Option<T::Float>) -> Option<T::Float> {
        if self.count() <= 0 {
            return None;
        }
        let are_finite = self.x.sum.counts.are_finite() && self.y.sum.counts.are_finite();
        if are_finite { f() } else { Some(T::Float::NAN) }
    }

    /// Returns the number of pairs times the sum of the products of distances from the means, in units.
    fn spread(&self) -> Integer {
        let products = Integer::of_words(self.products.words());
        let of_sums = self.x.sum.integer().times(&self.y.sum.integer());
        Integer::of_count(self.count()).times(&products).minus(&of_sums)
    }

    fn write(&self, to: &mut Writer<'_>) {
        self.x.write(to);
        self.y.write(to);
        to.integer_of(self.products.words());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (x, y) = (Moments::read(from)?, Moments::read(from)?);
        if x.count() != y.count() {
            return Err(DecodeError::NotCanonical);
        }
        Ok(Self { x, y, products: from.integer()? })
    }
}
state!(Comoments { x, y, products }, (T, T), |(x, y)| x, y);
