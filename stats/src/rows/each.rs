//! All statistics of each of many rows, on the CPU. Each row gives the bits of reducing it alone. `axes` and
//! `groups` define the rows.

use std::num::NonZeroUsize;

use warpfold::verb::{Backend, Reduce};
use warpfold::{ArgMinMax, At, Cpu, Extremes, Interpolate, Interpolation};

use crate::failure::Failure;
use crate::memory::with_room;
use crate::numbers::numeric::Numeric;
use crate::statistics::fold::Statistics;
use crate::statistics::threads::fold_together;

/// The results of a row.
pub(crate) struct Found<T: Numeric> {
    pub(crate) statistics: Statistics<T>,
    /// The quantiles asked for; empty for an empty row.
    pub(crate) quantiles: Vec<<T as Interpolate>::Out>,
}

impl<T: Numeric> Found<T> {
    /// Folds a row, and selects its quantiles `qs`.
    pub(super) fn of(cpu: &Cpu, threads: NonZeroUsize, x: &[T], qs: &[f64]) -> Result<Self, Failure> {
        let statistics = fold_together(cpu, threads, x, &mut |_| ())?;
        if qs.is_empty() {
            return Ok(Self { statistics, quantiles: Vec::new() });
        }
        // What selection does not get ends the program.
        let what = "quantiles are selected in memory: leave --median and --quantiles out";
        with_room::<u8>(2 * size_of_val(x), what)?;
        Ok(Self { statistics, quantiles: cpu.quantiles(x, qs, Interpolation::Linear)? })
    }
}

/// Reduces each row of `input` with each operator in turn.
pub(super) fn statistics<T: Numeric, I: Copy>(cpu: &Cpu, input: I) -> Result<Vec<Statistics<T>>, Failure>
where
    Cpu: Backend<Reduce<T::Sums, I>, Results = Vec<(T::Wide, Option<T::Mean>)>>
        + Backend<Reduce<T::Deviations, I>, Results = Vec<[Option<T::Mean>; 2]>>
        + Backend<Reduce<ArgMinMax, I>, Results = Vec<Option<Extremes<At<T>>>>>,
{
    let sums = cpu.reduce(T::Sums::default(), input)?;
    let deviations = cpu.reduce(T::Deviations::default(), input)?;
    let extremes = cpu.reduce(ArgMinMax, input)?;
    let mut rows = with_room(sums.len(), "there are so many rows")?;
    let results = sums.into_iter().zip(deviations).zip(extremes);
    rows.extend(results.map(|(((sum, mean), [deviation, sample_deviation]), extremes)| Statistics {
        sum,
        mean,
        deviation,
        sample_deviation,
        extremes,
    }));
    Ok(rows)
}
