//! The report on one slice: the statistics, and the loops to compare with.

pub(crate) mod backend;
pub(crate) mod fold;
pub(crate) mod quantiles;
pub(crate) mod threads;

use std::time::{Duration, Instant};

use warpfold::{ArgMinMax, At, Extremes, Kernel, Mean, StdDev, Sum, tree};

use self::backend::Engine;
use self::quantiles::Quantile;
use crate::failure::Failure;
use crate::numbers::array::Ranges;
use crate::numbers::naive::{Accurate, Careful, Plain};
use crate::numbers::numeric::{Dtype, Numeric};
use crate::numbers::value::Value;
use crate::numbers::{Array, Rounded};
use crate::progress::Progress;
use crate::timed::{Timed, timed};

/// Elements that a loop processes between two reports of progress. Read from a file, they stay in the cache.
const BLOCK: usize = 1 << 17;

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
    pub(crate) min: Option<Place>,
    pub(crate) max: Option<Place>,
    /// The quantiles, if any were asked for.
    pub(crate) quantiles: Option<Timed<Vec<Quantile>>>,
    pub(crate) naive: Timed<Value>,
    pub(crate) accurate: Timed<Accurate>,
    /// Duration of generating, reading or converting the elements, if needed.
    pub(crate) load: Option<Duration>,
    /// From beginning to end, including the loops.
    pub(crate) total: Duration,
}

/// Computes everything, given elements that took `load` to load.
pub(crate) fn measure<T: Numeric>(
    mut engine: Engine,
    progress: &Progress,
    x: &Array<'_, T>,
    qs: &[f64],
    load: Duration,
) -> Result<Outcome, Failure>
where
    Sum: Kernel<T, Out = T::Wide>,
    Mean: Kernel<T, Out = Option<T::Mean>>,
    StdDev: Kernel<T, Out = Option<T::Mean>>,
    ArgMinMax: Kernel<T, Out = Option<Extremes<At<T>>>>,
{
    let start = Instant::now();
    let threads = engine.threads.get();
    let by = &mut engine;
    let folded = by.fold(x, progress)?;
    let place = |at: At<T>| Some(Place { index: x.position(at.index)?, value: at.value.into() });
    let extremes = folded.result.extremes;
    let quantiles = match qs {
        [] => None,
        _ => Some(timed(|| quantiles::select(by, x, qs, progress))?),
    };
    let naive = timed(|| Ok(plain(T::ZERO, x, progress)?.into()))?;
    let careful = timed(|| careful(Careful::default(), x, progress))?;
    x.unchanged()?;
    let nan = careful.result.nan;
    let accurate = Timed { result: careful.result.sum.into(), time: careful.time };
    Ok(Outcome {
        dtype: T::DTYPE,
        count: x.len() as u64,
        bytes: bytes(x),
        depth: tree::depth::<T>(x.len() as u64),
        nan,
        missing: x.missing(),
        rounded: Rounded::default(),
        device: engine.device(),
        why: engine.why,
        threads,
        pass: folded.time,
        sum: folded.result.sum.into(),
        mean: folded.result.mean.map(Into::into),
        deviation: folded.result.deviation.map(Into::into),
        min: extremes.and_then(|at| place(at.min)),
        max: extremes.and_then(|at| place(at.max)),
        quantiles,
        naive,
        accurate,
        load: x.in_memory().map(|_| load),
        total: load + start.elapsed(),
    })
}

/// Runs the naive loop, starting from `sum`.
pub(crate) fn plain<T: Numeric>(
    sum: T,
    x: &(impl Ranges<T> + ?Sized),
    progress: &Progress,
) -> Result<T, Failure> {
    let mut sum = Plain(sum);
    in_blocks("naive loop", x, progress, |block| sum.add(block))?;
    Ok(sum.0)
}

/// Runs the careful loop, starting from `careful`.
pub(crate) fn careful<T: Numeric>(
    mut careful: Careful<T::Accumulator>,
    x: &(impl Ranges<T> + ?Sized),
    progress: &Progress,
) -> Result<Careful<T::Accumulator>, Failure> {
    in_blocks("careful loop", x, progress, |block| careful.add(block))?;
    Ok(careful)
}

/// Calls a loop with all elements, in order.
fn in_blocks<T: Numeric>(
    name: &'static str,
    x: &(impl Ranges<T> + ?Sized),
    progress: &Progress,
    mut with: impl FnMut(&[T]),
) -> Result<(), Failure> {
    progress.stage(name, bytes(x));
    let mut room = Vec::new();
    for start in (0..x.len()).step_by(BLOCK) {
        let block = x.range(start..x.len().min(start + BLOCK), &mut room)?;
        with(block);
        progress.passed(size_of_val(block) as u64);
    }
    Ok(())
}

/// The size of some elements.
fn bytes<T>(x: &(impl Ranges<T> + ?Sized)) -> u64 {
    (x.len() * size_of::<T>()) as u64
}
