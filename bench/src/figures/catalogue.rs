//! Every operator and type against CUB: one mean, and the slowest rows.

use super::record::{CATALOGUE, OURS, Record, Timing};
use crate::{spread::geometric_mean, table};

/// The peer that the catalogue is measured against.
pub(crate) const PEER: &str = "CUB";

/// A row that CUB has too.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Compared {
    /// `argmax f64 2^13`.
    pub name: String,
    /// CUB's time over ours.
    pub ratio: f64,
}

/// The catalogue by one clock.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Catalogue {
    /// The clock.
    pub clock: Timing,
    /// Slowest against CUB first.
    pub rows: Vec<Compared>,
    /// Geometric mean of the ratios.
    pub mean: f64,
}

impl Catalogue {
    /// The catalogue of `records` by this clock; `None` if there are no rows.
    pub(crate) fn of(records: &[Record], clock: Timing) -> Option<Self> {
        let record = records.iter().find(|record| record.rows.iter().any(|row| row.set == CATALOGUE))?;
        let ours = record
            .rows
            .iter()
            .filter(|row| row.set == CATALOGUE && row.contender == OURS && row.clock == clock);
        let mut rows: Vec<Compared> = ours
            .filter_map(|row| {
                let ratio =
                    record.ratio(CATALOGUE, (row.op.as_str(), row.element.as_str(), row.n), PEER, clock)?;
                let name = format!("{} {} {}", row.op, row.element, table::elements(row.n));
                Some(Compared { name, ratio })
            })
            .collect();
        rows.sort_by(|left, right| left.ratio.total_cmp(&right.ratio));
        let mean = geometric_mean(&rows.iter().map(|row| row.ratio).collect::<Vec<_>>())?;
        Some(Self { clock, rows, mean })
    }

    /// The number of rows slower than CUB.
    pub(crate) fn under_one(&self) -> usize {
        self.rows.iter().filter(|row| row.ratio < 1.0).count()
    }

    /// The `count` slowest rows against CUB, as `argmax f64 2^13 0.98, ...`.
    pub(crate) fn worst(&self, count: usize) -> String {
        let worst = self.rows.iter().take(count).map(|row| format!("{} {:.3}", row.name, row.ratio));
        worst.collect::<Vec<_>>().join(", ")
    }
}

/// A summary of the catalogue in `records`, one line per clock.
pub(crate) fn summary(records: &[Record]) -> String {
    let mut text = String::new();
    for catalogue in Timing::ALL.into_iter().filter_map(|clock| Catalogue::of(records, clock)) {
        text += &format!(
            "catalogue by {}: {} rows that {PEER} has too, geometric mean {:.3}, {} under 1.0; worst: {}\n",
            catalogue.clock,
            catalogue.rows.len(),
            catalogue.mean,
            catalogue.under_one(),
            catalogue.worst(8)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::{SIZES, tests::synthetic};

    #[test]
    fn rows_without_a_peer_and_other_sets_do_not_count() {
        let stream = Timing::Stream;
        let record = synthetic(&[
            (CATALOGUE, "sum", "f32", 14, OURS, stream, 2.0),
            (CATALOGUE, "sum", "f32", 14, PEER, stream, 8.0),
            (CATALOGUE, "max", "i64", 13, OURS, stream, 2.0),
            (CATALOGUE, "max", "i64", 13, PEER, stream, 1.0),
            (CATALOGUE, "max", "i64", 13, "PyTorch", stream, 9.0),
            (CATALOGUE, "min", "i64", 13, OURS, stream, 2.0),
            (CATALOGUE, "sum", "f32", 14, OURS, Timing::Graph, 2.0),
            (SIZES, "sum", "f64", 14, OURS, stream, 2.0),
            (SIZES, "sum", "f64", 14, PEER, stream, 200.0),
        ]);
        let records = [synthetic(&[]), record];
        let catalogue = Catalogue::of(&records, stream).unwrap();
        assert_eq!(catalogue.worst(1), "max i64 2^13 0.500");
        assert_eq!((catalogue.rows.len(), catalogue.under_one()), (2, 1));
        assert!((catalogue.mean - 2.0_f64.sqrt()).abs() < 1e-12, "{}", catalogue.mean);
        assert_eq!(Catalogue::of(&records, Timing::Graph), None);
        assert_eq!(summary(&records).lines().count(), 1);
        assert_eq!(summary(&[]), "");
    }
}
