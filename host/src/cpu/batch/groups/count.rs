//! The number of elements of each group.

use super::{group_of, portion_len};
use crate::cpu::processor::{BLOCK, read_ahead};
use crate::cpu::{Cpu, share};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::memory;

/// Most groups that are counted in several tables, and the number of these tables. Neighbouring ids count in different
/// ones, because a counter that was just written is slow to read. Four tables are faster for 10 groups, and slower for 1000
/// (docs/tuning/cpu.md).
const FEW: usize = 256;
const TABLES: usize = 4;

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
        let of = |portions: &[Vec<u32>]| portions.iter().map(|counts| counts[group] as usize).sum();
        (of(&self.portions), of(&self.portions[..portion]), self.portions[portion][group] as usize)
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
        let mut portions = memory::collected((0..ids.len().div_ceil(portion_len)).map(|_| Ok(Vec::new())))?;
        let tasks = portions.iter_mut().zip(ids.chunks(portion_len)).zip((0..).step_by(portion_len));
        share(self.pool.as_deref(), threads - 1, tasks, |((counts, ids), base)| {
            *counts = if groups <= FEW {
                count::<I, TABLES>(ids, groups, base)
            } else {
                count::<I, 1>(ids, groups, base)
            };
            Ok::<_, Error>(())
        })?;
        // Of several wrong ids, the first is reported.
        let mut counts = memory::with_room(portions.len())?;
        for portion in portions {
            counts.push(portion?);
        }
        Ok(Counts { portion_len, portions: counts })
    }
}

/// Counts in `N` tables, which are side by side.
fn count<I: IndexType, const N: usize>(ids: &[I], groups: usize, base: usize) -> Result<Vec<u32>, Error> {
    let mut tables = memory::filled([0_u32; N], groups)?;
    let ((blocks, last), mut at) = (read_ahead(ids), base);
    for ids in blocks {
        for (k, &id) in ids.iter().enumerate() {
            tables[group_of(id, groups, at + k)?][k % N] += 1;
        }
        at += BLOCK;
    }
    for (&id, at) in last.iter().zip(at..) {
        tables[group_of(id, groups, at)?][0] += 1;
    }
    memory::collected(tables.iter().map(|counts| counts.iter().sum()))
}
