//! Every operator and type against CUB: one mean, and the slowest rows.

use super::record::{CATALOGUE, Record, Timing};
use crate::spread::geometric_mean;

/// The peer that the catalogue is measured against.
pub(crate) const PEER: &str = "CUB";

/// CUB's time over ours for each row of the catalogue by this clock, with the row's name; the slowest against CUB first.
pub(crate) fn ratios(records: &[Record], clock: Timing) -> Vec<(f64, String)> {
    let held = |record: &&Record| record.rows.iter().any(|row| row.set == CATALOGUE);
    let Some(record) = records.iter().find(held) else { return Vec::new() };
    let ours = record.ours(CATALOGUE, clock);
    let mut ratios: Vec<_> = ours.filter_map(|row| Some((record.ratio(row, PEER)?, row.name()))).collect();
    ratios.sort_by(|left, right| left.0.total_cmp(&right.0));
    ratios
}

/// A summary for each clock, with as many of the slowest rows.
pub(crate) fn summaries(records: &[Record], slowest: usize) -> Vec<String> {
    let summary = |clock| {
        let rows = ratios(records, clock);
        let mean = geometric_mean(&rows.iter().map(|row| row.0).collect::<Vec<_>>())?;
        let under = rows.iter().filter(|row| row.0 < 1.0).count();
        let worst = rows.iter().take(slowest).map(|(ratio, name)| format!("{name} {ratio:.3}"));
        Some(format!(
            "By {clock}, {} rows: geometric mean {mean:.3}; {under} under 1. Slowest against {PEER}: {}.\n",
            rows.len(),
            worst.collect::<Vec<_>>().join(", ")
        ))
    };
    Timing::ALL.into_iter().filter_map(summary).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::{OURS, SIZES, tests::synthetic};

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
        let told = summaries(&[synthetic(&[]), record], 1);
        let expected =
            "By stream, 2 rows: geometric mean 1.414; 1 under 1. Slowest against CUB: max i64 2^13 0.500.\n";
        assert_eq!(told, [expected]);
        assert!(summaries(&[], 1).is_empty());
    }
}
