//! The operators over one slice, each timed.

use std::time::{Duration, Instant};

use warpfold::{ArgMax, ArgMin, At, Elements, Kernel, Max, Min, Sum, tree};

use crate::backend::Engine;
use crate::failure::Failure;
use crate::naive::{Accurate, Careful, Plain};
use crate::numeric::{Dtype, Numeric};
use crate::progress::Progress;
use crate::quantiles::{self, Quantile};
use crate::value::Value;

/// Elements that a loop passes between two reports of progress.
const BLOCK: usize = 1 << 22;

/// A result and how long it took.
#[derive(Clone, Copy)]
pub(crate) struct Timed<R> {
    pub(crate) result: R,
    pub(crate) time: Duration,
}

/// An element and where it stands: its row, or its index in memory order.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) index: u64,
    pub(crate) value: Value,
}

/// All there is to report.
pub(crate) struct Outcome {
    pub(crate) dtype: Dtype,
    pub(crate) count: u64,
    /// Name of the GPU, if one folded.
    pub(crate) device: Option<String>,
    pub(crate) why: String,
    pub(crate) threads: usize,
    /// Elements times their size.
    pub(crate) bytes: u64,
    /// Additions that an element passes through in warpfold's tree, at most.
    pub(crate) depth: u64,
    pub(crate) nan: u64,
    /// Rows without a value, which are not counted as elements.
    pub(crate) missing: u64,
    pub(crate) sum: Timed<Value>,
    pub(crate) min: Timed<Option<Value>>,
    pub(crate) max: Timed<Option<Value>>,
    pub(crate) argmin: Timed<Option<Place>>,
    pub(crate) argmax: Timed<Option<Place>>,
    /// Those asked for, if any were.
    pub(crate) quantiles: Option<Timed<Vec<Quantile>>>,
    pub(crate) naive: Timed<Value>,
    pub(crate) accurate: Timed<Accurate>,
    /// Making, reading or converting the elements, where that was needed.
    pub(crate) load: Option<Duration>,
    /// From the beginning to the end, loops included.
    pub(crate) total: Duration,
}

impl Outcome {
    /// Time of the five operators.
    pub(crate) fn operators(&self) -> Duration {
        self.sum.time + self.min.time + self.max.time + self.argmin.time + self.argmax.time
    }
}

/// Runs everything over elements that took some time to load.
pub(crate) fn measure<T: Numeric>(
    mut engine: Engine,
    progress: &Progress,
    x: &Elements<'_, T>,
    qs: &[f64],
    load: Duration,
) -> Result<Outcome, Failure>
where
    Sum: Kernel<T, Out = T::Wide>,
    Min: Kernel<T, Out = Option<T>>,
    Max: Kernel<T, Out = Option<T>>,
    ArgMin: Kernel<T, Out = Option<At<T>>>,
    ArgMax: Kernel<T, Out = Option<At<T>>>,
{
    let start = Instant::now();
    let threads = engine.threads.get();
    let place = |at: Option<At<T>>| {
        at.and_then(|at| Some(Place { index: x.position(at.index)?, value: at.value.into() }))
    };

    let by = &mut engine;
    let sum = operator::<T, Sum, _>(by, x, "sum", progress, Into::into)?;
    let min = operator::<T, Min, _>(by, x, "min", progress, |min| min.map(Into::into))?;
    let max = operator::<T, Max, _>(by, x, "max", progress, |max| max.map(Into::into))?;
    let argmin = operator::<T, ArgMin, _>(by, x, "argmin", progress, place)?;
    let argmax = operator::<T, ArgMax, _>(by, x, "argmax", progress, place)?;

    let quantiles = match qs {
        [] => None,
        _ => Some(timed(|| quantiles::select(by, x, qs, progress))?),
    };
    let naive = timed(|| Ok(plain(x, progress).into()))?;
    let careful = timed(|| Ok(careful(x, progress)))?;
    let (accurate, nan) = careful.result;
    let accurate = Timed { result: accurate, time: careful.time };
    Ok(Outcome {
        dtype: T::DTYPE,
        count: x.len() as u64,
        bytes: size_of_val(&**x) as u64,
        depth: tree::depth::<T>(x.len() as u64),
        nan,
        missing: x.missing(),
        device: engine.device(),
        why: engine.why,
        threads,
        sum,
        min,
        max,
        argmin,
        argmax,
        quantiles,
        naive,
        accurate,
        load: (!x.is_borrowed()).then_some(load),
        total: load + start.elapsed(),
    })
}

fn operator<T: Numeric, O: Kernel<T> + Default, R>(
    engine: &mut Engine,
    x: &[T],
    name: &'static str,
    progress: &Progress,
    result: impl FnOnce(O::Out) -> R,
) -> Result<Timed<R>, Failure> {
    progress.stage(name, size_of_val(x) as u64);
    let folded = engine.fold::<T, O>(x, progress)?;
    Ok(Timed { result: result(folded.result), time: folded.time })
}

fn plain<T: Numeric>(x: &[T], progress: &Progress) -> T {
    progress.stage("naive loop", size_of_val(x) as u64);
    let mut sum = Plain(T::ZERO);
    for block in x.chunks(BLOCK) {
        sum.add(block);
        progress.passed(size_of_val(block) as u64);
    }
    sum.0
}

fn careful<T: Numeric>(x: &[T], progress: &Progress) -> (Accurate, u64) {
    progress.stage("careful loop", size_of_val(x) as u64);
    let mut careful = Careful::<T::Accumulator>::default();
    for block in x.chunks(BLOCK) {
        careful.add(block);
        progress.passed(size_of_val(block) as u64);
    }
    (careful.sum.into(), careful.nan)
}

/// How long some work takes.
pub(crate) fn timed<R>(work: impl FnOnce() -> Result<R, Failure>) -> Result<Timed<R>, Failure> {
    let start = Instant::now();
    work().map(|result| Timed { result, time: start.elapsed() })
}
