//! Medians and other quantiles, by selection.

use gpu_kernels::IsNan;

use super::interpolate::{Interpolate, Interpolation, between};
use crate::Order;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::float_environment;
use crate::memory;

impl Cpu {
    /// Returns the middle of the sorted elements, or the midpoint of the two middle ones: the linear
    /// [quantile](Self::quantiles) 0.5.
    ///
    /// # Errors
    /// As [`quantiles`](Self::quantiles).
    ///
    /// ```
    /// use warpfold::Cpu;
    ///
    /// assert_eq!(Cpu::new().median(&[5.0_f32, 1.0, 2.0])?, 2.0);
    /// assert_eq!(Cpu::new().median(&[1_u8, 2, 3, 4])?, 2.5);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn median<T: Interpolate>(&self, x: &[T]) -> Result<T::Out, Error> {
        self.quantiles(x, &[0.5], Interpolation::Linear)?.pop().ok_or(Error::NoElements)
    }

    /// Returns quantiles of the elements, as [`Interpolation`] defines them: 0 is the least element, 1 the greatest. If
    /// an element is NaN, each quantile is the canonical NaN; in [`NanGreatest`](crate::NanGreatest), which sorts NaNs behind
    /// the numbers as polars does, only a quantile that lies among NaNs. Values between two elements are computed in f64 and
    /// rounded once to the result's type. Works by selection: it reads `x` a few times for each quantile, and sorts
    /// only for many quantiles.
    ///
    /// # Errors
    /// [`Error::NoElements`] for empty input; [`Error::Quantile`] if a quantile is not from 0 to 1;
    /// [`Error::TooManyResults`] if there is not enough memory for the elements that are compared, up to a copy of all; otherwise as
    /// [`reduce`](Self::reduce).
    ///
    /// ```
    /// use warpfold::{Cpu, Interpolation};
    ///
    /// let x = [40, 10, 30, 20];
    /// assert_eq!(Cpu::new().quantiles(&x, &[0.0, 0.25, 1.0], Interpolation::Linear)?, [10.0, 17.5, 40.0]);
    /// assert_eq!(Cpu::new().quantiles(&x, &[0.25], Interpolation::Lower)?, [10.0]);
    ///
    /// let x = [f32::NAN, 1.0, 2.0, -f32::NAN, 3.0];
    /// assert!(Cpu::new().median(&x)?.is_nan());
    /// assert_eq!(Cpu::new().median(warpfold::NanGreatest::wrap_slice(&x))?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn quantiles<T: Interpolate>(
        &self,
        x: &[T],
        qs: &[f64],
        how: Interpolation,
    ) -> Result<Vec<T::Out>, Error> {
        float_environment::check()?;
        let wanted = Quantiles::new(x.len(), qs, how)?;
        if let Some(nan) = T::NAN
            && self.count(IsNan, x)? > 0
        {
            return memory::filled(nan, qs.len());
        }
        wanted.between(&self.at_positions(x, Order::Ascending, wanted.positions())?)
    }
}

/// Requested quantiles, and the positions of their neighbours.
pub(crate) struct Quantiles {
    /// The position of each quantile's lower neighbour, and the fraction of the way to the next position.
    wanted: Vec<(usize, f64)>,
    positions: Vec<usize>,
}

impl Quantiles {
    /// Finds the positions of quantiles of `n` elements. Fails if `n` is 0 or a quantile is not from 0 to 1, or without memory.
    pub(crate) fn new(n: usize, qs: &[f64], how: Interpolation) -> Result<Self, Error> {
        if n == 0 {
            return Err(Error::NoElements);
        }
        if let Some(&q) = qs.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(Error::Quantile { q });
        }
        let wanted = memory::collected(qs.iter().map(|&q| how.position(n, q)))?;
        let mut positions = memory::collected(wanted.iter().flat_map(ends))?;
        positions.sort_unstable();
        positions.dedup();
        Ok(Self { wanted, positions })
    }

    /// Returns the positions, in ascending order.
    pub(crate) fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// Returns the values of the quantiles, from the elements at the positions.
    pub(crate) fn between<T: Interpolate>(&self, found: &[T]) -> Result<Vec<T::Out>, Error> {
        let at = |position| found[self.positions.partition_point(|&found| found < position)].to_f64();
        let number = |wanted: &(usize, f64)| {
            let [lower, higher] = ends(wanted).map(at);
            T::from_f64(between(lower, higher, wanted.1))
        };
        memory::collected(self.wanted.iter().map(number))
    }
}

/// Returns the positions of a quantile's two neighbours, or of the element that it equals, twice.
fn ends(&(position, t): &(usize, f64)) -> [usize; 2] {
    [position, position + usize::from(t > 0.0)]
}
