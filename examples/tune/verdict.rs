//! Decides whether a plan is better than the default.

use crate::spread::Spread;

/// The median must be below this part of the default plan's: a smaller gain is not worth a row, which a new
/// driver makes stale. The quartiles, from rounds in which both take turns, show that a gain is not chance.
const WORTH_IT: f64 = 0.98;

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

    fn spread(lower: f64, median: f64, upper: f64) -> Spread {
        Spread { lower, median, upper }
    }

    #[test]
    fn only_a_clear_gain_is_better() {
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
