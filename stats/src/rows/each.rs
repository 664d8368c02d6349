//! All statistics of each of many rows, which lie one after the other in memory, on the CPU. Each row gives the bits of reducing it
//! alone.

use warpfold::elements::SortKey;
use warpfold::{ArgMinMax, Cpu, Interpolation, segments};

use crate::failure::Failure;
use crate::memory::with_room;
use crate::numbers::numeric::Numeric;
use crate::statistics::fold::Statistics;

/// What is computed of each row besides the statistics.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) qs: &'a [f64],
    /// Whether NaN are no elements.
    pub(crate) skip_nan: bool,
}

/// The results of a row.
pub(crate) struct Found<T: Numeric> {
    pub(crate) statistics: Statistics<T>,
    /// The quantiles asked for; empty for an empty row.
    pub(crate) quantiles: Vec<<T as SortKey>::Quantile>,
    /// NaN that are no elements. Indices count them.
    pub(crate) skipped: u64,
}

/// Folds each row, and selects its quantiles. `starts` are the start of each row, and the end of the last.
pub(super) fn fold_each<T: Numeric>(
    cpu: &Cpu,
    x: &[T],
    mut starts: Vec<usize>,
    qs: &[f64],
) -> Result<Vec<Found<T>>, Failure> {
    let sums = cpu.reduce(T::Sums::default(), segments(x, &starts))?;
    let deviations = cpu.reduce(T::Deviations::default(), segments(x, &starts))?;
    let extremes = cpu.reduce(ArgMinMax, segments(x, &starts))?;
    let mut found = with_room(sums.len(), "there are so many rows")?;
    let of_rows = sums.into_iter().zip(deviations).zip(extremes);
    found.extend(of_rows.map(|(((sum, mean), (deviation, sample_deviation)), extremes)| Found {
        statistics: Statistics { sum, mean, deviation, sample_deviation, extremes },
        quantiles: Vec::new(),
        skipped: 0,
    }));
    // A row without elements has no quantiles.
    starts.dedup();
    if !qs.is_empty() && starts.len() > 1 {
        // What selection does not get ends the program.
        let longest = starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
        let room = longest.saturating_mul(2 * size_of::<T>());
        with_room::<u8>(room, "quantiles are selected in memory: leave --median and --quantiles out")?;
        let quantiles = cpu.quantiles(segments(x, &starts), qs, Interpolation::Linear)?;
        let rows = found.iter_mut().filter(|found| found.statistics.extremes.is_some());
        rows.zip(quantiles.chunks(qs.len())).for_each(|(found, of_row)| found.quantiles = of_row.into());
    }
    Ok(found)
}
