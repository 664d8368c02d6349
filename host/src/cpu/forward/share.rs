//! How threads share rows, each with the same number of results.

use crate::cpu::batch::{SHARES, shares};
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::Error;
use crate::float_environment;

/// What is done with each row.
pub(super) trait Work: Sync {
    /// A place for a result.
    type Slot: Send;

    /// Returns the number of rows.
    fn count(&self) -> usize;

    /// Returns the bytes of a row.
    fn bytes(&self, row: usize) -> usize;

    /// Returns the cost of all rows before this one, in bytes.
    fn weight(&self, row: usize) -> usize;

    /// Does a row: on this thread, or with all threads `by` a backend.
    fn row(&self, row: usize, by: Option<&Cpu>, slots: &mut [Self::Slot]) -> Result<(), Error>;
}

impl Cpu {
    /// Does all rows. Each has `width` slots, which are written if there is no error.
    ///
    /// # Errors
    /// [`Error::FloatEnvironment`], and the first error of a row.
    pub(super) fn share_rows<W: Work>(
        &self,
        work: &W,
        slots: &mut [W::Slot],
        width: usize,
    ) -> Result<(), Error> {
        float_environment::check()?;
        let count = work.count();
        if count == 0 || width == 0 {
            return Ok(());
        }
        // Counting the threads starts them, so small inputs avoid it.
        let tasks = work.weight(count) / TASK_BYTES;
        let threads = if tasks < 2 { 1 } else { self.threads().min(tasks) };
        if threads < 2 {
            return slots
                .chunks_mut(width)
                .enumerate()
                .try_for_each(|(row, slots)| work.row(row, None, slots));
        }
        let long = (work.weight(count) / (SHARES * threads)).max(2 * TASK_BYTES);
        for (row, slots) in slots.chunks_mut(width).enumerate().filter(|&(row, _)| work.bytes(row) >= long) {
            work.row(row, Some(self), slots)?;
        }
        let weight = |row| work.weight(row);
        let shares = shares::of(slots, width, TASK_BYTES, weight);
        share(self.pool.as_deref(), threads - 1, shares, |(numbers, slots)| {
            float_environment::check()?;
            let short = numbers.zip(slots.chunks_mut(width)).filter(|&(row, _)| work.bytes(row) < long);
            for (row, slots) in short {
                work.row(row, None, slots)?;
            }
            Ok(())
        })
    }
}
