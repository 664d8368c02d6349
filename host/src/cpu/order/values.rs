//! Sorting keys that have few distinct values, by counting each value.

use std::convert::Infallible;

use gpu_kernels::Rank;

use crate::cpu::processor::{self, Job, Processor};
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::Error;
use crate::memory;

/// Elements that are compared with each other at first. If at most so many of them are distinct, the array is expected
/// to have few values.
const LOOKED_AT: usize = 32;
const PROMISING: usize = 20;

/// Most distinct values that are counted.
const FEW: usize = 24;

/// Elements that are counted at once.
const BLOCK: usize = 1 << 12;

/// Returns whether an array seems to have few distinct elements.
pub(super) fn seem_few<R, K: Rank>(x: &[R], rank: impl Fn(&R) -> K) -> bool {
    let apart = x.len() / LOOKED_AT;
    let mut ranks: [K; LOOKED_AT] = std::array::from_fn(|i| rank(&x[i * apart]));
    ranks.sort_unstable();
    ranks.chunk_by(|left, right| left == right).count() <= PROMISING
}

impl Cpu {
    /// Sorts keys, if they have few distinct values. Returns whether it did. Equal keys have the same bits.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory. No key was moved.
    pub(super) fn sort_few_values<R: Copy + Send + Sync, K: Rank>(
        &self,
        x: &mut [R],
        rank: impl Fn(&R) -> K + Copy + Sync,
    ) -> Result<bool, Error> {
        let len = (TASK_BYTES / size_of::<R>().max(1)).max(1);
        let mut parts = memory::filled([None; FEW], x.len().div_ceil(len))?;
        let helpers = self.threads_for(size_of_val(x)) - 1;
        let mut tasks = x.chunks(len).zip(&mut parts);
        let task = |(x, values)| {
            let mut are_few = false;
            processor::widest(Counting { x, rank, values, are_few: &mut are_few });
            if are_few { Ok(()) } else { Err(()) }
        };
        // No thread is woken for an array that begins with many values.
        let is_first_of_few = tasks.next().is_none_or(|first| task(first).is_ok());
        if !is_first_of_few || share(self.pool.as_deref(), helpers, tasks, task).is_err() {
            return Ok(false);
        }
        let mut values: Vec<(R, usize)> = memory::collected(parts.into_iter().flatten().flatten())?;
        values.sort_unstable_by_key(|(value, _)| rank(value));
        if values.chunk_by(|left, right| rank(&left.0) == rank(&right.0)).count() > FEW {
            return Ok(false);
        }
        let mut fills = memory::with_room(x.len() / len + values.len())?;
        let mut rest = x;
        for (value, count) in values {
            let places = rest.split_off_mut(..count).unwrap_or_default();
            fills.extend(places.chunks_mut(len).map(|places| (places, value)));
        }
        let Ok(()) = share(self.pool.as_deref(), helpers, fills.into_iter(), |(places, value)| {
            places.fill(value);
            Ok::<_, Infallible>(())
        });
        Ok(true)
    }
}

/// Counts the elements of each value, unless there are more than [`FEW`].
struct Counting<'a, R, F> {
    x: &'a [R],
    rank: F,
    values: &'a mut [Option<(R, usize)>; FEW],
    are_few: &'a mut bool,
}

impl<R: Copy, K: Rank, F: Fn(&R) -> K + Copy> Job for Counting<'_, R, F> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl Processor) {
        let Self { x, rank, values, are_few } = self;
        let mut found = 0;
        for block in x.chunks(BLOCK) {
            let mut rest = block.len();
            for (value, count) in values[..found].iter_mut().flatten() {
                let here = count_equal(block, rank(value), rank);
                *count += here;
                rest -= here;
            }
            while rest > 0 {
                let is_known =
                    |x: &R| values[..found].iter().flatten().any(|known| rank(&known.0) == rank(x));
                let Some(&new) = block.iter().find(|x| !is_known(x)) else { return };
                let here = count_equal(block, rank(&new), rank);
                let Some(place) = values.get_mut(found) else { return };
                *place = Some((new, here));
                found += 1;
                rest -= here;
            }
        }
        *are_few = true;
    }
}

#[inline(always)]
fn count_equal<R, K: Rank>(block: &[R], value: K, rank: impl Fn(&R) -> K) -> usize {
    let mut count = 0_u32;
    for x in block {
        count += u32::from(rank(x) == value);
    }
    count as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_sorted_and_more_left_alone() {
        const LONG: u32 = 1_500_000;
        let cpu = Cpu::with_threads(3).unwrap();
        for (distinct, n) in [(1, 70), (FEW, 10_000), (FEW + 1, 10_000), (FEW, LONG), (FEW + 1, LONG)] {
            // Of long arrays, each part has few values.
            let at = |i: u32| if n == LONG { i / 100_000 + i % 10 } else { i * i % 0xFFF1 };
            let x: Vec<u32> = (0..n).map(|i| at(i) % distinct as u32 * 77).collect();
            let (mut found, mut sorted) = (x.clone(), x.clone());
            sorted.sort_unstable();
            let are_few = cpu.sort_few_values(&mut found, |&x| x).unwrap();
            let mut values = sorted.clone();
            values.dedup();
            assert_eq!(are_few, values.len() <= FEW, "{distinct}");
            assert_eq!(found, if are_few { sorted } else { x }, "{distinct}");
        }
    }
}
