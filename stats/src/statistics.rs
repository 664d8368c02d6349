//! The report on one slice: the statistics, and on request the loops to compare with.

pub(crate) mod backend;
pub(crate) mod fold;
pub(crate) mod histogram;
pub(crate) mod loops;
pub(crate) mod quantiles;
pub(crate) mod threads;

use std::time::{Duration, Instant};

use warpfold::kernels::Kernel;
use warpfold::{ArgMinMax, At, Extremes, Mean, SampleStdDev, StdDev, Sum, tree};

use self::backend::Engine;
use self::histogram::Histogram;
use self::loops::Loops;
use self::quantiles::Quantile;
use crate::failure::Failure;
use crate::numbers::array::Ranges;
use crate::numbers::naive::Accurate;
use crate::numbers::numeric::{Dtype, Numeric};
use crate::numbers::value::{Exactly, Value};
use crate::numbers::{Array, Rounded};
use crate::progress::Progress;
use crate::timed::{Timed, timed};

/// An element and its place: its row, or its index in memory order.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) index: u64,
    pub(crate) value: Value,
}

/// The whole report.
pub(crate) struct Outcome {
    pub(crate) dtype: Dtype,
    pub(crate) count: u64,
    /// The GPU's name, if it was used.
    pub(crate) device: Option<String>,
    pub(crate) why: String,
    pub(crate) threads: usize,
    /// Elements times their size.
    pub(crate) bytes: u64,
    /// The most additions that an element passes through in warpfold's tree.
    pub(crate) depth: u64,
    pub(crate) nan: u64,
    /// Rows without a value, which do not count as elements.
    pub(crate) missing: u64,
    pub(crate) rounded: Rounded,
    /// Duration of the statistics: one pass on the CPU; the copy and one pass per operator on a GPU.
    pub(crate) pass: Duration,
    pub(crate) sum: Value,
    pub(crate) mean: Option<Value>,
    /// Of the elements as a whole population.
    pub(crate) deviation: Option<Value>,
    /// Of a sample, if it was asked for; that is `None` for fewer than two elements.
    pub(crate) sample_deviation: Option<Option<Value>>,
    pub(crate) min: Option<Place>,
    pub(crate) max: Option<Place>,
    /// The quantiles, if any were asked for.
    pub(crate) quantiles: Option<Timed<Vec<Quantile>>>,
    /// The histogram, if one was asked for.
    pub(crate) histogram: Option<Timed<Histogram>>,
    /// The sums by loops, if they were asked for.
    pub(crate) loops: Option<Loops>,
    /// Duration of generating, reading or converting the elements, if needed.
    pub(crate) load: Option<Duration>,
    /// From beginning to end.
    pub(crate) total: Duration,
}

impl Outcome {
    /// The sum without wrap-around; `None` for floats. The mean of integers is the exact sum divided by the count and rounded
    /// once, so it tells how often the sum in 64 bits wrapped: the rounding is far less than 2^64.
    pub(crate) fn exact_sum(&self) -> Option<i128> {
        let Exactly::Integer(sum) = self.sum.exactly() else { return None };
        let about = match self.mean.map(Value::exactly) {
            Some(Exactly::Float(mean)) => mean * self.count as f64,
            _ => 0.0,
        };
        let turns = ((about - sum as f64) / 64_f64.exp2()).round() as i128;
        Some(sum + (turns << 64))
    }

    /// The right value of the sum: for integers always, for floats by a loop.
    pub(crate) fn accurate_sum(&self) -> Option<Accurate> {
        let by_loop = self.loops.as_ref().map(|loops| loops.accurate.result);
        by_loop.or(self.exact_sum().map(Accurate::Exact))
    }
}

/// What to compute besides the statistics.
pub(crate) struct Also {
    pub(crate) quantiles: Vec<f64>,
    /// The standard deviation of a sample.
    pub(crate) sample: bool,
    /// The bins of a histogram.
    pub(crate) bins: Option<usize>,
    /// The sums by loops.
    pub(crate) loops: bool,
}

/// Computes everything, given elements that took `load` to load.
pub(crate) fn measure<T: Numeric>(
    mut engine: Engine,
    progress: &Progress,
    x: &Array<'_, T>,
    also: &Also,
    load: Duration,
) -> Result<Outcome, Failure>
where
    Sum: Kernel<T, Out = T::Wide>,
    Mean: Kernel<T, Out = Option<T::Mean>>,
    StdDev: Kernel<T, Out = Option<T::Mean>>,
    SampleStdDev: Kernel<T, Out = Option<T::Mean>>,
    ArgMinMax: Kernel<T, Out = Option<Extremes<At<T>>>>,
{
    let start = Instant::now();
    let threads = engine.threads.get();
    let by = &mut engine;
    let folded = by.fold(x, also.sample, progress)?;
    let place = |at: At<T>| Some(Place { index: x.position(at.index)?, value: at.value.into() });
    let extremes = folded.result.extremes;
    let quantiles = match also.quantiles.as_slice() {
        [] => None,
        qs => Some(timed(|| quantiles::select(by, x, qs, progress))?),
    };
    let histogram = match also.bins {
        None => None,
        Some(bins) => {
            let ends = extremes.map(|at| [at.min.value, at.max.value]);
            // The elements were read into memory.
            Some(timed(|| by.histogram(x.in_memory().unwrap_or_default(), bins, ends))?)
        }
    };
    let loops = if also.loops { Some(loops::both(x, progress)?) } else { None };
    let sum: Value = folded.result.sum.into();
    // Any NaN makes the sum one.
    let nan = if sum.is_nan() { loops::count_nan(x, progress)? } else { 0 };
    x.unchanged()?;
    Ok(Outcome {
        dtype: T::DTYPE,
        count: x.len() as u64,
        bytes: (x.len() * size_of::<T>()) as u64,
        depth: tree::depth::<T>(x.len() as u64),
        nan,
        missing: x.missing(),
        rounded: Rounded::default(),
        device: engine.device(),
        why: engine.why,
        threads,
        pass: folded.time,
        sum,
        mean: folded.result.mean.map(Into::into),
        deviation: folded.result.deviation.map(Into::into),
        sample_deviation: also.sample.then(|| folded.result.sample_deviation.map(Into::into)),
        min: extremes.and_then(|at| place(at.min)),
        max: extremes.and_then(|at| place(at.max)),
        quantiles,
        histogram,
        loops,
        load: x.in_memory().map(|_| load),
        total: load + start.elapsed(),
    })
}
