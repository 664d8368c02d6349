//! The number of elements of each group.

use super::{group_of, portion_len};
use crate::cpu::batch::with_room;
use crate::cpu::{Cpu, share};
use crate::error::Error;
use crate::index_type::IndexType;

/// The element counts of groups in portions of an array.
pub(super) struct Counts {
    /// Elements per portion.
    pub(super) portion_len: usize,
    /// One table of counts for each portion.
    pub(super) portions: Vec<Vec<u32>>,
}

impl Counts {
    /// Returns a group's number of elements: in all, in the portions before this one, and in this one.
    pub(super) fn of_portion(&self, portion: usize, group: usize) -> (usize, usize, usize) {
        let before = self.portions[..portion].iter().map(|counts| counts[group] as usize).sum();
        (self.of(group), before, self.portions[portion][group] as usize)
    }

    /// Returns a group's number of elements.
    pub(super) fn of(&self, group: usize) -> usize {
        self.portions.iter().map(|counts| counts[group] as usize).sum()
    }
}

impl Cpu {
    /// Counts the elements of each group, with up to `threads` threads.
    ///
    /// # Errors
    /// [`Error::Group`] with the first id that is out of range.
    pub(super) fn count_groups<I: IndexType>(
        &self,
        ids: &[I],
        groups: usize,
        threads: usize,
    ) -> Result<Counts, Error> {
        let portion_len = portion_len(ids.len(), groups, threads);
        let mut portions: Vec<_> = (0..ids.len().div_ceil(portion_len)).map(|_| Ok(Vec::new())).collect();
        let tasks = portions.iter_mut().zip(ids.chunks(portion_len)).zip((0..).step_by(portion_len));
        share(self.pool.as_deref(), threads - 1, tasks, |((counts, ids), base)| {
            *counts = count(ids, groups, base);
            Ok::<_, Error>(())
        })?;
        // Of several wrong ids, the first is reported.
        Ok(Counts { portion_len, portions: portions.into_iter().collect::<Result<_, _>>()? })
    }
}

fn count<I: IndexType>(ids: &[I], groups: usize, base: usize) -> Result<Vec<u32>, Error> {
    let mut counts: Vec<u32> = with_room(groups)?;
    counts.resize(groups, 0);
    for (at, &id) in ids.iter().enumerate() {
        counts[group_of(id, groups, base + at)?] += 1;
    }
    Ok(counts)
}
