//! Segments of an array that may be divided anywhere: those within a part are folded there, and each segment across a
//! cut by one tree over its ranks.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::cut::Cut;
use super::fold::{finish_each, fold_totals, totals_of};
use super::part::Sequence;
use super::{Communicator, World};
use crate::Error;
use crate::error::RankFault;

impl<C: Communicator> World<C> {
    /// Folds the segments between offsets, which ascend within the whole array, and finishes on each rank.
    pub(super) fn fold_segments<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &impl Sequence<T, O>,
        offsets: &[u64],
        cut: &Cut,
    ) -> Result<Vec<O::Out>, Error> {
        let rank = self.rank();
        let mut accs = x.segments(&self.cpu, op, &local_offsets(offsets, cut, rank))?;
        let across = across(offsets, cut);
        let cuts: Vec<_> =
            across.iter().map(|&segment| cut.of_range(&(offsets[segment]..offsets[segment + 1]))).collect();
        // In reverse order, so that a rank sends before it waits to receive.
        let mut totals = Vec::new();
        for (&segment, pieces) in across.iter().zip(&cuts).rev() {
            let x = x.within(cut.within(rank, &(offsets[segment]..offsets[segment + 1])))?;
            totals.push(self.totals(op, &x, pieces)?);
        }
        accs.extend(totals.into_iter().rev().flatten());
        let mut folded = bytemuck::zeroed_vec::<O::Acc>(offsets.len().saturating_sub(1));
        crate::cpu::reducing::<O::Acc, _>(|| folded.fill(O::IDENTITY))?;
        let mut totals = vec![Vec::new(); across.len()];
        for (rank, accs) in self.gather_accs::<O::Acc>(&accs)?.iter().enumerate() {
            let garbled = || Error::Rank { rank, fault: RankFault::Garbled };
            let inside = inside(offsets, cut, rank);
            let (within, mut rest) = accs.split_at_checked(inside.len()).ok_or_else(garbled)?;
            folded[inside].copy_from_slice(within);
            for (totals, pieces) in totals.iter_mut().zip(&cuts) {
                let own = totals_of::<T, O>(pieces, rank);
                totals.extend_from_slice(rest.split_off(..own).ok_or_else(garbled)?);
            }
        }
        for (&segment, totals) in across.iter().zip(totals) {
            folded[segment..=segment].copy_from_slice(&fold_totals::<T, O>(totals, 1)?);
        }
        finish_each::<T, O>(&folded, |segment| offsets[segment + 1] - offsets[segment])
    }
}

/// Returns the segments within a rank's part. An empty one between two parts is in both.
fn inside(offsets: &[u64], cut: &Cut, rank: usize) -> Range<usize> {
    let part = cut.part(rank);
    // One offset makes no segment.
    let segments = offsets.len().saturating_sub(1);
    let first = offsets.partition_point(|&offset| offset < part.start).min(segments);
    let last = offsets.partition_point(|&offset| offset <= part.end).saturating_sub(1);
    first..last.max(first)
}

/// Returns the offsets of the segments within a rank's part, counted from its start; empty if there are no segments.
pub(super) fn local_offsets(offsets: &[u64], cut: &Cut, rank: usize) -> Vec<u64> {
    let (inside, start) = (inside(offsets, cut, rank), cut.part(rank).start);
    let offsets = if inside.is_empty() { &[] } else { &offsets[inside.start..=inside.end] };
    offsets.iter().map(|offset| offset - start).collect()
}

/// Returns the segment across a position, which has elements on both sides.
pub(super) fn segment_across(offsets: &[u64], position: u64) -> Option<usize> {
    let segment = offsets.partition_point(|&offset| offset < position).checked_sub(1)?;
    (position < *offsets.get(segment + 1)?).then_some(segment)
}

/// Returns the segments across a cut, in order.
fn across(offsets: &[u64], cut: &Cut) -> Vec<usize> {
    let mut across: Vec<usize> =
        (0..cut.parts()).filter_map(|rank| segment_across(offsets, cut.part(rank).end)).collect();
    across.dedup();
    across
}
