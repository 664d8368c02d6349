//! When a plan is better than the usual one.

use crate::spread::Spread;

/// What the median must be below, as a part of the usual plan's: less is not worth a row, which a change of driver makes
/// stale. That it is no chance is for the quartiles to show, of rounds in which both take turns.
const WORTH_IT: f64 = 0.98;

/// A plan's times by both clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Times {
    /// By graph replay: the device's own time.
    pub(crate) graph: Spread,
    /// By stream launches: with the host's.
    pub(crate) stream: Spread,
}

/// Whether `found` is better than `usual`: faster on the device by more than both spread, and no slower where the host's
/// launches count.
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
