//! Types of 1 and 2 bytes and operators that CUB lacks, compared with a plain sum of as many bytes.

use super::{
    catalogue::PEER,
    record::{OURS, Record, Row, TYPES, Timing},
};
use crate::table::{self, Table};

/// The clocks for these rows.
pub(crate) const CLOCKS: [Timing; 2] = [Timing::Stream, Timing::Graph];

/// Our bandwidth over that of our Sum in the same record.
pub(crate) fn share(records: &[Record], op: &str, element: &str, clock: Timing) -> Option<f64> {
    records.iter().find_map(|record| {
        let base = find(record, "sum", base(op, element), OURS, clock)?;
        Some(find(record, op, element, OURS, clock)?.gigabytes_per_second / base.gigabytes_per_second)
    })
}

/// For every row that the peer has too and every clock, the ratio of its time to ours, with the row's name.
pub(crate) fn ratios(records: &[Record]) -> Vec<(f64, String)> {
    let rows = records.iter().flat_map(|record| record.rows.iter().map(move |row| (record, row)));
    let ratio = |(record, row): (&Record, &Row)| {
        let case = (row.op.as_str(), row.element.as_str(), row.n);
        let mine = row.set == TYPES && row.contender == OURS;
        let ratio = mine.then(|| record.ratio(TYPES, case, PEER, row.clock)).flatten()?;
        Some((ratio, name(&row.op, &row.element, row.clock)))
    };
    rows.filter_map(ratio).collect()
}

/// The name of a row.
pub(crate) fn name(op: &str, element: &str, clock: Timing) -> String {
    format!("{op} {element} {clock}")
}

/// The element whose Sum is the base of a row's share: f32, as in the goals for indices; for the other
/// operators over f64, f64.
fn base(op: &str, element: &str) -> &'static str {
    if element == "f64" && !op.starts_with("arg") { "f64" } else { "f32" }
}

fn find<'r>(record: &'r Record, op: &str, element: &str, contender: &str, clock: Timing) -> Option<&'r Row> {
    record.rows.iter().find(|row| {
        row.set == TYPES
            && row.clock == clock
            && row.op == op
            && row.element == element
            && row.contender == contender
    })
}

/// The headings of [`cells`].
pub(crate) const HEADINGS: [&str; 7] =
    ["at 2^30 bytes", "GB/s stream", "graph", "of Sum's stream", "graph", "x CUB stream", "graph"];

/// The cells of every measured row.
pub(crate) fn cells(records: &[Record]) -> Vec<[String; 7]> {
    let mut lines = Vec::new();
    for record in records {
        let mut seen = Vec::new();
        for row in record.rows.iter().filter(|row| row.set == TYPES) {
            let (op, element) = (row.op.as_str(), row.element.as_str());
            if seen.contains(&(op, element)) {
                continue;
            }
            seen.push((op, element));
            let rate = |clock| {
                find(record, op, element, OURS, clock)
                    .map_or_else(|| "-".into(), |row| format!("{:.0}", row.gigabytes_per_second))
            };
            let share = |clock| {
                let share = share(std::slice::from_ref(record), op, element, clock);
                share.map_or_else(|| "-".into(), |share| format!("{share:.3}"))
            };
            let ratio = |clock| table::ratio(record.ratio(TYPES, (op, element, row.n), PEER, clock));
            let [by_stream, by_graph] = CLOCKS.map(|clock| [rate(clock), share(clock), ratio(clock)]);
            let ([a, c, e], [b, d, f]) = (by_stream, by_graph);
            lines.push([format!("{op} {element}"), a, b, c, d, e, f]);
        }
    }
    lines
}

/// All rows, for the terminal; empty if there are none.
pub(crate) fn table(records: &[Record]) -> String {
    let lines = cells(records);
    if lines.is_empty() {
        return String::new();
    }
    let [first, others @ ..] = HEADINGS;
    let first = format!("{first:<25}");
    let table = Table::new(6, &[[first.as_str()].as_slice(), &others].concat());
    let rows: String = lines.iter().map(|line| table.row(line) + "\n").collect();
    format!("{}\n{rows}", table.header())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::{SIZES, tests::synthetic};

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
        let share = |op, element| share(&records(), op, element, STREAM);
        assert_eq!(share("mean", "f32"), Some(0.8));
        assert_eq!((share("variance", "f64"), share("argmin", "f64")), (Some(0.5), Some(0.5)));
        assert_eq!(share("argmax", "f64"), None);
    }

    #[test]
    fn rows_that_the_peer_has_are_compared_and_all_are_in_the_table() {
        assert_eq!(ratios(&records()), [(0.75, "argmin f64 stream".to_owned())]);
        let text = table(&records()[1..]);
        assert_eq!(text.lines().count(), 2 + 5, "{text}");
        assert!(text.lines().last().is_some_and(|line| line.ends_with(" 0.75       -")), "{text}");
        assert_eq!(table(&[]), "");
    }
}
