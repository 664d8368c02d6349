//! The results of many rows as text.

use std::fmt::Write;

use super::input::{self, backend};
use super::table::{align_points, duration, table};
use super::{LEAST_TIME, LEAST_TIMED, put};
use crate::numbers::value::{Value, grouped};
use crate::rows::results::{Labels, Rows, Work};
use crate::source::Source;
use crate::source::npy::tuple;
use crate::statistics::Place;
use crate::terminal;

/// The numbers of first and of last rows that are printed, if there are more than both.
const SHOWN: usize = 10;

/// The most characters of a key that are printed.
const KEY: usize = 40;

/// The whole text; with `all`, every row is printed.
pub(crate) fn render_rows(source: &Source, rows: &Rows, work: &Work, all: bool) -> String {
    let mut text = String::new();
    let bytes = rows.count * rows.dtype.bytes();
    put(&mut text, format_args!("input    {}", input::line(source, rows.dtype, rows.count, bytes)));
    put(&mut text, format_args!("backend  {}", backend(work.threads, None, work.why)));
    put(&mut text, format_args!("rows     {}", which(rows)));
    for note in input::notes(source, rows.count, rows.missing, &rows.rounded) {
        put(&mut text, format_args!("note     {note}"));
    }
    // A line in place of one row would save nothing.
    let left_out = if all || rows.len <= 2 * SHOWN + 1 { 0 } else { rows.len - 2 * SHOWN };
    let first = if left_out == 0 { rows.len } else { SHOWN };
    let shown: Vec<usize> = (0..first).chain(first + left_out..rows.len).collect();
    let mut cells: Vec<_> = shown.iter().map(|&number| row(rows, number, work)).collect();
    let labels: Vec<String> = match &rows.labels {
        Labels::Axes(_) => vec!["row".into()],
        Labels::Keys { columns, .. } if columns.len() == 1 => vec!["key".into()],
        Labels::Keys { columns, .. } => columns.iter().map(|column| terminal::line(column)).collect(),
    };
    let names: Vec<String> = work.qs.iter().map(|&q| name(q)).collect();
    let deviation = if work.sample { "sample std dev" } else { "std dev" };
    let mut head: Vec<&str> = labels.iter().map(String::as_str).collect();
    head.extend(["count", "sum", "mean", deviation, "min", "max", "argmin", "argmax"]);
    head.extend(names.iter().map(String::as_str));
    let count = labels.len();
    for column in (count + 1..count + 6).chain(count + 8..head.len()) {
        align_points(cells.iter_mut().map(|row| &mut row[column]));
    }
    let table = table(&head, &cells);
    text.push('\n');
    for (line, number) in table.lines().zip(0..) {
        // Writing to a string cannot fail.
        if left_out > 0 && number == 1 + SHOWN {
            let _ = writeln!(text, "  ... {} rows are left out: --all-rows prints them", grouped(left_out));
        }
        let _ = writeln!(text, "{line}");
    }
    let parts = [
        work.load.filter(|&time| time >= LEAST_TIME).map(|time| format!("reading {}", duration(time))),
        (bytes >= LEAST_TIMED).then(|| format!("one pass {}", duration(rows.fold))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        let _ = writeln!(text, "\n  total {}: {}", duration(work.total), parts.join(", "));
    }
    text
}

/// Describes the rows.
fn which(rows: &Rows) -> String {
    let len = grouped(rows.len);
    match &rows.labels {
        Labels::Axes(axes) => {
            let elements = rows.count.checked_div(rows.len as u64).unwrap_or(0);
            let names: Vec<_> = axes.reduced.iter().map(usize::to_string).collect();
            let (plural, names) = (if names.len() == 1 { "axis" } else { "axes" }, names.join(", "));
            let elements = grouped(elements);
            format!(
                "{len} of {elements} elements each, along {plural} {names}; argmin and argmax count there"
            )
        }
        Labels::Keys { columns, .. } => {
            let plural = if columns.len() == 1 { "column" } else { "columns" };
            let names: Vec<_> = columns.iter().map(|name| format!("`{name}`")).collect();
            format!("{len} groups by {plural} {}; argmin and argmax are rows of the table", names.join(", "))
        }
    }
}

fn row(rows: &Rows, number: usize, work: &Work) -> Vec<String> {
    let row = (rows.row)(number);
    let value = |value: Option<Value>| value.map_or("-".into(), |value| value.to_string());
    let value_at = |place: Option<Place>| value(place.map(|place| place.value));
    let place = |place: Option<Place>| match (place, &rows.labels) {
        (None, _) => "-".into(),
        (Some(place), Labels::Axes(axes)) if axes.reduced.len() > 1 => tuple(&axes.in_row(place.index)),
        (Some(place), _) => grouped(place.index),
    };
    let mut cells = match &rows.labels {
        Labels::Axes(axes) => vec![axes.slice(number)],
        Labels::Keys { keys, .. } => keys[number].iter().map(|name| key(name.as_deref())).collect(),
    };
    let deviation = if work.sample { row.sample_deviation } else { row.deviation };
    cells.extend([grouped(row.count), row.sum.to_string(), value(row.mean), value(deviation)]);
    cells.extend([value_at(row.min), value_at(row.max), place(row.min), place(row.max)]);
    cells.extend((0..work.qs.len()).map(|at| value(row.quantiles.get(at).copied())));
    cells
}

/// The name of a quantile.
pub(super) fn name(q: f64) -> String {
    if q == 0.5 { "median".into() } else { format!("q {q}") }
}

/// The beginning of a key, without what could control the terminal.
fn key(key: Option<&str>) -> String {
    let Some(key) = key else { return "(no key)".into() };
    let mut text = terminal::line(&key.chars().take(KEY).collect::<String>());
    if key.chars().nth(KEY).is_some() {
        text += "...";
    }
    if text.is_empty() { "\"\"".into() } else { text }
}
