//! Types of 1 and 2 bytes and operators that CUB lacks, compared with a plain sum of as many bytes.

use super::{
    catalogue::PEER,
    record::{Record, Row, TYPES, Timing, distinct},
};
use crate::table;

/// The clocks for these rows.
pub(crate) const CLOCKS: [Timing; 2] = [Timing::Stream, Timing::Graph];

/// For each of our rows its name, and its bandwidth divided by our Sum's in the same record.
pub(crate) fn shares(records: &[Record], wanted: impl Fn(&str, &str) -> bool) -> Vec<(f64, String)> {
    let shares = rows(records).filter(|(_, row)| wanted(&row.op, &row.element));
    shares.filter_map(|(record, row)| Some((share(record, row)?, name(row)))).collect()
}

/// For each of our rows that the peer has too its name, and the ratio of the peer's time to ours.
pub(crate) fn ratios(records: &[Record]) -> Vec<(f64, String)> {
    rows(records).filter_map(|(record, row)| Some((record.ratio(row, PEER)?, name(row)))).collect()
}

fn rows(records: &[Record]) -> impl Iterator<Item = (&Record, &Row)> {
    let by = |record, clock| Record::ours(record, TYPES, clock).map(move |row| (record, row));
    records.iter().flat_map(move |record| CLOCKS.into_iter().flat_map(move |clock| by(record, clock)))
}

fn name(row: &Row) -> String {
    format!("{} {} {}", row.op, row.element, row.clock)
}

/// The base is the Sum of f32, as in the goals for indices; for the other operators over f64, of f64.
fn share(record: &Record, row: &Row) -> Option<f64> {
    let base = if row.element == "f64" && !row.op.starts_with("arg") { "f64" } else { "f32" };
    let sum = record.ours(TYPES, row.clock).find(|row| row.op == "sum" && row.element == base)?;
    Some(row.gigabytes_per_second / sum.gigabytes_per_second)
}

/// The headings of [`cells`].
pub(crate) const HEADINGS: [&str; 7] =
    ["at 2^30 bytes", "GB/s stream", "graph", "of Sum's stream", "graph", "x CUB stream", "graph"];

/// The cells of every measured row.
pub(crate) fn cells(records: &[Record]) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for record in records {
        let of_types = record.rows.iter().filter(|row| row.set == TYPES);
        for (op, element) in distinct(of_types.map(|row| (&row.op, &row.element))) {
            let ours = CLOCKS
                .map(|clock| record.ours(TYPES, clock).find(|row| (&row.op, &row.element) == (op, element)));
            let cell = |figure: Option<String>| figure.unwrap_or_else(|| "-".into());
            let mut line = vec![format!("{op} {element}")];
            line.extend(ours.map(|row| cell(row.map(|row| format!("{:.0}", row.gigabytes_per_second)))));
            line.extend(
                ours.map(|row| cell(row.and_then(|row| Some(format!("{:.3}", share(record, row)?))))),
            );
            line.extend(ours.map(|row| table::ratio(row.and_then(|row| record.ratio(row, PEER)))));
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::{OURS, SIZES, tests::synthetic};

    const STREAM: Timing = Timing::Stream;

    fn records() -> [Record; 2] {
        // Sums of f32 at another size or in another record do not count.
        let other = synthetic(&[(TYPES, "sum", "f32", 28, OURS, STREAM, 1.0)]);
        let record = synthetic(&[
            (SIZES, "sum", "f32", 28, OURS, STREAM, 1.0),
            (TYPES, "sum", "f32", 28, OURS, STREAM, 4.0),
            (TYPES, "sum", "f64", 27, OURS, STREAM, 5.0),
            (TYPES, "mean", "f32", 28, OURS, STREAM, 5.0),
            (TYPES, "variance", "f64", 27, OURS, STREAM, 10.0),
            (TYPES, "argmin", "f64", 27, OURS, STREAM, 8.0),
            (TYPES, "argmin", "f64", 27, PEER, STREAM, 6.0),
        ]);
        [other, record]
    }

    #[test]
    fn a_share_is_of_the_sum_in_the_same_record() {
        let share = |op, element| -> Vec<f64> {
            shares(&records(), |of, over| (of, over) == (op, element)).into_iter().map(|row| row.0).collect()
        };
        assert_eq!((share("mean", "f32"), share("argmax", "f64")), (vec![0.8], vec![]));
        assert_eq!((share("variance", "f64"), share("argmin", "f64")), (vec![0.5], vec![0.5]));
    }

    #[test]
    fn rows_that_the_peer_has_are_compared_and_all_are_in_the_table() {
        assert_eq!(ratios(&records()), [(0.75, "argmin f64 stream".to_owned())]);
        let cells = cells(&records()[1..]);
        assert_eq!(cells.len(), 5, "{cells:?}");
        assert_eq!(cells.last().map(|row| row[5..].join(" ")).as_deref(), Some("0.75 -"));
    }
}
