//! Scans of segments, each as if it were alone.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::places::{Apart, InPlace, Places};
use super::{bytes, one_after_the_other};
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::{Error, check_outputs};
use crate::float_environment;
use crate::index_type::{IndexType, longest_segment};
use crate::scan::Scan;

/// What a segment costs besides its elements, in bytes.
const SEGMENT_BYTES: usize = 64;

impl Cpu {
    /// Scans segments of any lengths: segment `s` is `x[offsets[s]..offsets[s + 1]]`, and its outputs, which stand where its
    /// elements do, have the bits of [`scan`](Self::scan) of that segment alone; the initial value is before each, and an index
    /// counts from the segment's first element. The places before the first offset and after the last keep what they have.
    ///
    /// # Errors
    /// [`Error::Offset`] if an offset is less than the one before it, negative, or more than the number of elements;
    /// otherwise as [`scan_into`](Self::scan_into).
    ///
    /// ```
    /// use warpfold::{Cpu, Scan, Sum};
    ///
    /// let mut sums = [0; 5];
    /// let offsets = [0, 3, 3, 5];
    /// Cpu::new().scan_segments_into::<i32, Sum, u32>(&[1, 2, 3, 4, 5], &offsets, &mut sums, Scan::inclusive())?;
    /// assert_eq!(sums, [1, 3, 6, 4, 9]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scan_segments_into<T: Element, O: Op<T> + Default, I: IndexType>(
        &self,
        x: &[T],
        offsets: &[I],
        outs: &mut [O::Out],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        self.scan_segments_into_by(O::default(), x, offsets, outs, scan)
    }

    /// [`scan_segments_into`](Self::scan_segments_into) with an operator that is a value.
    ///
    /// # Errors
    /// As [`scan_segments_into`](Self::scan_segments_into).
    pub fn scan_segments_into_by<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        x: &[T],
        offsets: &[I],
        outs: &mut [O::Out],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        check_outputs(x.len(), outs.len())?;
        self.scan_segments_of(op, Apart(x, outs), offsets, scan)
    }

    /// [`scan_segments_into`](Self::scan_segments_into) that leaves each output where its element was.
    ///
    /// # Errors
    /// As [`scan_segments_into`](Self::scan_segments_into).
    pub fn scan_segments_in_place<T: Element, O: Op<T, Out = T> + Default, I: IndexType>(
        &self,
        x: &mut [T],
        offsets: &[I],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        self.scan_segments_in_place_by(O::default(), x, offsets, scan)
    }

    /// [`scan_segments_in_place`](Self::scan_segments_in_place) with an operator that is a value.
    ///
    /// # Errors
    /// As [`scan_segments_into`](Self::scan_segments_into).
    pub fn scan_segments_in_place_by<T: Element, O: Op<T, Out = T>, I: IndexType>(
        &self,
        op: O,
        x: &mut [T],
        offsets: &[I],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        self.scan_segments_of(op, InPlace(x), offsets, scan)
    }

    /// Threads share the segments by weight; one that outweighs a thread's share is scanned by all of them.
    fn scan_segments_of<P: Places, O: Op<P::Element, Out = P::Out>, I: IndexType>(
        &self,
        op: O,
        places: P,
        offsets: &[I],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        scan.check_first::<P::Element, O>()?;
        longest_segment(offsets, places.len())?;
        let offset = |at: usize| offsets.get(at).and_then(|offset| offset.index()).unwrap_or(0);
        let segments = offsets.len().saturating_sub(1);
        let all = bytes::<P::Element, O>(offset(segments) - offset(0))
            .saturating_add(segments.saturating_mul(SEGMENT_BYTES));
        let tasks = all / TASK_BYTES;
        let threads = if tasks < 2 { 1 } else { self.threads().min(tasks) };
        let long = if threads < 2 { usize::MAX } else { (all / threads).max(2 * TASK_BYTES) };
        let weight = |segment: usize| {
            bytes::<P::Element, O>(offset(segment + 1) - offset(segment)).saturating_add(SEGMENT_BYTES)
        };
        let (mut segment, mut rest) = (0, places.split_at(offset(0)).1);
        // Those of one thread at a time, in order.
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
                self.scan_places(op, share, scan)?;
            } else {
                shares.push((first..segment, share));
            }
        }
        share(self.pool.as_deref(), threads - 1, shares.into_iter(), |(range, places)| {
            float_environment::check()?;
            one_after_the_other(op, pieces(range, places, offset), scan);
            Ok(())
        })
    }
}

/// The places of each of these segments.
fn pieces<P: Places>(
    segments: Range<usize>,
    places: P,
    offset: impl Fn(usize) -> usize,
) -> impl Iterator<Item = P> {
    let mut rest = Some(places);
    segments.filter_map(move |segment| {
        let (piece, others) = rest.take()?.split_at(offset(segment + 1) - offset(segment));
        rest = Some(others);
        Some(piece)
    })
}
