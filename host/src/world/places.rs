//! Positions in an array with missing elements, over all ranks. Positions count missing elements; a rank folds the present
//! ones.

use gpu_kernels::{Element, Op};

use super::cut::Cut;
use super::exchange::garbled;
use super::part::Sequence;
use super::segments::Ends;
use super::{Communicator, World};
use crate::arrays::Gaps;
use crate::error::Error;
use crate::memory;

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
    /// Does [`agree`](World::agree) for a call whose positions count missing elements. So does `len`; `missing` elements
    /// of this rank's part are missing.
    pub(super) fn agree_on_places(
        &self,
        call: &str,
        len: Result<u64, Error>,
        missing: u64,
    ) -> Result<Places, Error> {
        let (positions, missing) = self.agree_on(call, len, [missing, 1])?;
        Ok(Places { present: positions.without(&missing), positions })
    }

    /// Folds the segments between offsets, which ascend within the whole array and count missing elements, and finishes
    /// on each rank. `gaps` are the gaps of this rank's part.
    pub(super) fn fold_places<T: Element, O: Op<T>>(
        &self,
        op: O,
        (x, gaps): (&impl Sequence<T, O>, Option<&Gaps<'_>>),
        offsets: &(impl Ends + Sync + ?Sized),
        places: &Places,
    ) -> Result<Vec<O::Out>, Error> {
        if places.are_whole() {
            return self.fold_segments(op, x, offsets, &places.positions);
        }
        let among = self.among_present(offsets, gaps, places)?;
        self.fold_segments(op, x, &among[..], &places.present)
    }

    /// Returns the number of present elements before each of these positions in the array. The positions ascend and are
    /// the same on all ranks. `gaps` are the gaps of this rank's part.
    pub(super) fn among_present(
        &self,
        positions: &(impl Ends + ?Sized),
        gaps: Option<&Gaps<'_>>,
        places: &Places,
    ) -> Result<Vec<u64>, Error> {
        // Each rank counts before the positions in its part. There is none after the last part.
        let of_rank = |rank: usize| {
            let part = places.positions.part(rank);
            positions.before(part.start, false)..positions.before(part.end, false)
        };
        let before = |index: usize| {
            let own = places.positions.within(self.rank(), &(0..positions.at(index))).end;
            gaps.map_or(own, |gaps| gaps.before(own)) as u64
        };
        let own = of_rank(self.rank());
        let own: Vec<u64> = memory::collected(own.map(before))?;
        // This comes before the allocation for all counts. So their number is limited by what was sent.
        let all = self.gather::<u64>(&own, |rank| of_rank(rank).len())?;
        let mut among = memory::with_room(positions.count())?;
        for (rank, before) in all.iter().enumerate() {
            let part = places.present.part(rank);
            let are_within = before.last().is_none_or(|&last| last <= part.end - part.start);
            if !(before.is_sorted() && are_within) {
                return Err(garbled(rank));
            }
            among.extend(before.iter().map(|before| part.start + before));
        }
        among.resize(positions.count(), places.present.total());
        Ok(among)
    }
}
