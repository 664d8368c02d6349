//! The result as one JSON object. `stats --help` documents the fields. If a field is removed or its meaning
//! changes, [`SCHEMA`] is raised.

mod columns;
mod number;
mod origin;
mod rows;
mod statistics;

use serde::Serialize;

pub(crate) use self::columns::render_columns;
use self::number::{Located, Number, Written, number, written};
use self::origin::{Origin, origin};
pub(crate) use self::rows::render_rows;
use self::statistics::Statistics;
use crate::failure::Failure;
use crate::numbers::naive::Accurate;
use crate::source::Source;
use crate::statistics::{Outcome, Place};
use crate::terminal;
use crate::timed::Timed;

const SCHEMA: u32 = 4;

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
    rounded_count: u64,
    backend: Backend<'a>,
    #[serde(flatten)]
    statistics: Statistics,
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram: Option<Histogram<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    naive_sum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accurate_sum: Option<Reference>,
    seconds: Seconds,
    gb_per_s: Rates,
}

#[derive(Serialize)]
struct Histogram<'a> {
    edges: Vec<Number>,
    counts: &'a [u64],
    below: u64,
    above: u64,
    nan: u64,
}

#[derive(Serialize)]
struct Backend<'a> {
    name: &'static str,
    why: &'a str,
    threads: usize,
    device: Option<&'a str>,
}

impl<'a> Backend<'a> {
    fn of(outcome: &'a Outcome) -> Self {
        Self {
            name: if outcome.device.is_some() { "cuda" } else { "cpu" },
            why: &outcome.why,
            threads: outcome.threads,
            device: outcome.device.as_deref(),
        }
    }
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
    operators: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantiles: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    naive_sum: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accurate_sum: Option<f64>,
    total: f64,
}

#[derive(Serialize)]
struct Rates {
    operators: f64,
}

/// The object, over several lines.
pub(crate) fn render(source: &Source, outcome: &Outcome) -> Result<String, Failure> {
    let loops = outcome.loops.as_ref();
    let report = Report {
        schema: SCHEMA,
        warpfold: env!("CARGO_PKG_VERSION"),
        tree_version: warpfold::TREE_VERSION,
        source: origin(source, outcome.count + outcome.missing),
        dtype: outcome.dtype.name(),
        count: outcome.count,
        bytes: outcome.bytes,
        nan_count: outcome.nan,
        missing_count: outcome.missing,
        rounded_count: outcome.rounded.count,
        backend: Backend::of(outcome),
        statistics: Statistics::of(outcome, |place| locate(source, place)),
        histogram: outcome.histogram.as_ref().map(|Timed { result, .. }| Histogram {
            edges: result.edges.iter().copied().map(number).collect(),
            counts: &result.counts,
            below: result.below,
            above: result.above,
            nan: result.nan,
        }),
        naive_sum: loops.map(|loops| number(loops.naive.result)),
        accurate_sum: outcome.accurate_sum().map(|sum| match sum {
            Accurate::Exact(sum) => Reference::Exact(sum.to_string()),
            Accurate::Compensated(sum) => Reference::Compensated(written(sum)),
        }),
        seconds: Seconds {
            load: outcome.load.map(|time| time.as_secs_f64()),
            operators: outcome.pass.as_secs_f64(),
            quantiles: outcome.quantiles.as_ref().map(|quantiles| quantiles.time.as_secs_f64()),
            histogram: outcome.histogram.as_ref().map(|histogram| histogram.time.as_secs_f64()),
            naive_sum: loops.map(|loops| loops.naive.time.as_secs_f64()),
            accurate_sum: loops.map(|loops| loops.accurate.time.as_secs_f64()),
            total: outcome.total.as_secs_f64(),
        },
        gb_per_s: Rates { operators: outcome.bytes as f64 / outcome.pass.as_secs_f64().max(1e-9) / 1e9 },
    };
    Ok(terminal::escaped(serde_json::to_string_pretty(&report)? + "\n"))
}

fn locate(source: &Source, place: Place) -> Located {
    Located {
        index: place.index,
        order: if source.is_fortran() { 'F' } else { 'C' },
        coordinates: source.coordinates(place.index),
        value: number(place.value),
    }
}
