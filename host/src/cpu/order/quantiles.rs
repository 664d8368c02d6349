//! Medians and other quantiles, by selection.

use gpu_kernels::IsNan;

use super::interpolate::{Interpolate, Interpolation, between};
use crate::Order;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::float_environment;

impl Cpu {
    /// The number in the middle of the sorted elements, and of two in the middle the one halfway: the linear
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

    /// Quantiles of the elements, as [`Interpolation`] defines them: of 0 the least, of 1 the greatest. If an element is
    /// NaN, each is the canonical NaN. What lies between two elements is computed in f64 and rounded once to the result's
    /// type. Found by selection: `x` is read a few times for each, and sorted only if they are many.
    ///
    /// # Errors
    /// [`Error::NoElements`] if there are none; [`Error::Quantile`] if one asked for is not from 0 to 1; otherwise as
    /// [`reduce`](Self::reduce).
    ///
    /// ```
    /// use warpfold::{Cpu, Interpolation};
    ///
    /// let x = [40, 10, 30, 20];
    /// assert_eq!(Cpu::new().quantiles(&x, &[0.0, 0.25, 1.0], Interpolation::Linear)?, [10.0, 17.5, 40.0]);
    /// assert_eq!(Cpu::new().quantiles(&x, &[0.25], Interpolation::Lower)?, [10.0]);
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
            return Ok(vec![nan; qs.len()]);
        }
        Ok(wanted.between(&self.at_places(x, Order::Ascending, wanted.places())))
    }
}

/// Quantiles that are asked for, and the places of the elements that they are between.
pub(crate) struct Quantiles {
    /// The place of the lower element of each, and how far it is from that towards the next one.
    wanted: Vec<(usize, f64)>,
    places: Vec<usize>,
}

impl Quantiles {
    /// Those of `n` elements. Fails if there are none, or one asked for is not from 0 to 1.
    pub(crate) fn new(n: usize, qs: &[f64], how: Interpolation) -> Result<Self, Error> {
        if n == 0 {
            return Err(Error::NoElements);
        }
        if let Some(&q) = qs.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(Error::Quantile { q });
        }
        let wanted: Vec<(usize, f64)> = qs.iter().map(|&q| how.place(n, q)).collect();
        let mut places: Vec<usize> = wanted.iter().flat_map(ends).collect();
        places.sort_unstable();
        places.dedup();
        Ok(Self { wanted, places })
    }

    /// The places, which ascend.
    pub(crate) fn places(&self) -> &[usize] {
        &self.places
    }

    /// The numbers asked for, by the elements at the places.
    pub(crate) fn between<T: Interpolate>(&self, found: &[T]) -> Vec<T::Out> {
        let at = |place| found[self.places.partition_point(|&found| found < place)].to_f64();
        let number = |wanted: &(usize, f64)| {
            let [lower, higher] = ends(wanted).map(at);
            T::from_f64(between(lower, higher, wanted.1))
        };
        self.wanted.iter().map(number).collect()
    }
}

/// The places of the two elements that a quantile is between, or of the one that it is.
fn ends(&(place, t): &(usize, f64)) -> [usize; 2] {
    [place, place + usize::from(t > 0.0)]
}
