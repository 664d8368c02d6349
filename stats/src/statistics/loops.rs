//! The loops over all elements on one thread, read in blocks.

use crate::failure::Failure;
use crate::numbers::array::Ranges;
use crate::numbers::naive::{Accurate, Careful, Plain};
use crate::numbers::numeric::Numeric;
use crate::numbers::value::Value;
use crate::progress::Progress;
use crate::timed::{Timed, timed};

/// Elements that a loop processes between two reports of progress. Read from a file, they stay in the cache.
const BLOCK: usize = 1 << 17;

/// The sums by loops, to compare with.
pub(crate) struct Loops {
    pub(crate) naive: Timed<Value>,
    pub(crate) accurate: Timed<Accurate>,
}

/// Runs both loops.
pub(crate) fn both<T: Numeric>(x: &dyn Ranges<T>, progress: &Progress) -> Result<Loops, Failure> {
    Ok(Loops {
        naive: timed(|| Ok(plain(T::ZERO, x, progress)?.into()))?,
        accurate: timed(|| Ok(careful(T::Accumulator::default(), x, progress)?.into()))?,
    })
}

/// Runs the naive loop, starting from `sum`.
pub(crate) fn plain<T: Numeric>(sum: T, x: &dyn Ranges<T>, progress: &Progress) -> Result<T, Failure> {
    let mut sum = Plain(sum);
    in_blocks("naive loop", x, progress, &mut |block| sum.add(block))?;
    Ok(sum.0)
}

/// Runs the careful loop, starting from `sum`.
pub(crate) fn careful<T: Numeric>(
    sum: T::Accumulator,
    x: &dyn Ranges<T>,
    progress: &Progress,
) -> Result<T::Accumulator, Failure> {
    let mut sum = Careful(sum);
    in_blocks("careful loop", x, progress, &mut |block| sum.add(block))?;
    Ok(sum.0)
}

/// Counts the elements that are NaN.
pub(crate) fn count_nan<T: Numeric>(x: &dyn Ranges<T>, progress: &Progress) -> Result<u64, Failure> {
    let mut count = 0;
    in_blocks("counting NaN", x, progress, &mut |block| {
        count += block.iter().map(|x| u64::from(x.is_nan())).sum::<u64>();
    })?;
    Ok(count)
}

/// Calls a loop with all elements, in order.
fn in_blocks<T: Numeric>(
    name: &'static str,
    x: &dyn Ranges<T>,
    progress: &Progress,
    with: &mut dyn FnMut(&[T]),
) -> Result<(), Failure> {
    progress.stage(name, (x.len() * size_of::<T>()) as u64);
    let mut room = Vec::new();
    for start in (0..x.len()).step_by(BLOCK) {
        let block = x.range(start..x.len().min(start + BLOCK), &mut room)?;
        with(block);
        progress.passed(size_of_val(block) as u64);
    }
    Ok(())
}
