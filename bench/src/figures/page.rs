//! The generated part of docs/performance.md: goals, tables and pictures, between two marks.

use std::{fs, path::Path};

use super::{
    catalogue::{self, Catalogue},
    chart::{self, Drawn},
    goals::GOALS,
    record::{CATALOGUE, OURS, Record, Row, SIZES, Timing},
    types,
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
    let pictures = chart::draw(records, &folder.join(PICTURES), false)?;
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
    for clock in Timing::ALL {
        text += &sums(records, clock);
    }
    text += &types(records);
    text += &operators(records);
    text += &shares(records);
    text += &goals(records);
    text += &missing(records);
    text
}

/// One line of a Markdown table.
fn line(cells: impl IntoIterator<Item = String>) -> String {
    format!("| {} |\n", cells.into_iter().collect::<Vec<_>>().join(" | "))
}

/// The heading of a Markdown table; all columns but the first are right-aligned.
fn heading(cells: &[String]) -> String {
    let rule =
        cells.iter().enumerate().map(|(i, _)| if i == 0 { "---".to_owned() } else { "---:".to_owned() });
    line(cells.iter().cloned()) + &line(rule)
}

/// The distinct values of a field, in order.
fn distinct<V: PartialEq>(rows: &[&Row], field: impl Fn(&Row) -> V) -> Vec<V> {
    let mut values = Vec::new();
    for row in rows {
        let value = field(row);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// f32 Sum of all contenders by one clock, in microseconds.
fn sums(records: &[Record], clock: Timing) -> String {
    let held = |record: &&Record| record.rows.iter().any(|row| belongs(row, clock));
    let Some(record) = records.iter().find(held) else { return String::new() };
    let rows: Vec<&Row> = record.rows.iter().filter(|row| belongs(row, clock)).collect();
    let contenders = distinct(&rows, |row| row.contender.clone());
    let tail = if clock == Timing::EndToEnd { "; of 10,000 calls also the 99th percentile" } else { "" };
    let mut text = format!("\n### f32 Sum {}: median microseconds{tail}\n\n", way(clock));
    text += &heading(&[vec!["n".to_owned()], contenders.clone()].concat());
    for n in distinct(&rows, |row| row.n) {
        let cell = |contender: &String| {
            let us = record.row(SIZES, ("sum", "f32", n), contender, clock).map(|row| row.us);
            let median = table::microseconds(us.map(|us| us.median));
            let counted = us.filter(|us| clock == Timing::EndToEnd && us.trials >= 10_000);
            counted.map_or(median.clone(), |us| format!("{median} ({:.1})", us.p99))
        };
        text += &line(std::iter::once(table::elements(n)).chain(contenders.iter().map(cell)));
    }
    text
}

fn way(clock: Timing) -> &'static str {
    match clock {
        Timing::Stream => "by stream launches",
        Timing::Graph => "by graph replay",
        Timing::EndToEnd => "end to end",
    }
}

fn belongs(row: &Row, clock: Timing) -> bool {
    row.set == SIZES && row.op == "sum" && row.element == "f32" && row.clock == clock
}

/// CUB's time over ours, for Sum of each type, by stream and by graph.
fn types(records: &[Record]) -> String {
    let clocks = [Timing::Stream, Timing::Graph];
    let Some(record) =
        records.iter().find(|record| distinct(&peers(record), |row| row.element.clone()).len() > 1)
    else {
        return String::new();
    };
    let rows = peers(record);
    let elements = distinct(&rows, |row| row.element.clone());
    let mut text = "\n### Sum by type: CUB's time over warpfold's, stream / graph\n\n".to_owned();
    text += &heading(&[vec!["n".to_owned()], elements.clone()].concat());
    for n in distinct(&rows, |row| row.n) {
        let cell = |element: &String| {
            let ratio = |clock| record.ratio(SIZES, ("sum", element.as_str(), n), catalogue::PEER, clock);
            clocks.map(|clock| table::ratio(ratio(clock))).join(" / ")
        };
        text += &line(std::iter::once(table::elements(n)).chain(elements.iter().map(cell)));
    }
    text
}

/// CUB's sums.
fn peers(record: &Record) -> Vec<&Row> {
    let sums = |row: &&Row| row.set == SIZES && row.op == "sum" && row.contender == catalogue::PEER;
    record.rows.iter().filter(sums).collect()
}

/// The catalogue: each operator at each size, as the geometric mean over types.
fn operators(records: &[Record]) -> String {
    let Some(record) = records.iter().find(|record| record.rows.iter().any(|row| row.set == CATALOGUE))
    else {
        return String::new();
    };
    let ours: Vec<&Row> =
        record.rows.iter().filter(|row| row.set == CATALOGUE && row.contender == OURS).collect();
    let bytes = |row: &Row| row.n * if row.element.ends_with("64") { 8 } else { 4 };
    let mut sizes = distinct(&ours, bytes);
    sizes.sort_unstable();
    let mut text =
        "\n### Every operator: CUB's time over warpfold's, geometric mean over types, stream / graph\n\n"
            .to_owned();
    let columns = sizes.iter().map(|&size| format!("{} bytes", table::elements(size)));
    text += &heading(&std::iter::once("operator".to_owned()).chain(columns).collect::<Vec<_>>());
    for op in distinct(&ours, |row| row.op.clone()) {
        let cell = |&size: &u64| {
            [Timing::Stream, Timing::Graph].map(|clock| {
                let rows = ours.iter().filter(|row| row.op == op && row.clock == clock && bytes(row) == size);
                let ratio = |row: &&Row| {
                    record.ratio(CATALOGUE, (&op, row.element.as_str(), row.n), catalogue::PEER, clock)
                };
                table::ratio(geometric_mean(&rows.filter_map(ratio).collect::<Vec<_>>()))
            })
        };
        text += &line(std::iter::once(op.clone()).chain(sizes.iter().map(|size| cell(size).join(" / "))));
    }
    for catalogue in Timing::ALL.into_iter().filter_map(|clock| Catalogue::of(records, clock)) {
        text += &format!(
            "\nBy {}, {} rows: geometric mean {:.3}; {} under 1. Slowest against CUB: {}.\n",
            catalogue.clock,
            catalogue.rows.len(),
            catalogue.mean,
            catalogue.under_one(),
            catalogue.worst(5)
        );
    }
    text
}

/// Types of 1 and 2 bytes and operators that CUB lacks, each as a share of Sum's bandwidth.
fn shares(records: &[Record]) -> String {
    let lines = types::cells(records);
    if lines.is_empty() {
        return String::new();
    }
    let mut text =
        "\n### Every type: bandwidth at 2^30 bytes, its share of Sum's, and CUB's time over warpfold's\n\n"
            .to_owned();
    text += &heading(&types::HEADINGS.map(str::to_owned));
    text + &lines.into_iter().map(line).collect::<String>()
}

/// The state of the goals.
fn goals(records: &[Record]) -> String {
    let mut text = "\n### Goals\n\nThe row that decides stands beside each figure.\n\n".to_owned();
    text += "| goal | wanted | measured | at | |\n|---|---|---:|---|---|\n";
    for goal in GOALS {
        let [value, at, verdict] = goal.standing(records).cells();
        text += &line([goal.what.to_owned(), goal.wanted(), value, at, verdict]);
    }
    text
}

fn missing(records: &[Record]) -> String {
    let missing: Vec<&String> = records.iter().flat_map(|record| &record.missing).collect();
    if missing.is_empty() {
        return String::new();
    }
    let lines: String = missing.iter().map(|what| format!("- {what}\n")).collect();
    format!("\n### Missing in these runs\n\n{lines}")
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
