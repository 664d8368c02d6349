//! Runs of equal keys.

use gpu_kernels::{Element, Op};

use super::segments::Segments;
use crate::arrays::Gaps;
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::{Error, check_lengths};
use crate::memory::{self, with_room};

/// Keys that are compared at once. If they are not all equal, each is compared with the one before it, without a
/// branch. This is faster than one key after the other (docs/tuning/cpu.md).
const BLOCK: usize = 64;

impl Cpu {
    /// Folds each run: see [`crate::runs`]. Keys count the elements that are missing in `gaps`.
    pub(crate) fn runs<T: Element, O: Op<T>, K: PartialEq + Copy + Send + Sync>(
        &self,
        op: O,
        keys: &[K],
        x: &[T],
        gaps: Option<&Gaps<'_>>,
    ) -> Result<(Vec<K>, Vec<O::Out>), Error> {
        let len = gaps.map_or(x.len(), Gaps::len);
        check_lengths(keys.len(), len)?;
        let mut starts = self.run_starts(keys)?;
        let mut of_runs = with_room(starts.len())?;
        of_runs.extend(starts.iter().map(|&start| keys[start]));
        memory::push(&mut starts, len)?;
        if let Some(gaps) = gaps {
            starts.iter_mut().for_each(|start| *start = gaps.before(*start));
        }
        Ok((of_runs, self.reduce_each(op, &Segments::new(x, &starts)?)?))
    }

    /// Returns the starts of the runs.
    fn run_starts<K: PartialEq + Sync>(&self, keys: &[K]) -> Result<Vec<usize>, Error> {
        let threads = self.threads_for(size_of_val(keys));
        let len = (TASK_BYTES / size_of::<K>().max(1)).max(1);
        if keys.len() <= len {
            return starts_in(keys, 0, keys.len());
        }
        let mut portions = memory::filled(Vec::new(), keys.len().div_ceil(len))?;
        let tasks = portions.iter_mut().zip((0..).step_by(len));
        share(self.pool.as_deref(), threads - 1, tasks, |(starts, first)| {
            *starts = starts_in(keys, first, keys.len().min(first + len))?;
            Ok::<_, Error>(())
        })?;
        let mut starts = with_room(portions.iter().map(Vec::len).sum::<usize>() + 1)?;
        starts.extend(portions.iter().flatten().copied());
        Ok(starts)
    }
}

/// Returns the starts of runs among the keys from `first` to `end`: the first of all keys, and each key that differs
/// from the one before it.
fn starts_in<K: PartialEq>(keys: &[K], first: usize, end: usize) -> Result<Vec<usize>, Error> {
    let mut starts = with_room((end - first).min(BLOCK) + 1)?;
    if first == 0 && end > 0 {
        memory::push(&mut starts, 0)?;
    }
    let mut found = [0; BLOCK];
    for begin in (first.max(1)..end).step_by(BLOCK) {
        let block = &keys[begin - 1..end.min(begin + BLOCK)];
        if block[1..] == block[..block.len() - 1] {
            continue;
        }
        let mut count = 0;
        for (pair, at) in block.windows(2).zip(begin..) {
            // This is always written. If no run begins here, the next start overwrites it.
            found[count] = at;
            count += usize::from(pair[0] != pair[1]);
        }
        memory::append(&mut starts, &found[..count])?;
    }
    Ok(starts)
}
