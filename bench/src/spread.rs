//! Order statistics of many timings.

use serde::{Deserialize, Serialize};

/// Order statistics of repeated timings, in microseconds. Medians are compared, because a mean would depend on
/// a few interrupted trials.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Spread {
    /// The minimum.
    pub min: f64,
    /// The first quartile.
    pub p25: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub p75: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The number of trials.
    pub trials: usize,
}

impl Spread {
    /// For `samples` in any order; `None` if there are none or one of them is not a number.
    pub(crate) fn of(samples: &[f64]) -> Option<Self> {
        if samples.iter().any(|sample| sample.is_nan()) {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            min: *sorted.first()?,
            p25: quantile(&sorted, 0.25)?,
            median: quantile(&sorted, 0.5)?,
            p75: quantile(&sorted, 0.75)?,
            p99: quantile(&sorted, 0.99)?,
            trials: sorted.len(),
        })
    }

    /// The bandwidth for `bytes` moved in the median time, in 10^9 bytes per second.
    pub(crate) fn gigabytes_per_second(&self, bytes: u64) -> f64 {
        bytes as f64 / self.median / 1e3
    }
}

/// The `q`-quantile of ascending samples, with linear interpolation.
fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let position = q * sorted.len().checked_sub(1)? as f64;
    let (below, between) = (position.floor() as usize, position.fract());
    let low = *sorted.get(below)?;
    let high = sorted.get(below + 1).copied().unwrap_or(low);
    Some(low + between * (high - low))
}

/// The geometric mean of ratios; `None` if there are none.
pub(crate) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logs / ratios.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_statistics_of_shuffled_samples() {
        let samples: Vec<f64> = (0..101).map(|i| f64::from(i * 37 % 101)).collect();
        let spread = Spread::of(&samples).unwrap();
        assert_eq!((spread.min, spread.p25, spread.median), (0.0, 25.0, 50.0));
        assert_eq!((spread.p75, spread.p99, spread.trials), (75.0, 99.0, 101));
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let spread = Spread::of(&[4.0, 1.0]).unwrap();
        assert_eq!((spread.min, spread.p25, spread.median, spread.p75), (1.0, 1.75, 2.5, 3.25));
        assert_eq!(Spread::of(&[7.0]).unwrap().p99, 7.0);
    }

    #[test]
    fn nothing_and_nan_have_no_spread() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn bandwidth_is_of_the_median() {
        let spread = Spread::of(&[1.0, 2.0, 100.0]).unwrap();
        assert_eq!(spread.gigabytes_per_second(8000), 4.0);
    }

    #[test]
    fn geometric_mean_of_inverse_ratios_is_one() {
        assert!((geometric_mean(&[2.0, 0.5, 8.0, 0.125]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
    }
}
