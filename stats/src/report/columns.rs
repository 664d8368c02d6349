//! The columns of a table as text.

use std::fmt::Write;

use super::input::backend;
use super::table::{align_points, bytes, duration, table};
use super::{LEAST_TIME, put};
use crate::columns::{Columns, Described};
use crate::numbers::value::{Value, grouped};
use crate::source::column::Column;
use crate::source::column::values::{MOST, Others};
use crate::statistics::{Outcome, Place};
use crate::terminal;

/// The most characters of a name and of a value that are printed.
const SHOWN: usize = 32;

/// What is printed where a column has no such result.
const NONE: &str = "-";

/// The whole text: a line for each column.
pub(crate) fn render_columns(table_of: &Columns) -> String {
    let mut text = String::new();
    let rows = table_of.columns.first().map_or(0, |(_, described)| described.rows().iter().sum());
    let size = bytes(table_of.path.metadata().map_or(0, |metadata| metadata.len()));
    let (path, count) = (table_of.path.display(), table_of.columns.len());
    let plural = if count == 1 { "column" } else { "columns" };
    put(&mut text, format_args!("input    {path}: {count} {plural} of {} rows, {size}", grouped(rows)));
    let outcomes = || {
        table_of.columns.iter().filter_map(|(_, described)| match described {
            Described::Numbers(numbers) => Some(numbers),
            Described::Others(_) => None,
        })
    };
    if let Some(first) = outcomes().find(|numbers| numbers.device.is_some()).or(outcomes().next()) {
        put(
            &mut text,
            format_args!("backend  {}", backend(first.threads, first.device.as_deref(), &first.why)),
        );
    }
    for (column, described) in &table_of.columns {
        for note in notes(column, described) {
            put(&mut text, format_args!("note     {note}"));
        }
    }
    let quantiles: Vec<String> = table_of.qs.iter().map(|&q| super::rows::name(q)).collect();
    let deviation = if table_of.sample { "sample std dev" } else { "std dev" };
    let mut head = vec![
        "column", "type", "count", "missing", "distinct", "sum", "mean", deviation, "min", "max", "argmin",
        "argmax",
    ];
    head.extend(quantiles.iter().map(String::as_str));
    let mut cells: Vec<_> =
        table_of.columns.iter().map(|(column, described)| row(column, described, head.len())).collect();
    let is_empty = |at: usize| cells.iter().all(|row| row[at] == NONE);
    let kept: Vec<usize> = (0..head.len()).filter(|&at| at < 4 || !is_empty(at)).collect();
    for at in (5..8).chain(12..head.len()) {
        align_points(cells.iter_mut().map(|row| &mut row[at]));
    }
    let head: Vec<&str> = kept.iter().map(|&at| head[at]).collect();
    let cells: Vec<Vec<String>> =
        cells.into_iter().map(|row| kept.iter().map(|&at| row[at].clone()).collect()).collect();
    // Writing to a string cannot fail.
    let _ = write!(text, "\n{}", table(&head, &cells));
    if table_of.total >= LEAST_TIME {
        let (total, load, pass) =
            (duration(table_of.total), duration(table_of.load), duration(table_of.pass));
        let _ = writeln!(text, "\n  total {total}: reading the columns {load}, one pass over each {pass}");
    }
    text
}

fn notes(column: &Column, described: &Described) -> Vec<String> {
    match described {
        Described::Others(Others { mixed: Some(mixed), .. }) => vec![format!("read as text: {mixed}")],
        Described::Others(_) => Vec::new(),
        Described::Numbers(numbers) => {
            let mut notes = Vec::new();
            if numbers.nan > 0 {
                let (name, nan, count) = (&column.name, grouped(numbers.nan), grouped(numbers.count));
                notes.push(format!("column `{name}`: {nan} of {count} elements are NaN, and so is the sum"));
            }
            if numbers.rounded.count > 0 {
                notes.push(format!(
                    "column `{}`: {} whole numbers beyond 2^53 lost digits as float64, such as {}",
                    column.name,
                    grouped(numbers.rounded.count),
                    numbers.rounded.first
                ));
            }
            notes
        }
    }
}

/// The cells of a column, one for each of `len` heads.
fn row(column: &Column, described: &Described, len: usize) -> Vec<String> {
    let [count, missing] = described.rows();
    let mut cells = vec![short(&column.name)];
    cells.push(match (&column.r#type, described) {
        (Some(named), _) => named.clone(),
        (None, Described::Numbers(numbers)) => numbers.dtype.name().into(),
        (None, Described::Others(_)) => "text".into(),
    });
    cells.extend([grouped(count), grouped(missing)]);
    match described {
        Described::Numbers(numbers) => cells.extend(of_numbers(numbers)),
        Described::Others(others) => {
            let distinct = others.distinct.map(|distinct| {
                let more = if distinct == MOST { "or more" } else { "" };
                format!("{} {more}", grouped(distinct)).trim_end().to_owned()
            });
            let text = |value: &Option<String>| value.as_deref().map_or(NONE.into(), short);
            cells.push(distinct.unwrap_or(NONE.into()));
            cells.extend([NONE; 3].map(String::from));
            cells.extend([text(&others.least), text(&others.greatest)]);
        }
    }
    cells.resize(len, NONE.into());
    cells
}

fn of_numbers(numbers: &Outcome) -> Vec<String> {
    let value = |value: Option<Value>| value.map_or(NONE.into(), |value| value.to_string());
    let value_at = |place: Option<Place>| value(place.map(|place| place.value));
    let index = |place: Option<Place>| place.map_or(NONE.into(), |place| grouped(place.index));
    let deviation = numbers.sample_deviation.unwrap_or(numbers.deviation);
    let mut cells = vec![NONE.into(), numbers.sum.to_string(), value(numbers.mean), value(deviation)];
    cells.extend([value_at(numbers.min), value_at(numbers.max), index(numbers.min), index(numbers.max)]);
    let quantiles = numbers.quantiles.iter().flat_map(|quantiles| &quantiles.result);
    cells.extend(quantiles.map(|quantile| value(quantile.value)));
    cells
}

/// The beginning of a name or of a value, without what could control the terminal.
fn short(text: &str) -> String {
    let mut short = terminal::line(&text.chars().take(SHOWN).collect::<String>());
    if text.chars().nth(SHOWN).is_some() {
        short += "...";
    }
    if short.is_empty() { "\"\"".into() } else { short }
}
