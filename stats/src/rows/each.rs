//! All statistics of each of many rows, on the CPU. Each row gives the bits of reducing it alone. `axes` defines
//! the rows.

use std::num::NonZeroUsize;

use warpfold::elements::SortKey;
use warpfold::{Cpu, Interpolation};

use crate::failure::Failure;
use crate::memory::with_room;
use crate::numbers::numeric::Numeric;
use crate::rows::axes::Strided;
use crate::statistics::fold::{Statistics, fold};
use crate::statistics::threads::{fold_together, in_rooms};

/// Bytes of rows in one task of a thread.
pub(super) const TASK: usize = 1 << 20;

/// The overhead of a row, as a number of bytes.
pub(super) const ROW: usize = 128;

/// The least bytes of a row that all threads fold together.
const LONG: usize = 4 << 20;

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
pub(super) fn fold_each<T: Numeric>(
    cpu: &Cpu,
    threads: NonZeroUsize,
    lines: &Strided<'_, T>,
    asked: Asked<'_>,
) -> Result<Vec<Found<T>>, Failure> {
    let (count, bytes) = (lines.count, lines.len.saturating_mul(size_of::<T>()));
    let mut found = with_room(count, "there are so many rows")?;
    if !asked.qs.is_empty() {
        // What selection does not get ends the program.
        let room = bytes.saturating_mul(2);
        with_room::<u8>(room, "quantiles are selected in memory: leave --median and --quantiles out")?;
    }
    let long = (bytes.saturating_mul(count) / (4 * threads.get())).max(LONG);
    if bytes >= long && !asked.skip_nan {
        for row in 0..count {
            lines.each(row..row + 1, &mut |x| {
                let statistics = fold_together(cpu, threads, &x, &mut |_| ())?;
                found.push(Found { statistics, quantiles: quantiles(cpu, x, asked.qs)?, skipped: 0 });
                Ok(())
            })?;
        }
        return Ok(found);
    }
    let together = (TASK / bytes.saturating_add(ROW)).max(1);
    let task = |number: usize, _: &mut Vec<T>| {
        let mut some = Vec::new();
        lines.each(number * together..count.min((number + 1) * together), &mut |x| {
            some.push(Found::of(cpu, x, asked)?);
            Ok(())
        })?;
        Ok(some)
    };
    let folded: Vec<Vec<_>> = in_rooms(threads.get(), count.div_ceil(together), &task, &mut |_| ())?;
    found.extend(folded.into_iter().flatten());
    Ok(found)
}

fn quantiles<T: Numeric>(cpu: &Cpu, x: &[T], qs: &[f64]) -> Result<Vec<<T as SortKey>::Quantile>, Failure> {
    if qs.is_empty() || x.is_empty() {
        return Ok(Vec::new());
    }
    Ok(cpu.quantiles(x, qs, Interpolation::Linear)?)
}
