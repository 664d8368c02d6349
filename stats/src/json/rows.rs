//! The results of many rows as one JSON object, with one line per row.

use serde::Serialize;

use super::number::{Located, number};
use super::origin::{Origin, origin};
use super::statistics::{Found, Quantile, Statistics};
use super::{Backend, SCHEMA};
use crate::failure::Failure;
use crate::rows::results::{Labels, Rows, Work};
use crate::source::Source;
use crate::statistics::Place;
use crate::terminal;

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    warpfold: &'static str,
    tree_version: u32,
    source: Origin,
    dtype: &'static str,
    count: u64,
    bytes: u64,
    missing_count: u64,
    rounded_count: u64,
    backend: Backend<'a>,
    #[serde(flatten)]
    over: Over<'a>,
    seconds: Seconds,
}

/// What the rows are.
#[derive(Serialize)]
#[serde(untagged)]
enum Over<'a> {
    Axes { axes: &'a [usize], shape: &'a [u64] },
    Keys { by: Each<&'a str> },
}

#[derive(Serialize)]
struct Seconds {
    load: Option<f64>,
    operators: f64,
    total: f64,
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    label: Label<'a>,
    count: u64,
    #[serde(flatten)]
    statistics: Statistics,
}

/// The identity of a row: its index or key.
#[derive(Serialize)]
#[serde(untagged)]
enum Label<'a> {
    Index { coordinates: Vec<u64> },
    Key { key: Each<Option<&'a str>> },
}

/// What there is one of for each column of keys: itself if there is one column, otherwise an array.
#[derive(Serialize)]
#[serde(untagged)]
enum Each<T> {
    One(T),
    Several(Vec<T>),
}

impl<T> Each<T> {
    fn of(each: impl Iterator<Item = T>) -> Self {
        let mut each: Vec<T> = each.collect();
        match each.pop() {
            Some(only) if each.is_empty() => Self::One(only),
            last => {
                each.extend(last);
                Self::Several(each)
            }
        }
    }
}

/// The object; everything but the rows is on separate lines.
pub(crate) fn render_rows(source: &Source, rows: &Rows, work: &Work) -> Result<String, Failure> {
    let report = Report {
        schema: SCHEMA,
        warpfold: env!("CARGO_PKG_VERSION"),
        tree_version: warpfold::TREE_VERSION,
        source: origin(source, rows.count + rows.missing),
        dtype: rows.dtype.name(),
        count: rows.count,
        bytes: rows.count * rows.dtype.bytes(),
        missing_count: rows.missing,
        rounded_count: rows.rounded.count,
        backend: Backend { name: "cpu", why: work.why, threads: work.threads, device: None },
        over: match &rows.labels {
            Labels::Axes(axes) => Over::Axes { axes: &axes.reduced, shape: &axes.kept_shape },
            Labels::Keys { columns, .. } => Over::Keys { by: Each::of(columns.iter().map(String::as_str)) },
        },
        seconds: Seconds {
            load: work.load.map(|time| time.as_secs_f64()),
            operators: rows.fold.as_secs_f64(),
            total: work.total.as_secs_f64(),
        },
    };
    let head = serde_json::to_string_pretty(&report)?;
    let mut text = head.trim_end_matches("\n}").to_string();
    text += ",\n  \"rows\": [";
    for number in 0..rows.len {
        text += if number == 0 { "\n    " } else { ",\n    " };
        text += &serde_json::to_string(&row(rows, number, work))?;
    }
    Ok(terminal::escaped(text + "\n  ]\n}\n"))
}

fn row<'a>(rows: &'a Rows, number_of_row: usize, work: &Work) -> Row<'a> {
    let row = (rows.row)(number_of_row);
    let located = |place: Place| {
        let coordinates = match &rows.labels {
            Labels::Axes(axes) => axes.in_row(place.index),
            Labels::Keys { .. } => vec![place.index],
        };
        Located { index: place.index, order: 'C', coordinates, value: number(place.value) }
    };
    let quantiles = work.qs.iter().enumerate();
    let quantiles =
        quantiles.map(|(at, &q)| Quantile { q, value: row.quantiles.get(at).copied().map(number) });
    let found = Found {
        sum: row.sum,
        mean: row.mean,
        deviation: row.deviation,
        of_sample: work.sample.then_some(row.sample_deviation),
        extremes: [row.min, row.max],
        quantiles: (!work.qs.is_empty()).then(|| quantiles.collect()),
    };
    Row {
        label: match &rows.labels {
            Labels::Axes(axes) => Label::Index { coordinates: axes.of_row(number_of_row) },
            Labels::Keys { keys, .. } => {
                Label::Key { key: Each::of(keys[number_of_row].iter().map(|key| key.as_deref())) }
            }
        },
        count: row.count,
        statistics: Statistics::new(found, located),
    }
}
