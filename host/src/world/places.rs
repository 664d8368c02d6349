//! Positions in an array with missing elements, over all ranks: they count missing elements, and a rank folds those that are
//! present.

use std::borrow::Cow;

use super::cut::Cut;
use super::{Communicator, World};
use crate::Error;
use crate::arrays::Gaps;
use crate::error::RankFault;

/// The parts of an array.
pub(super) struct Places {
    /// As positions in the array.
    pub(super) positions: Cut,
    /// Among the elements that are present.
    pub(super) present: Cut,
}

impl Places {
    /// Returns whether no element of any part is missing.
    pub(super) fn are_whole(&self) -> bool {
        self.positions.total() == self.present.total()
    }
}

impl<C: Communicator> World<C> {
    /// Does [`agree`](World::agree) for a call whose positions count missing elements: `len` does, and of this rank's part
    /// `missing` elements are missing.
    pub(super) fn agree_on_places(
        &self,
        call: &str,
        len: Result<u64, Error>,
        missing: u64,
    ) -> Result<Places, Error> {
        let (positions, missing) = self.agree_on(call, len, missing)?;
        Ok(Places { present: positions.without(&missing), positions })
    }

    /// Returns the number of present elements before each of these positions in the array, which ascend and are the same on
    /// all ranks. `gaps` are those of this rank's part.
    pub(super) fn among_present<'a>(
        &self,
        positions: &'a [u64],
        gaps: Option<&Gaps<'_>>,
        places: &Places,
    ) -> Result<Cow<'a, [u64]>, Error> {
        if places.are_whole() {
            return Ok(positions.into());
        }
        // Each rank counts before the positions in its part. There is none after the last part.
        let of_rank = |rank: usize| {
            let part = places.positions.part(rank);
            let at = |end: u64| positions.partition_point(|&position| position < end);
            at(part.start)..at(part.end)
        };
        let before = |&position: &u64| {
            let own = places.positions.within(self.rank(), &(0..position)).end;
            gaps.map_or(own, |gaps| gaps.before(own)) as u64
        };
        let own: Vec<u64> = positions[of_rank(self.rank())].iter().map(before).collect();
        let mut among = Vec::with_capacity(positions.len());
        for (rank, before) in self.gather_accs::<u64>(&own)?.iter().enumerate() {
            let part = places.present.part(rank);
            let is_right = before.len() == of_rank(rank).len()
                && before.is_sorted()
                && before.last().is_none_or(|&last| last <= part.end - part.start);
            if !is_right {
                return Err(Error::Rank { rank, fault: RankFault::Garbled });
            }
            among.extend(before.iter().map(|before| part.start + before));
        }
        among.resize(positions.len(), places.present.total());
        Ok(among.into())
    }
}
