//! Decides whether a plan's results are right, and whether it is better than the default.

use std::fmt::Debug;

use warpfold::{Cpu, Interpolation};

/// Whether two results have the same bits. Their texts tell -0.0 from 0.0 and every number from its neighbours, and NaN have one form.
pub(crate) fn same_bits(found: &impl Debug, right: &impl Debug) -> bool {
    format!("{found:?}") == format!("{right:?}")
}

/// The median must be below this part of the default plan's: a smaller gain is not worth a row, which a new
/// driver makes stale. The quartiles, from rounds in which both take turns, show that a gain is not chance.
const WORTH_IT: f64 = 0.98;

/// Quartiles of timings, in microseconds: a mean would depend on a few interrupted trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) lower: f64,
    pub(crate) median: f64,
    pub(crate) upper: f64,
}

impl Spread {
    /// For timings in any order; `None` if there are none, or if one is not a positive number.
    pub(crate) fn of(timings: &[f64]) -> Option<Self> {
        if !timings.iter().all(|timing| timing.is_finite() && *timing > 0.0) {
            return None;
        }
        let quartiles = Cpu::new().quantiles(timings, &[0.25, 0.5, 0.75], Interpolation::Linear).ok()?;
        let [lower, median, upper] = quartiles.try_into().ok()?;
        Some(Self { lower, median, upper })
    }
}

/// A plan's times by both clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Times {
    /// By graph replay: the device's time.
    pub(crate) graph: Spread,
    /// By stream launches: including the host's time.
    pub(crate) stream: Spread,
}

/// Whether `found` is better than `usual`: faster on the device by more than both spreads, and not slower with
/// the host's launches.
pub(crate) fn is_better(found: Times, usual: Times) -> bool {
    found.graph.median < WORTH_IT * usual.graph.median
        && found.graph.upper < usual.graph.lower
        && found.stream.median <= usual.stream.upper
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpfold::At;

    #[test]
    fn any_bit_makes_a_difference() {
        assert!(!same_bits(&0.0f32, &-0.0f32) && same_bits(&f64::NAN, &f64::NAN) && !same_bits(&1u32, &2u32));
        assert!(!same_bits(&1.0f64, &1.0f64.next_up()) && !same_bits(&0.1f32, &0.1f32.next_down()));
        let at = |value: f32, index| Some(At { value, index });
        assert!(same_bits(&at(1.0, 3), &at(1.0, 3)) && same_bits(&None::<i64>, &None::<i64>));
        for other in [at(1.0, 4), at(-1.0, 3), None] {
            assert!(!same_bits(&at(1.0, 3), &other));
        }
    }

    #[test]
    fn quartiles_of_shuffled_timings() {
        let timings: Vec<f64> = (0..101).map(|i| f64::from(i * 37 % 101) + 1.0).collect();
        assert_eq!(Spread::of(&timings), Some(Spread { lower: 26.0, median: 51.0, upper: 76.0 }));
        assert_eq!(Spread::of(&[4.0, 1.0]), Some(Spread { lower: 1.75, median: 2.5, upper: 3.25 }));
        for nonsense in [&[][..], &[1.0, f64::NAN], &[1.0, f64::INFINITY], &[0.0], &[-1.0, 2.0]] {
            assert_eq!(Spread::of(nonsense), None, "{nonsense:?}");
        }
    }

    #[test]
    fn only_a_clear_gain_is_better() {
        let spread = |lower, median, upper| Spread { lower, median, upper };
        let stream = spread(5.0, 5.1, 5.2);
        let usual = Times { graph: spread(3.95, 4.0, 4.05), stream };
        for (graph, stream, better) in [
            (spread(3.7, 3.8, 3.9), stream, true),
            (spread(3.7, 3.8, 3.9), spread(5.1, 5.2, 5.3), true),
            (spread(3.7, 3.8, 3.9), spread(5.1, 5.21, 5.3), false), // slower by stream launches
            (spread(3.7, 3.8, 3.96), stream, false),                // spreads overlap
            (spread(3.91, 3.93, 3.94), stream, false),              // by less than 2 %
            (usual.graph, stream, false),
        ] {
            assert_eq!(is_better(Times { graph, stream }, usual), better, "{graph:?} {stream:?}");
        }
    }
}
