//! Scans of segments, each on its own.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::slices::{Apart, InPlace, Slices};
use super::{bytes, one_after_the_other};
use crate::cpu::{Cpu, TASK_BYTES, large, share};
use crate::error::{Error, check_results};
use crate::index_type::{IndexType, longest_segment};
use crate::scan::Scan;
use crate::{float_environment, memory};

/// The cost of a segment besides its elements, in bytes.
const SEGMENT_BYTES: usize = 64;

impl Cpu {
    /// Scans the segments of a slice.
    pub(crate) fn scan_segments<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        x: &[T],
        offsets: &[I],
        scan: Scan<O::Acc>,
    ) -> Result<Vec<O::Out>, Error> {
        let mut outs = crate::cpu::batch::empty_results::<T, O>(x.len())?;
        self.scan_segments_into(op, x, offsets, &mut outs, scan)?;
        Ok(outs)
    }

    /// Scans the segments of a slice to existing outputs.
    pub(crate) fn scan_segments_into<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        x: &[T],
        offsets: &[I],
        outs: &mut [O::Out],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        check_results(x.len(), outs.len())?;
        self.scan_segments_of(op, Apart::new(x, outs), offsets, scan)
    }

    /// Scans the segments of a slice in place.
    pub(crate) fn scan_segments_in_place<T: Element, O: Op<T, Out = T>, I: IndexType>(
        &self,
        op: O,
        x: &mut [T],
        offsets: &[I],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        self.scan_segments_of(op, InPlace(x), offsets, scan)
    }

    fn scan_segments_of<P: Slices, O: Op<P::Element, Out = P::Out>, I: IndexType>(
        &self,
        op: O,
        slices: P,
        offsets: &[I],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        scan.check_first::<P::Element, O>()?;
        longest_segment(offsets, slices.len())?;
        let offset = |at: usize| offsets.get(at).and_then(|offset| offset.index()).unwrap_or(0);
        self.scan_divided(op, slices, offsets.len().saturating_sub(1), offset, scan)
    }

    /// Scans segments, which begin at offsets and which threads share by weight. All threads scan a segment that outweighs one thread's
    /// share.
    pub(super) fn scan_divided<P: Slices, O: Op<P::Element, Out = P::Out>>(
        &self,
        op: O,
        slices: P,
        segments: usize,
        offset: impl Fn(usize) -> usize + Copy + Send + Sync,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        let all = bytes::<P::Element, O>(offset(segments) - offset(0))
            .saturating_add(segments.saturating_mul(SEGMENT_BYTES));
        let tasks = all / TASK_BYTES;
        let threads = if tasks < 2 { 1 } else { self.threads().min(tasks) };
        if threads < 2 {
            return large::scanning::<O::Acc, _>(|| {
                float_environment::check()?;
                let (_, slices) = slices.split_at(offset(0));
                one_after_the_other(
                    op,
                    pieces(0..segments, slices, offset),
                    offset(segments) - offset(0),
                    scan,
                )
            })?;
        }
        let long = (all / threads).max(2 * TASK_BYTES);
        let weight = |segment: usize| {
            bytes::<P::Element, O>(offset(segment + 1) - offset(segment)).saturating_add(SEGMENT_BYTES)
        };
        let (mut segment, mut rest) = (0, slices.split_at(offset(0)).1);
        // The segments of one thread at a time, in order.
        let mut shares = Vec::new();
        while segment < segments {
            let first = segment;
            let mut weighs = 0_usize;
            while segment < segments && weighs < TASK_BYTES && weight(segment) < long {
                weighs = weighs.saturating_add(weight(segment));
                segment += 1;
            }
            let is_long = segment == first;
            segment += usize::from(is_long);
            let (share, others) = rest.split_at(offset(segment) - offset(first));
            rest = others;
            if is_long {
                self.scan_slices(op, share, scan)?;
            } else {
                memory::push(&mut shares, (first..segment, share))?;
            }
        }
        share(self.pool.as_deref(), threads - 1, shares.into_iter(), |(range, slices)| {
            large::scanning::<O::Acc, _>(|| {
                float_environment::check()?;
                let len = slices.len();
                one_after_the_other(op, pieces(range, slices, offset), len, scan)
            })?
        })
    }
}

/// Returns the slices of each of these segments.
fn pieces<P: Slices>(
    segments: Range<usize>,
    slices: P,
    offset: impl Fn(usize) -> usize,
) -> impl Iterator<Item = P> {
    let mut rest = Some(slices);
    segments.filter_map(move |segment| {
        let (piece, others) = rest.take()?.split_at(offset(segment + 1) - offset(segment));
        rest = Some(others);
        Some(piece)
    })
}
