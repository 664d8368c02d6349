//! The result as one JSON object. `stats --help` documents the fields; a change of what one means, or the
//! loss of one, raises [`SCHEMA`].

use std::time::Duration;

use serde::Serialize;

use crate::column::Column;
use crate::failure::Failure;
use crate::format::Table;
use crate::naive::Accurate;
use crate::npy::Npy;
use crate::source::Source;
use crate::statistics::{Outcome, Place};
use crate::value::{Exactly, Value};

const SCHEMA: u32 = 2;

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    warpfold: &'static str,
    tree_version: u32,
    source: Origin,
    dtype: &'static str,
    count: u64,
    bytes: u64,
    nan_count: u64,
    missing_count: u64,
    backend: Backend<'a>,
    sum: Number,
    min: Option<Number>,
    max: Option<Number>,
    argmin: Option<Located>,
    argmax: Option<Located>,
    naive_sum: Number,
    accurate_sum: Reference,
    seconds: Seconds,
    gb_per_s: Rates,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Origin {
    Npy {
        path: String,
        version: String,
        shape: Vec<u64>,
        fortran_order: bool,
        byte_swapped: bool,
        ignored_bytes: u64,
    },
    Csv(ColumnOf),
    Parquet(ColumnOf),
    Arrow(ColumnOf),
    Synthetic {
        shape: [u64; 1],
        seed: u64,
    },
}

#[derive(Serialize)]
struct ColumnOf {
    path: String,
    column: String,
    r#type: Option<String>,
    rows: u64,
}

#[derive(Serialize)]
struct Backend<'a> {
    name: &'static str,
    why: &'a str,
    threads: usize,
    device: Option<&'a str>,
}

/// A number that survives JSON, which has neither infinities nor NaN.
#[derive(Serialize)]
struct Number {
    r#type: &'static str,
    value: Written,
    bits: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Written {
    Integer(i128),
    Float(f64),
    Word(&'static str),
}

#[derive(Serialize)]
struct Located {
    index: u64,
    order: char,
    coordinates: Vec<u64>,
    value: Number,
}

#[derive(Serialize)]
#[serde(tag = "method", content = "value")]
enum Reference {
    #[serde(rename = "exact")]
    Exact(String),
    #[serde(rename = "compensated f64")]
    Compensated(Written),
}

#[derive(Serialize)]
struct Seconds {
    load: Option<f64>,
    sum: f64,
    min: f64,
    max: f64,
    argmin: f64,
    argmax: f64,
    operators: f64,
    naive_sum: f64,
    accurate_sum: f64,
    total: f64,
}

#[derive(Serialize)]
struct Rates {
    sum: f64,
    min: f64,
    max: f64,
    argmin: f64,
    argmax: f64,
    operators: f64,
}

/// The object, on lines of its own.
pub(crate) fn render(source: &Source, outcome: &Outcome) -> Result<String, Failure> {
    let rate =
        |time: Duration, passes: u64| (passes * outcome.bytes) as f64 / time.as_secs_f64().max(1e-9) / 1e9;
    let located = |place: Place| locate(source, place);
    let report = Report {
        schema: SCHEMA,
        warpfold: env!("CARGO_PKG_VERSION"),
        tree_version: warpfold::TREE_VERSION,
        source: origin(source, outcome),
        dtype: outcome.dtype.name(),
        count: outcome.count,
        bytes: outcome.bytes,
        nan_count: outcome.nan,
        missing_count: outcome.missing,
        backend: Backend {
            name: if outcome.device.is_some() { "cuda" } else { "cpu" },
            why: &outcome.why,
            threads: outcome.threads,
            device: outcome.device.as_deref(),
        },
        sum: number(outcome.sum.result),
        min: outcome.min.result.map(number),
        max: outcome.max.result.map(number),
        argmin: outcome.argmin.result.map(located),
        argmax: outcome.argmax.result.map(located),
        naive_sum: number(outcome.naive.result),
        accurate_sum: match outcome.accurate.result {
            Accurate::Exact(sum) => Reference::Exact(sum.to_string()),
            Accurate::Compensated(sum) => Reference::Compensated(written(sum)),
        },
        seconds: Seconds {
            load: outcome.load.map(|time| time.as_secs_f64()),
            sum: outcome.sum.time.as_secs_f64(),
            min: outcome.min.time.as_secs_f64(),
            max: outcome.max.time.as_secs_f64(),
            argmin: outcome.argmin.time.as_secs_f64(),
            argmax: outcome.argmax.time.as_secs_f64(),
            operators: outcome.operators().as_secs_f64(),
            naive_sum: outcome.naive.time.as_secs_f64(),
            accurate_sum: outcome.accurate.time.as_secs_f64(),
            total: outcome.total.as_secs_f64(),
        },
        gb_per_s: Rates {
            sum: rate(outcome.sum.time, 1),
            min: rate(outcome.min.time, 1),
            max: rate(outcome.max.time, 1),
            argmin: rate(outcome.argmin.time, 1),
            argmax: rate(outcome.argmax.time, 1),
            operators: rate(outcome.operators(), 5),
        },
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

fn origin(source: &Source, outcome: &Outcome) -> Origin {
    match source {
        Source::Npy(Npy { path, layout, ignored, .. }) => Origin::Npy {
            path: path.to_string_lossy().into_owned(),
            version: format!("{}.{}", layout.version.0, layout.version.1),
            shape: layout.shape.clone(),
            fortran_order: layout.fortran,
            byte_swapped: layout.swapped,
            ignored_bytes: *ignored,
        },
        Source::Column(Column { path, table, name, r#type, .. }) => {
            let column = ColumnOf {
                path: path.to_string_lossy().into_owned(),
                column: name.clone(),
                r#type: r#type.clone(),
                rows: outcome.count + outcome.missing,
            };
            match table {
                Table::Csv { .. } => Origin::Csv(column),
                Table::Parquet => Origin::Parquet(column),
                Table::ArrowFile | Table::ArrowStream => Origin::Arrow(column),
            }
        }
        Source::Synthetic(synthetic) => Origin::Synthetic { shape: [synthetic.count], seed: synthetic.seed },
    }
}

fn locate(source: &Source, place: Place) -> Located {
    Located {
        index: place.index,
        order: if source.is_fortran() { 'F' } else { 'C' },
        coordinates: source.coordinates(place.index),
        value: number(place.value),
    }
}

fn number(value: Value) -> Number {
    let text = match value.exactly() {
        Exactly::Integer(integer) => Written::Integer(integer),
        Exactly::Float(float) => written(float),
    };
    Number { r#type: value.type_name(), value: text, bits: value.bits() }
}

fn written(float: f64) -> Written {
    match float {
        f64::INFINITY => Written::Word("inf"),
        f64::NEG_INFINITY => Written::Word("-inf"),
        nan if nan.is_nan() => Written::Word("NaN"),
        number => Written::Float(number),
    }
}
