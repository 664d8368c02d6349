//! The exact sum of like numbers, in 40 bytes.

use core::fmt;
use core::marker::PhantomData;

use super::counts::{Counts, Kind, Way};
use super::element::{Element, Parts};
use super::long::{Long, product};
use super::sum::Sum;

/// An element, or a state, does not fit a [`Small`]: convert it to a [`Sum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoesNotFit;

impl fmt::Display for DoesNotFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this sum does not fit 127 bits: convert the Small to a Sum, and go on with that")
    }
}

impl core::error::Error for DoesNotFit {}

/// The exact sum of like numbers, in 40 bytes: for many groups at once.
///
/// It holds any finite elements whose sum is an integer of 127 bits times a power of two. For f64 these are, for example, 2^20
/// elements whose magnitudes differ by up to 2^50. What does not fit is refused and changes nothing; the caller then goes on with
/// a [`Sum`].
///
/// ```
/// use warpfold_exact::{DoesNotFit, Small, Sum};
///
/// // Stream.
/// let mut small = Small::new();
/// small.push(0.1)?;
/// small.push(0.2)?;
/// // Fork, merge, take back.
/// let mut fork = small;
/// fork.merge(&small)?;
/// fork.retract(0.1)?;
/// assert_eq!(fork.count(), 3);
/// // What does not fit, a sum holds.
/// assert_eq!(fork.push(1e300), Err(DoesNotFit));
/// let mut sum = Sum::from(fork);
/// sum.push(1e300);
/// sum.retract(1e300);
/// assert_eq!(sum.value(), 0.1 + 0.2 + 0.2);
/// assert_eq!(Small::try_from(sum)?.value(), sum.value());
/// assert_eq!(size_of::<Small<f64>>(), 40);
/// # Ok::<(), DoesNotFit>(())
/// ```
pub struct Small<T: Element> {
    /// An i128 in two words, so that nothing is aligned to 16 bytes.
    window: [u64; 2],
    count: i64,
    negative_zeros: i64,
    /// The power of two that the window is multiplied by, in units.
    place: u32,
    element: PhantomData<T>,
}

/// Bits that are left free below the first element. As many and more are free above it.
const BELOW: u32 = 30;

impl<T: Element> Small<T> {
    /// The sum of no elements.
    pub const EMPTY: Self =
        Self { window: [0; 2], count: 0, negative_zeros: 0, place: 0, element: PhantomData };

    /// Returns the sum of no elements.
    #[must_use]
    pub fn new() -> Self {
        Self::EMPTY
    }

    /// Adds an element.
    ///
    /// # Errors
    /// [`DoesNotFit`], and then nothing has changed.
    #[inline]
    pub fn push(&mut self, x: T) -> Result<(), DoesNotFit> {
        self.change(x, Way::Push)
    }

    /// Takes an element back.
    ///
    /// # Errors
    /// [`DoesNotFit`], and then nothing has changed.
    #[inline]
    pub fn retract(&mut self, x: T) -> Result<(), DoesNotFit> {
        self.change(x, Way::Retract)
    }

    #[inline]
    fn change(&mut self, x: T, way: Way) -> Result<(), DoesNotFit> {
        let kind = x.kind();
        if !kind.is_finite() {
            return Err(DoesNotFit);
        }
        let Parts { magnitude, place, is_negative } = x.parts();
        let magnitude = i128::try_from(magnitude).map_err(|_| DoesNotFit)?;
        let below = if magnitude >> 64 == 0 { BELOW.min(place) } else { 0 };
        let window = if is_negative != (way == Way::Retract) { -magnitude } else { magnitude };
        let negative_zeros = i64::from(kind == Kind::NegativeZero);
        self.add(window << below, place - below, way.of(1), way.of(negative_zeros))
    }

    /// Adds all that `other` has.
    ///
    /// # Errors
    /// [`DoesNotFit`], and then nothing has changed.
    #[inline]
    pub fn merge(&mut self, other: &Self) -> Result<(), DoesNotFit> {
        self.add(other.window(), other.place, other.count, other.negative_zeros)
    }

    /// Takes back all that `other` has.
    ///
    /// # Errors
    /// [`DoesNotFit`], and then nothing has changed.
    #[inline]
    pub fn unmerge(&mut self, other: &Self) -> Result<(), DoesNotFit> {
        let window = other.window().checked_neg().ok_or(DoesNotFit)?;
        self.add(window, other.place, other.count.wrapping_neg(), other.negative_zeros.wrapping_neg())
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.count
    }

    /// Returns the sum: [`Sum::value`].
    #[must_use]
    pub fn value(&self) -> T::Value {
        Sum::from(*self).value()
    }

    #[inline]
    fn add(&mut self, window: i128, place: u32, count: i64, negative_zeros: i64) -> Result<(), DoesNotFit> {
        let here = self.window();
        let sum = if place == self.place { here.checked_add(window).map(|sum| (sum, place)) } else { None };
        let (sum, place) = match sum {
            Some(sum) => sum,
            None => added((here, self.place), (window, place)).ok_or(DoesNotFit)?,
        };
        self.window = [sum as u64, (sum >> 64) as u64];
        self.place = place;
        self.count = self.count.wrapping_add(count);
        self.negative_zeros = self.negative_zeros.wrapping_add(negative_zeros);
        Ok(())
    }

    #[inline]
    fn window(&self) -> i128 {
        (u128::from(self.window[1]) << 64 | u128::from(self.window[0])) as i128
    }
}

/// Returns the sum of two windows at different places, if one window holds it.
fn added(one: (i128, u32), other: (i128, u32)) -> Option<(i128, u32)> {
    let (low, high) = if one.1 < other.1 { (one, other) } else { (other, one) };
    match (low.0, high.0) {
        (_, 0) => return Some(low),
        (0, _) => return Some(high),
        _ => (),
    }
    // The higher one is moved down, as far as there is room above it; then the lower one up, over zeros.
    let distance = high.1 - low.1;
    let room = if high.0 < 0 { high.0.leading_ones() } else { high.0.leading_zeros() } - 1;
    let down = distance.min(room);
    let up = distance - down;
    if up > low.0.trailing_zeros() {
        return None;
    }
    let (high, low, place) = (high.0 << down, low.0 >> up, high.1 - down);
    // A carry out of the window may push out a zero.
    let zeros = (high | low).trailing_zeros().min(1);
    let carried = || Some(((high >> zeros).checked_add(low >> zeros)?, place + zeros));
    high.checked_add(low).map(|sum| (sum, place)).or_else(carried)
}

impl<T: Element> From<Small<T>> for Sum<T> {
    fn from(small: Small<T>) -> Self {
        let mut total = T::Sum::ZERO;
        let window = small.window();
        total.add_magnitude(&product(&[window.unsigned_abs()]), small.place, window < 0);
        let Small { count: all, negative_zeros, .. } = small;
        Self { total, counts: Counts { all, negative_zeros, ..Counts::NONE } }
    }
}

impl<T: Element> TryFrom<Sum<T>> for Small<T> {
    type Error = DoesNotFit;

    /// Returns the same sum, if it fits.
    fn try_from(sum: Sum<T>) -> Result<Self, DoesNotFit> {
        let words = sum.total.words();
        let first = words.iter().position(|&word| word != 0).unwrap_or(0);
        let sign = if words.last().is_some_and(|&top| top >> 31 != 0) { u32::MAX } else { 0 };
        let word = |i: usize| words.get(first + i).copied().unwrap_or(sign);
        // Five words, less the zeros below.
        let zeros = word(0).trailing_zeros() % 32;
        let window = (0..4).rev().fold(0i128, |window, i| {
            let two = u64::from(word(i + 1)) << 32 | u64::from(word(i));
            window << 32 | i128::from((two >> zeros) as u32)
        });
        let small = Self {
            window: [window as u64, (window >> 64) as u64],
            count: sum.counts.all,
            negative_zeros: sum.counts.negative_zeros,
            place: first as u32 * 32 + zeros,
            element: PhantomData,
        };
        if Sum::from(small) == sum { Ok(small) } else { Err(DoesNotFit) }
    }
}

impl<T: Element> fmt::Debug for Small<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Small").field("count", &self.count).finish_non_exhaustive()
    }
}

impl<T: Element> Clone for Small<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element> Copy for Small<T> {}

impl<T: Element> Default for Small<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}
