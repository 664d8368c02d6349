//! Segments of an array that may be divided anywhere. A segment within a part is folded there. A segment across a cut
//! is folded by one tree over its ranks.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::cut::Cut;
use super::exchange::garbled;
use super::fold::{finish_each, fold_totals, totals_of};
use super::part::Sequence;
use super::{Communicator, World};
use crate::error::Error;
use crate::memory;

/// Offsets between which segments lie. They ascend.
pub(super) trait Ends {
    /// Returns the number of offsets.
    fn count(&self) -> usize;

    /// Returns an offset.
    fn at(&self, index: usize) -> u64;

    /// Returns the number of segments. One offset makes none.
    fn segments(&self) -> usize {
        self.count().saturating_sub(1)
    }

    /// Returns the range of a segment.
    fn segment(&self, segment: usize) -> Range<u64> {
        self.at(segment)..self.at(segment + 1)
    }

    /// Returns the number of offsets, all of them first, that are before a position, or at it.
    fn before(&self, position: u64, or_at: bool) -> usize {
        let is_before = |offset| offset < position || or_at && offset == position;
        let (mut start, mut end) = (0, self.count());
        while start < end {
            let middle = start + (end - start) / 2;
            if is_before(self.at(middle)) { start = middle + 1 } else { end = middle }
        }
        start
    }
}

impl Ends for [u64] {
    fn count(&self) -> usize {
        self.len()
    }
    fn at(&self, index: usize) -> u64 {
        self[index]
    }
}

/// The offsets of chunks. They are not in memory, because other ranks determine their number.
pub(super) struct ChunkEnds {
    /// Elements of a chunk, at least one.
    pub(super) len: u64,
    /// Elements of all chunks.
    pub(super) total: u64,
}

impl Ends for ChunkEnds {
    fn count(&self) -> usize {
        let chunks = usize::try_from(self.total.div_ceil(self.len)).unwrap_or(usize::MAX);
        if chunks == 0 { 0 } else { chunks.saturating_add(1) }
    }
    fn at(&self, index: usize) -> u64 {
        self.len.saturating_mul(index as u64).min(self.total)
    }
}

impl<C: Communicator> World<C> {
    /// Folds the segments between offsets, which ascend within the whole array, and finishes on each rank.
    pub(super) fn fold_segments<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &impl Sequence<T, O>,
        offsets: &(impl Ends + Sync + ?Sized),
        cut: &Cut,
    ) -> Result<Vec<O::Out>, Error> {
        let rank = self.rank();
        let mut accs = x.segments(&self.cpu, op, &local_offsets(offsets, cut, rank)?)?;
        let across = across(offsets, cut);
        let cuts: Vec<_> = across.iter().map(|&segment| cut.of_range(&offsets.segment(segment))).collect();
        // In reverse order, so that a rank sends before it waits to receive.
        let mut totals = Vec::new();
        for (&segment, pieces) in across.iter().zip(&cuts).rev() {
            let x = x.within(cut.within(rank, &offsets.segment(segment)))?;
            totals.push(self.totals(op, &x, pieces)?);
        }
        totals.push(accs);
        totals.reverse();
        accs = memory::joined(&totals)?;
        let count = |rank| {
            let totals = cuts.iter().map(|pieces| totals_of::<T, O>(pieces, rank));
            totals.fold(inside(offsets, cut, rank).len(), usize::saturating_add)
        };
        // This comes before the allocation for the results. So their number is limited by what was sent.
        let all = self.gather(&accs, count)?;
        let mut folded = memory::zeroed::<O::Acc>(offsets.segments())?;
        crate::cpu::reducing::<O::Acc, _>(|| folded.fill(O::IDENTITY))?;
        let mut totals = memory::filled(Vec::new(), across.len())?;
        for (rank, accs) in all.iter().enumerate() {
            let inside = inside(offsets, cut, rank);
            let (within, mut rest) = accs.split_at_checked(inside.len()).ok_or_else(|| garbled(rank))?;
            folded[inside].copy_from_slice(within);
            for (totals, pieces) in totals.iter_mut().zip(&cuts) {
                let own = rest.split_off(..totals_of::<T, O>(pieces, rank)).ok_or_else(|| garbled(rank))?;
                memory::reserve(totals, own.len())?;
                totals.extend_from_slice(own);
            }
        }
        for (&segment, totals) in across.iter().zip(totals) {
            folded[segment..=segment].copy_from_slice(&fold_totals::<T, O>(totals, 1)?);
        }
        finish_each::<T, O>(&folded, |segment| {
            let Range { start, end } = offsets.segment(segment);
            end - start
        })
    }
}

/// Returns the segments within a rank's part. An empty one between two parts is in both.
fn inside(offsets: &(impl Ends + ?Sized), cut: &Cut, rank: usize) -> Range<usize> {
    let part = cut.part(rank);
    let first = offsets.before(part.start, false).min(offsets.segments());
    let last = offsets.before(part.end, true).saturating_sub(1);
    first..last.max(first)
}

/// Returns the offsets of the segments within a rank's part, counted from its start; empty if there are no segments.
pub(super) fn local_offsets(
    offsets: &(impl Ends + ?Sized),
    cut: &Cut,
    rank: usize,
) -> Result<Vec<u64>, Error> {
    let (inside, start) = (inside(offsets, cut, rank), cut.part(rank).start);
    if inside.is_empty() {
        return Ok(Vec::new());
    }
    memory::collected((inside.start..=inside.end).map(|at| offsets.at(at) - start))
}

/// Returns the segment across a position, which has elements on both sides.
pub(super) fn segment_across(offsets: &(impl Ends + ?Sized), position: u64) -> Option<usize> {
    let segment = offsets.before(position, false).checked_sub(1)?;
    (segment < offsets.segments() && position < offsets.at(segment + 1)).then_some(segment)
}

/// Returns the segments across a cut, in order.
fn across(offsets: &(impl Ends + ?Sized), cut: &Cut) -> Vec<usize> {
    let mut across: Vec<usize> =
        (0..cut.parts()).filter_map(|rank| segment_across(offsets, cut.part(rank).end)).collect();
    across.dedup();
    across
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_end_where_their_offsets_would() {
        for (len, total) in [(1, 0), (1, 7), (3, 7), (7, 7), (9, 7), (4, 12)] {
            let starts = (0..total).step_by(len as usize);
            let offsets: Vec<u64> = if total == 0 { Vec::new() } else { starts.chain([total]).collect() };
            let ends = ChunkEnds { len, total };
            assert_eq!((0..ends.count()).map(|at| ends.at(at)).collect::<Vec<_>>(), offsets);
            for position in 0..total + 2 {
                let [before, to] = [false, true].map(|or_at| ends.before(position, or_at));
                assert_eq!(before, offsets.partition_point(|&offset| offset < position));
                assert_eq!(to, offsets.partition_point(|&offset| offset <= position));
                assert_eq!(segment_across(&ends, position), segment_across(&offsets[..], position));
            }
        }
        let many = ChunkEnds { len: 1, total: u64::MAX };
        assert_eq!((many.count(), many.at(usize::MAX)), (usize::MAX, u64::MAX));
    }
}
