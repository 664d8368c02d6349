//! Copies of elements, group after group.

use super::{each, group_of};
use crate::cpu::Cpu;
use crate::error::{Error, check_lengths};
use crate::index_type::IndexType;
use crate::memory;

impl Cpu {
    /// Returns the elements of each group in their order, group after group, and the offsets of the groups.
    pub(crate) fn sorted_by_group<T: Copy, I: IndexType>(
        &self,
        ids: &[I],
        x: &[T],
        groups: usize,
    ) -> Result<(Vec<T>, Vec<usize>), Error> {
        check_lengths(ids.len(), x.len())?;
        let room = groups.checked_add(2).ok_or(Error::TooManyResults { results: groups })?;
        // Place `g + 2` counts group `g`; then place `g + 1` is where its next element goes, and in the end where it ends.
        let mut next = memory::filled(0, room)?;
        for (at, &id) in ids.iter().enumerate() {
            next[group_of(id, groups, at)? + 2] += 1;
        }
        let mut sum = 0;
        for place in &mut next {
            sum += *place;
            *place = sum;
        }
        let mut sorted = memory::copied(x)?;
        each(groups, (ids, x), 0, |group, x| {
            let place = &mut next[group + 1];
            sorted[*place] = x;
            *place += 1;
        })?;
        next.truncate(groups + 1);
        Ok((sorted, next))
    }
}
