//! All statistics of each of many rows, on the CPU. Each row gives the bits of reducing it alone. `axes` and
//! `groups` define the rows.

use std::num::NonZeroUsize;
use std::ops::Range;

use warpfold::elements::SortKey;
use warpfold::{Cpu, Interpolation};

use crate::failure::Failure;
use crate::memory::with_room;
use crate::numbers::numeric::Numeric;
use crate::statistics::fold::{Statistics, fold};
use crate::statistics::threads::{Slot, fold_together, share};

/// Bytes of rows in one task of a thread.
pub(super) const TASK: usize = 1 << 20;

/// The overhead of a row, as a number of bytes.
pub(super) const ROW: usize = 128;

/// The least bytes of a row that all threads fold together.
const LONG: usize = 4 << 20;

/// Rows of elements.
pub(crate) trait Lines<T>: Sync {
    /// Number of rows.
    fn count(&self) -> usize;

    /// Elements of a row.
    fn len(&self, row: usize) -> usize;

    /// Calls a function with each of some neighbouring rows, in order.
    fn each(
        &self,
        rows: Range<usize>,
        with: &mut dyn FnMut(&[T]) -> Result<(), Failure>,
    ) -> Result<(), Failure>;
}

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

impl<T: Numeric> Found<T> {
    /// Folds a row, on the calling thread, and selects its quantiles.
    pub(super) fn of(cpu: &Cpu, x: &[T], asked: Asked<'_>) -> Result<Self, Failure> {
        let mut numbers: Vec<T> = Vec::new();
        let skips = asked.skip_nan && x.iter().any(|x| x.is_nan());
        if skips {
            numbers = with_room(x.len(), "a row without its NaN is a copy")?;
            numbers.extend(x.iter().filter(|x| !x.is_nan()));
        }
        let kept = if skips { &numbers } else { x };
        let mut statistics = fold(cpu, kept)?;
        if let Some(extremes) = statistics.extremes.as_mut().filter(|_| skips) {
            for index in [&mut extremes.min.index, &mut extremes.max.index] {
                let mut places = (0..).zip(x).filter(|(_, x)| !x.is_nan()).map(|(place, _)| place);
                *index = places.nth(*index as usize).unwrap_or(*index);
            }
        }
        let skipped = (x.len() - kept.len()) as u64;
        Ok(Self { statistics, quantiles: quantiles(cpu, kept, asked.qs)?, skipped })
    }
}

/// Folds each row, and selects its quantiles.
pub(crate) fn fold_each<T: Numeric>(
    cpu: &Cpu,
    threads: NonZeroUsize,
    lines: &dyn Lines<T>,
    asked: Asked<'_>,
) -> Result<Vec<Found<T>>, Failure> {
    let count = lines.count();
    let mut found = with_room::<Option<Found<T>>>(count, "there are so many rows")?;
    found.extend((0..count).map(|_| None));
    let bytes = |row| lines.len(row).saturating_mul(size_of::<T>());
    let longest = (0..count).map(bytes).max().unwrap_or(0);
    if !asked.qs.is_empty() {
        // What selection does not get ends the program.
        let room = longest.saturating_mul(2);
        with_room::<u8>(room, "quantiles are selected in memory: leave --median and --quantiles out")?;
    }
    let long = ((0..count).map(bytes).sum::<usize>() / (4 * threads.get())).max(LONG);
    let mut tasks = Vec::new();
    let (mut first, mut weight) = (0, 0);
    for (row, place) in found.iter_mut().enumerate() {
        if bytes(row) >= long && !asked.skip_nan {
            tasks.push(first..row);
            (first, weight) = (row + 1, 0);
            lines.each(row..row + 1, &mut |x| {
                let statistics = fold_together(cpu, threads, &x, &mut |_| ())?;
                *place = Some(Found { statistics, quantiles: quantiles(cpu, x, asked.qs)?, skipped: 0 });
                Ok(())
            })?;
            continue;
        }
        if weight >= TASK {
            tasks.push(first..row);
            (first, weight) = (row, 0);
        }
        weight += bytes(row) + ROW;
    }
    tasks.push(first..count);
    let folded: Vec<Slot<Result<Vec<Found<T>>, Failure>>> = Slot::empty(tasks.len());
    let task = |number: usize| {
        let mut some = Vec::new();
        let result = lines.each(tasks[number].clone(), &mut |x| {
            some.push(Found::of(cpu, x, asked)?);
            Ok(())
        });
        folded[number].fill(result.map(|()| some));
    };
    share(threads.get(), tasks.len(), &task, &mut |_| ())?;
    for (rows, some) in tasks.into_iter().zip(folded.into_iter().filter_map(Slot::result)) {
        for (place, row) in found[rows].iter_mut().zip(some?) {
            *place = Some(row);
        }
    }
    Ok(found.into_iter().flatten().collect())
}

fn quantiles<T: Numeric>(cpu: &Cpu, x: &[T], qs: &[f64]) -> Result<Vec<<T as SortKey>::Quantile>, Failure> {
    if qs.is_empty() || x.is_empty() {
        return Ok(Vec::new());
    }
    Ok(cpu.quantiles(x, qs, Interpolation::Linear)?)
}
