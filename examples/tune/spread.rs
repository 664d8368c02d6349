//! Order statistics of many timings: a mean would depend on a few interrupted trials.

/// Quartiles of timings, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) lower: f64,
    pub(crate) median: f64,
    pub(crate) upper: f64,
}

impl Spread {
    /// For timings in any order; `None` if there are none, or if one is not a positive number.
    pub(crate) fn of(timings: &[f64]) -> Option<Self> {
        if timings.is_empty() || !timings.iter().all(|timing| timing.is_finite() && *timing > 0.0) {
            return None;
        }
        let mut sorted = timings.to_vec();
        sorted.sort_by(f64::total_cmp);
        let quantile = |q: f64| {
            // Linear interpolation between neighbours.
            let position = q * (sorted.len() - 1) as f64;
            let low = *sorted.get(position as usize)?;
            let high = sorted.get(position as usize + 1).copied().unwrap_or(low);
            Some(low + position.fract() * (high - low))
        };
        Some(Self { lower: quantile(0.25)?, median: quantile(0.5)?, upper: quantile(0.75)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_of_shuffled_timings() {
        let timings: Vec<f64> = (0..101).map(|i| f64::from(i * 37 % 101) + 1.0).collect();
        assert_eq!(Spread::of(&timings), Some(Spread { lower: 26.0, median: 51.0, upper: 76.0 }));
        assert_eq!(Spread::of(&[4.0, 1.0]), Some(Spread { lower: 1.75, median: 2.5, upper: 3.25 }));
        for nonsense in [&[][..], &[1.0, f64::NAN], &[1.0, f64::INFINITY], &[0.0], &[-1.0, 2.0]] {
            assert_eq!(Spread::of(nonsense), None, "{nonsense:?}");
        }
    }
}
