//! Medians and other quantiles, by selection.

use gpu_kernels::IsNan;

use super::interpolate::{Interpolate, Interpolation, between};
use crate::Order;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::float_environment;

impl Cpu {
    /// The number in the middle of the sorted elements: [`quantile`](Self::quantile) 0.5, and so of two in the middle the
    /// one halfway.
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
        self.quantile(x, 0.5, Interpolation::Linear)
    }

    /// One of the [`quantiles`](Self::quantiles).
    ///
    /// # Errors
    /// As [`quantiles`](Self::quantiles).
    pub fn quantile<T: Interpolate>(&self, x: &[T], q: f64, how: Interpolation) -> Result<T::Out, Error> {
        self.quantiles(x, &[q], how)?.pop().ok_or(Error::NoElements)
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
        if x.is_empty() {
            return Err(Error::NoElements);
        }
        if let Some(&q) = qs.iter().find(|q| !(0.0..=1.0).contains(*q)) {
            return Err(Error::Quantile { q });
        }
        if let Some(nan) = T::NAN
            && self.count_if(IsNan, x)? > 0
        {
            return Ok(vec![nan; qs.len()]);
        }
        let wanted: Vec<(usize, f64)> = qs.iter().map(|&q| how.place(x.len(), q)).collect();
        let ends = |&(place, t): &(usize, f64)| [place, place + usize::from(t > 0.0)];
        let mut places: Vec<usize> = wanted.iter().flat_map(ends).collect();
        places.sort_unstable();
        places.dedup();
        let found = self.at_places(x, Order::Ascending, &places)?;
        let at = |place| found[places.partition_point(|&found| found < place)].to_f64();
        Ok(wanted
            .iter()
            .map(|wanted| {
                let [lower, higher] = ends(wanted).map(at);
                T::from_f64(between(lower, higher, wanted.1))
            })
            .collect())
    }
}
