//! The printed comparison.

use super::record::{Case, Record, Times};
use super::verdict::{Comparison, Pair, Side};
use crate::figures::record::distinct;
use crate::spread::geometric_mean;
use crate::table;

/// The places of measurement; the slower and faster rows; the means; the rows of one side alone.
pub(super) fn text(old: &Side, new: &Side, comparison: &Comparison<'_>) -> String {
    let mut text = origin("old", &old.records) + &origin("new", &new.records);
    let (count, limit) = (comparison.pairs.len(), comparison.limit);
    for (how, pairs) in ["slower", "faster"].into_iter().zip(comparison.changed()) {
        text += &format!("\n{how} by more than {limit} %: {} of {count} rows\n", pairs.len());
        text += &rows(&pairs);
    }
    text += "\ngeometric mean of the new medians by the old ones\n";
    text += &means(comparison);
    for (which, cases) in ["old", "new"].into_iter().zip(&comparison.only) {
        if !cases.is_empty() {
            text += &format!("\nonly in the {which} records: {}\n", cases.len());
            text += &cases.iter().map(|case| name(case) + "\n").collect::<String>();
        }
    }
    text
}

/// The files of a side, and each distinct machine, device and build in them.
fn origin(side: &str, records: &[Record]) -> String {
    let runs = records.iter().map(|record| format!("{side}: {}, {}", record.name, record.run));
    let places = records
        .iter()
        .flat_map(|record| [Some(&record.machine), record.device.as_ref(), Some(&record.build)]);
    let places = places.flatten().map(|place| format!("     {place}"));
    distinct(runs.chain(places)).join("\n") + "\n"
}

fn name(case: &Case) -> String {
    format!("{}, {}: {}", case.set, case.by, case.what)
}

fn rows(pairs: &[&Pair<'_>]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let us = |us: f64| table::microseconds(Some(us));
    let quartiles = |times: &Times| format!("{} to {}", us(times.p25), us(times.p75));
    let line = |pair: &&Pair<'_>| {
        let (old, new) = (&pair.old, &pair.new);
        let ratio = format!("{:.3}", pair.ratio());
        vec![name(pair.case), us(old.median), us(new.median), ratio, quartiles(old), quartiles(new)]
    };
    let headings = ["row", "old us", "new us", "new by old", "old quartiles", "new quartiles"];
    table::text(&headings, &pairs.iter().map(line).collect::<Vec<_>>())
}

fn means(comparison: &Comparison<'_>) -> String {
    let line = |(name, ratios): (String, Vec<f64>)| {
        let mean = geometric_mean(&ratios).map_or_else(|| "-".to_owned(), |mean| format!("{mean:.4}"));
        vec![name, ratios.len().to_string(), mean]
    };
    let lines: Vec<_> = comparison.groups().into_iter().map(line).collect();
    table::text(&["group", "rows", "mean"], &lines)
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::text as record;
    use super::*;

    fn side(name: &str, rows: &[(&str, u64, f64, f64, f64)]) -> Side {
        Side::new(vec![Record::parse(name, &record(rows)).unwrap()])
    }

    #[test]
    fn all_that_differs_is_printed() {
        let old = side(
            "old.csv",
            &[("stream", 1024, 9.0, 10.0, 11.0), ("graph", 1024, 1.0, 1.0, 1.0), ("graph", 5, 1.0, 1.0, 1.0)],
        );
        let new = side(
            "new.csv",
            &[
                ("stream", 1024, 11.5, 12.0, 12.5),
                ("graph", 1024, 0.5, 0.5, 0.5),
                ("graph", 7, 1.0, 1.0, 1.0),
            ],
        );
        let text = text(&old, &new, &Comparison::new(&old, &new, 3.0).unwrap());
        let expected = "\
old: old.csv, 2026-01-02T03:04:05Z  bench gpu --csv a.csv
     A CPU, 16 threads, linux 6
     GPU, 100 multiprocessors, driver 1 (CUDA 13.0)
     warpfold 0.1.0, tree 1, built by rustc 1
new: new.csv, 2026-01-02T03:04:05Z  bench gpu --csv a.csv
     A CPU, 16 threads, linux 6
     GPU, 100 multiprocessors, driver 1 (CUDA 13.0)
     warpfold 0.1.0, tree 1, built by rustc 1

slower by more than 3 %: 1 of 2 rows
row                           old us   new us  new by old    old quartiles     new quartiles
";
        assert!(text.starts_with(expected), "{text}");
        for line in [
            "sizes, stream: sum f32 2^10   10.000   12.000       1.200  9.000 to 11.000  11.500 to 12.500",
            "faster by more than 3 %: 1 of 2 rows",
            "sizes, graph: sum f32 2^10    1.000    0.500       0.500  1.000 to 1.000  0.500 to 0.500",
            "sizes, stream        1   1.2000",
            "sizes, graph         1   0.5000",
            "only in the old records: 1\nsizes, graph: sum f32 5",
            "only in the new records: 1\nsizes, graph: sum f32 7",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn equal_sides_have_no_tables_of_rows() {
        let side = side("a.csv", &[("stream", 1024, 9.0, 10.0, 11.0)]);
        let text = text(&side, &side, &Comparison::new(&side, &side, 3.0).unwrap());
        assert!(
            text.contains("slower by more than 3 %: 0 of 1 rows") && !text.contains("quartiles"),
            "{text}"
        );
        assert!(text.contains("sizes, stream        1   1.0000") && !text.contains("only"), "{text}");
    }
}
