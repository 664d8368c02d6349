//! The results of many rows.

use std::time::Duration;

use warpfold::At;

use super::axes::Axes;
use crate::numbers::Rounded;
use crate::numbers::numeric::{Dtype, Numeric};
use crate::numbers::value::Value;
use crate::source::column::Key;
use crate::statistics::Place;
use crate::statistics::fold::Statistics;

/// What identifies a row.
pub(crate) enum Labels {
    /// The index along the remaining axes.
    Axes(Axes),
    /// The keys, one from each column with these names.
    Keys { columns: Vec<String>, keys: Vec<Vec<Key>> },
}

/// A row's results. The least and greatest elements are those at the two indices.
pub(crate) struct Row {
    pub(crate) count: u64,
    pub(crate) sum: Value,
    pub(crate) mean: Option<Value>,
    /// The standard deviation.
    pub(crate) deviation: Option<Value>,
    /// That of a sample.
    pub(crate) sample_deviation: Option<Value>,
    pub(crate) min: Option<Place>,
    pub(crate) max: Option<Place>,
    /// The quantiles asked for; empty for an empty row.
    pub(crate) quantiles: Vec<Value>,
}

impl Row {
    /// For `count` elements.
    pub(crate) fn new<T: Numeric>(
        count: u64,
        statistics: &Statistics<T>,
        quantiles: &[impl Into<Value> + Copy],
    ) -> Self {
        let place = |at: At<T>| Place { index: at.index, value: at.value.into() };
        Self {
            count,
            sum: statistics.sum.into(),
            mean: statistics.mean.map(Into::into),
            deviation: statistics.deviation.map(Into::into),
            sample_deviation: statistics.sample_deviation.map(Into::into),
            min: statistics.extremes.map(|at| place(at.min)),
            max: statistics.extremes.map(|at| place(at.max)),
            quantiles: quantiles.iter().map(|&quantile| quantile.into()).collect(),
        }
    }
}

/// The results of all rows.
pub(crate) struct Rows {
    pub(crate) dtype: Dtype,
    /// Elements of all rows.
    pub(crate) count: u64,
    /// Rows of a table without a value.
    pub(crate) missing: u64,
    pub(crate) rounded: Rounded,
    pub(crate) labels: Labels,
    pub(crate) len: usize,
    /// Returns row `i`. There may be too many rows to store all that is printed of each.
    pub(crate) row: Box<dyn Fn(usize) -> Row>,
    /// Duration of the reductions.
    pub(crate) fold: Duration,
}

/// How the work was done.
pub(crate) struct Work {
    pub(crate) threads: usize,
    pub(crate) why: &'static str,
    /// The quantiles asked for.
    pub(crate) qs: Vec<f64>,
    /// Whether the standard deviation of a sample was asked for.
    pub(crate) sample: bool,
    /// Duration of reading or converting the elements, if needed.
    pub(crate) load: Option<Duration>,
    pub(crate) total: Duration,
}
