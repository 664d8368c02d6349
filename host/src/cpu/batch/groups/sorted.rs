//! Copies of elements, group after group.

use super::group_of;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::index_type::IndexType;
use crate::memory;

impl Cpu {
    /// Returns the elements of each group in their order, group after group, and the offsets of the groups. There is an id for each element.
    pub(crate) fn sorted_by_group<T: Copy, I: IndexType>(
        &self,
        ids: &[I],
        x: &[T],
        groups: usize,
    ) -> Result<(Vec<T>, Vec<usize>), Error> {
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
        // Overwritten, all of it.
        let mut sorted = memory::copied(x)?;
        for (&id, &x) in ids.iter().zip(x) {
            // The ids were checked above.
            let place = &mut next[id.index().unwrap_or(0) + 1];
            sorted[*place] = x;
            *place += 1;
        }
        next.truncate(groups + 1);
        Ok((sorted, next))
    }
}
