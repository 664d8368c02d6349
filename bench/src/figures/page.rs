//! The generated part of docs/performance.md: goals, tables and pictures, between two marks.

use std::{fs, path::Path};

use super::{
    catalogue::{self, PEER},
    chart::{self, Drawn},
    goals,
    record::{CATALOGUE, OURS, Record, Row, SIZES, Timing, distinct},
    types::{self, CLOCKS},
};
use crate::{Outcome, spread::geometric_mean, table};

/// The file.
const PAGE: &str = "performance.md";
/// The folder of its pictures, beside it.
const PICTURES: &str = "performance";
/// The mark before the generated part.
const BEGIN: &str = "<!-- `bench report` writes from here -->";
/// The mark after it.
const END: &str = "<!-- to here -->";

/// Replaces the generated part of `folder`/performance.md and the pictures in `folder`/performance/.
pub(crate) fn refresh(records: &[Record], folder: &Path) -> Outcome<()> {
    let path = folder.join(PAGE);
    let page = fs::read_to_string(&path).map_err(|cause| format!("{}: {cause}", path.display()))?;
    // First, so that a page without marks is unchanged, and its pictures too.
    let (before, after) = around(&page).map_err(|reason| format!("{}: {reason}", path.display()))?;
    let pictures = chart::draw(records, &folder.join(PICTURES))?;
    let page = format!("{before}{BEGIN}\n\n{}\n{END}{after}", generated(records, &pictures));
    Ok(fs::write(&path, page).map_err(|cause| format!("{}: {cause}", path.display()))?)
}

/// The text before and after the generated part.
fn around(page: &str) -> Outcome<(&str, &str)> {
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    Ok(parts.ok_or_else(|| format!("has no lines {BEGIN:?} and {END:?} around its generated part"))?)
}

fn generated(records: &[Record], pictures: &[Drawn]) -> String {
    let mut text = String::from("## Measured\n\n");
    for record in records {
        text += &format!(
            "- {}: {}. warpfold {}, tree {}, {}. `{}`\n",
            record.machine.date.get(..10).unwrap_or_default(),
            record.versions,
            record.machine.warpfold,
            record.machine.tree,
            record.machine.rustc,
            record.machine.command
        );
    }
    if let Some(limits) = records.iter().find_map(|record| record.limits.as_ref()) {
        text += &format!("- {limits}.\n");
    }
    for Drawn { file, title } in pictures {
        text += &format!("\n![{title}]({PICTURES}/{file})\n");
    }
    text.extend(Timing::ALL.into_iter().map(|clock| sums(records, clock)));
    text += &types(records);
    text += &operators(records);
    let heading = "Every type: bandwidth at 2^30 bytes, its share of Sum's, and CUB's time over warpfold's";
    text += &part(heading, &types::HEADINGS, &types::cells(records));
    text += "\n### Goals\n\nThe row that decides stands beside each figure.\n\n";
    text += "| goal | wanted | measured | at | |\n|---|---|---:|---|---|\n";
    text.extend(goals::cells(records).iter().map(|cells| format!("| {} |\n", cells.join(" | "))));
    let missing: String =
        records.iter().flat_map(|record| &record.missing).map(|what| format!("- {what}\n")).collect();
    if !missing.is_empty() {
        text += &format!("\n### Missing in these runs\n\n{missing}");
    }
    text
}

/// A heading and a table; nothing if there are no rows.
fn part(heading: &str, columns: &[impl AsRef<str>], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    format!("\n### {heading}\n\n{}", table::markdown(1, columns, rows))
}

/// The columns of a table: the first, and one for each of `names`.
fn columns(first: &str, names: impl IntoIterator<Item = String>) -> Vec<String> {
    std::iter::once(first.to_owned()).chain(names).collect()
}

/// f32 Sum of all contenders by one clock, in microseconds, from the first record that has it.
fn sums(records: &[Record], clock: Timing) -> String {
    let of = |row: &&Row| row.set == SIZES && row.op == "sum" && row.element == "f32" && row.clock == clock;
    let rows = records.iter().map(|record| record.rows.iter().filter(of).collect::<Vec<_>>());
    let rows = rows.into_iter().find(|rows| !rows.is_empty()).unwrap_or_default();
    let contenders = distinct(rows.iter().map(|row| row.contender.clone()));
    let line = |n| {
        let cell = |contender: &String| {
            let us = rows.iter().find(|row| row.n == n && row.contender == *contender).map(|row| row.us);
            let median = table::microseconds(us.map(|us| us.median));
            let counted = us.filter(|us| clock == Timing::EndToEnd && us.trials >= 10_000);
            counted.map_or(median.clone(), |us| format!("{median} ({:.1})", us.p99))
        };
        columns(&table::elements(n), contenders.iter().map(cell))
    };
    let lines: Vec<_> = distinct(rows.iter().map(|row| row.n)).into_iter().map(line).collect();
    let heading = match clock {
        Timing::Stream => "f32 Sum by stream launches: median microseconds",
        Timing::Graph => "f32 Sum by graph replay: median microseconds",
        Timing::EndToEnd => {
            "f32 Sum end to end: median microseconds; of 10,000 calls also the 99th percentile"
        }
    };
    part(heading, &columns("n", contenders.iter().cloned()), &lines)
}

/// CUB's time over ours, for Sum of each type, by stream and by graph.
fn types(records: &[Record]) -> String {
    let elements = |record: &Record| {
        let sums = |row: &&Row| row.set == SIZES && row.op == "sum" && row.contender == PEER;
        distinct(record.rows.iter().filter(sums).map(|row| row.element.clone()))
    };
    let Some(record) = records.iter().find(|record| elements(record).len() > 1) else { return String::new() };
    let line = |n| {
        let cell = |element: &String| {
            let ratio = |clock| record.ratio(record.sum(element, n, clock)?, PEER);
            CLOCKS.map(|clock| table::ratio(ratio(clock))).join(" / ")
        };
        columns(&table::elements(n), elements(record).iter().map(cell))
    };
    let sizes = distinct(record.ours(SIZES, Timing::Stream).filter(|row| row.op == "sum").map(|row| row.n));
    let lines: Vec<_> = sizes.into_iter().map(line).collect();
    part("Sum by type: CUB's time over warpfold's, stream / graph", &columns("n", elements(record)), &lines)
}

/// The catalogue: each operator at each size, as the geometric mean over types.
fn operators(records: &[Record]) -> String {
    let of = |row: &&Row| row.set == CATALOGUE && row.contender == OURS;
    let held = |record: &&Record| record.rows.iter().any(|row| of(&row));
    let Some(record) = records.iter().find(held) else { return String::new() };
    let ours: Vec<&Row> = record.rows.iter().filter(of).collect();
    let bytes = |row: &Row| row.n * if row.element.ends_with("64") { 8 } else { 4 };
    let mut sizes = distinct(ours.iter().map(|row| bytes(row)));
    sizes.sort_unstable();
    let line = |op: &String| {
        let cell = |&size: &u64| {
            let mean = CLOCKS.map(|clock| {
                let rows =
                    ours.iter().filter(|row| row.op == *op && row.clock == clock && bytes(row) == size);
                geometric_mean(&rows.filter_map(|row| record.ratio(row, PEER)).collect::<Vec<_>>())
            });
            mean.map(table::ratio).join(" / ")
        };
        columns(op, sizes.iter().map(cell))
    };
    let lines: Vec<_> = distinct(ours.iter().map(|row| &row.op)).into_iter().map(line).collect();
    let heading = "Every operator: CUB's time over warpfold's, geometric mean over types, stream / graph";
    let sizes = sizes.iter().map(|&size| format!("{} bytes", table::elements(size)));
    let summaries = catalogue::summaries(records, 5).into_iter().map(|line| format!("\n{line}"));
    part(heading, &columns("operator", sizes), &lines) + &summaries.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::{TYPES, tests::synthetic};

    fn record() -> Record {
        let mut rows = Vec::new();
        for clock in Timing::ALL {
            for element in ["f32", "i64"] {
                rows.push((SIZES, "sum", element, 14, OURS, clock, 4.0));
                rows.push((SIZES, "sum", element, 14, "CUB", clock, 6.0));
            }
            rows.push((TYPES, "sum", "f32", 28, OURS, clock, 4.0));
            rows.push((TYPES, "mean", "f32", 28, OURS, clock, 5.0));
            rows.push((CATALOGUE, "argmax", "f32", 14, OURS, clock, 4.0));
            rows.push((CATALOGUE, "argmax", "f32", 14, "CUB", clock, 2.0));
            rows.push((CATALOGUE, "argmax", "f64", 13, OURS, clock, 4.0));
            rows.push((CATALOGUE, "argmax", "f64", 13, "CUB", clock, 8.0));
        }
        synthetic(&rows)
    }

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let folder = std::env::temp_dir().join(format!("warpfold-bench-{}-page", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(PAGE);
        fs::write(&path, format!("# Speed\n\nby hand\n\n{BEGIN}\nstale\n{END}\n\nalso by hand\n")).unwrap();
        refresh(&[record()], &folder).unwrap();
        let first = fs::read_to_string(&path).unwrap();
        refresh(&[record()], &folder).unwrap();
        let second = fs::read_to_string(&path).unwrap();
        let picture = folder.join(PICTURES).join("peers-stream.svg").exists();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(first, second);
        assert!(picture);
        assert!(
            first.starts_with("# Speed\n\nby hand\n\n") && first.ends_with("\n\nalso by hand\n"),
            "{first}"
        );
        assert!(!first.contains("stale"));
    }

    #[test]
    fn a_page_without_marks_is_refused() {
        let error = around("# Speed\n").unwrap_err().to_string();
        assert!(error.contains(BEGIN), "{error}");
        assert!(around(&format!("{END}{BEGIN}")).is_err());
    }

    #[test]
    fn every_part_has_its_figures() {
        let text = generated(&[record()], &[]);
        for expected in [
            "| 2^14 | 4.000 | 6.000 |",
            "| 2^14 | 4.000 (6.0) | 6.000 (9.0) |",
            "| 2^14 | 1.50 / 1.50 | 1.50 / 1.50 |",
            "| argmax | 1.00 / 1.00 |",
            "By stream, 2 rows: geometric mean 1.000; 1 under 1. Slowest against CUB: argmax f32 2^14 0.500,",
            "| catalogue, stream, x CUB, least | >= 1 | 0.5000 | argmax f32 2^14 | missed |",
            "| mean f32 | 214748 | 214748 | 0.800 | 0.800 | - | - |",
            "- CuPy: No module named 'cupy'",
            "reading 4700",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }
}
