//! The columns of a table as one JSON object, with one line per column.

use serde::Serialize;

use super::number::{Located, number};
use super::statistics::Statistics;
use super::{Backend, SCHEMA};
use crate::columns::{Columns, Described};
use crate::failure::Failure;
use crate::source::column::values::MOST;
use crate::source::format::Table;
use crate::statistics::{Outcome, Place};
use crate::terminal;

#[derive(Serialize)]
struct Report {
    schema: u32,
    warpfold: &'static str,
    tree_version: u32,
    source: Origin,
    seconds: Seconds,
}

#[derive(Serialize)]
struct Origin {
    kind: &'static str,
    path: String,
    rows: u64,
}

#[derive(Serialize)]
struct Seconds {
    load: f64,
    operators: f64,
    total: f64,
}

#[derive(Serialize)]
struct Column<'a> {
    column: &'a str,
    r#type: Option<&'a str>,
    count: u64,
    missing_count: u64,
    #[serde(flatten)]
    of: Of<'a>,
}

/// What is said of numbers, and of other values.
#[derive(Serialize)]
#[serde(untagged)]
enum Of<'a> {
    Numbers(Box<Numbers<'a>>),
    Others {
        distinct: Option<usize>,
        distinct_is_least: bool,
        least: Option<&'a str>,
        greatest: Option<&'a str>,
    },
}

#[derive(Serialize)]
struct Numbers<'a> {
    dtype: &'static str,
    nan_count: u64,
    rounded_count: u64,
    backend: Backend<'a>,
    #[serde(flatten)]
    statistics: Statistics,
}

/// The object; everything but the columns is on separate lines.
pub(crate) fn render_columns(table: &Columns) -> Result<String, Failure> {
    let rows = table.columns.first().map_or(0, |(_, described)| described.rows().iter().sum());
    let kind = match table.table {
        Table::Csv(_) => "csv",
        Table::Parquet => "parquet",
        Table::ArrowFile | Table::ArrowStream => "arrow",
    };
    let report = Report {
        schema: SCHEMA,
        warpfold: env!("CARGO_PKG_VERSION"),
        tree_version: warpfold::TREE_VERSION,
        source: Origin { kind, path: table.path.to_string_lossy().into_owned(), rows },
        seconds: Seconds {
            load: table.load.as_secs_f64(),
            operators: table.pass.as_secs_f64(),
            total: table.total.as_secs_f64(),
        },
    };
    let mut text = serde_json::to_string_pretty(&report)?.trim_end_matches("\n}").to_owned();
    text += ",\n  \"columns\": [";
    for (at, (column, described)) in table.columns.iter().enumerate() {
        let [count, missing_count] = described.rows();
        let (name, r#type) = (column.name.as_str(), column.r#type.as_deref());
        let of = of(described);
        text += if at == 0 { "\n    " } else { ",\n    " };
        text += &serde_json::to_string(&Column { column: name, r#type, count, missing_count, of })?;
    }
    Ok(terminal::escaped(text + "\n  ]\n}\n"))
}

fn of(described: &Described) -> Of<'_> {
    match described {
        Described::Numbers(outcome) => Of::Numbers(Box::new(numbers(outcome))),
        Described::Others(others) => Of::Others {
            distinct: others.distinct,
            distinct_is_least: others.distinct == Some(MOST),
            least: others.least.as_deref(),
            greatest: others.greatest.as_deref(),
        },
    }
}

fn numbers(outcome: &Outcome) -> Numbers<'_> {
    let located = |place: Place| Located {
        index: place.index,
        order: 'C',
        coordinates: vec![place.index],
        value: number(place.value),
    };
    Numbers {
        dtype: outcome.dtype.name(),
        nan_count: outcome.nan,
        rounded_count: outcome.rounded.count,
        backend: Backend::of(outcome),
        statistics: Statistics::of(outcome, located),
    }
}
