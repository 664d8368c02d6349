//! The statistics of an array, a column or a row.

use serde::Serialize;

use super::number::{Located, Number, number};
use crate::numbers::value::Value;
use crate::statistics::{Outcome, Place};

#[derive(Serialize)]
pub(super) struct Statistics {
    sum: Number,
    mean: Option<Number>,
    std_dev: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample_std_dev: Option<Option<Number>>,
    min: Option<Number>,
    max: Option<Number>,
    argmin: Option<Located>,
    argmax: Option<Located>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantiles: Option<Vec<Quantile>>,
}

#[derive(Serialize)]
pub(super) struct Quantile {
    pub(super) q: f64,
    pub(super) value: Option<Number>,
}

/// What the statistics are made of; the standard deviation of a sample and quantiles if they were asked for.
pub(super) struct Found {
    pub(super) sum: Value,
    pub(super) mean: Option<Value>,
    pub(super) deviation: Option<Value>,
    pub(super) of_sample: Option<Option<Value>>,
    pub(super) extremes: [Option<Place>; 2],
    pub(super) quantiles: Option<Vec<Quantile>>,
}

impl Statistics {
    /// `located` says where a place is.
    pub(super) fn new(found: Found, located: impl Fn(Place) -> Located) -> Self {
        let [least, greatest] = found.extremes;
        Self {
            sum: number(found.sum),
            mean: found.mean.map(number),
            std_dev: found.deviation.map(number),
            sample_std_dev: found.of_sample.map(|of_sample| of_sample.map(number)),
            min: least.map(|place| number(place.value)),
            max: greatest.map(|place| number(place.value)),
            argmin: least.map(&located),
            argmax: greatest.map(&located),
            quantiles: found.quantiles,
        }
    }

    /// The statistics of one array or column.
    pub(super) fn of(outcome: &Outcome, located: impl Fn(Place) -> Located) -> Self {
        let quantiles = outcome.quantiles.as_ref().map(|quantiles| quantiles.result.iter());
        let quantile = |q, value: Option<Value>| Quantile { q, value: value.map(number) };
        let found = Found {
            sum: outcome.sum,
            mean: outcome.mean,
            deviation: outcome.deviation,
            of_sample: outcome.sample_deviation,
            extremes: [outcome.min, outcome.max],
            quantiles: quantiles.map(|found| found.map(|found| quantile(found.q, found.value)).collect()),
        };
        Self::new(found, located)
    }
}
