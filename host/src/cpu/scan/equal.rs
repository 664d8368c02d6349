//! Scans of parts of one length, each on its own: many short ones side by side, others one after the other.

use std::iter;

use gpu_kernels::{Element, Op};

use super::along::{Distances, LONG, Lines};
use super::bytes;
use super::side_by_side::{MOST, SOME, at_once};
use super::slices::{Apart, InPlace, Slices};
use crate::cpu::parts::Bounds;
use crate::cpu::unwritten::{Places, Unwritten};
use crate::cpu::{Cpu, share};
use crate::error::{Error, check_results};
use crate::float_environment;
use crate::layout::Parted;
use crate::scan::Scan;

/// Bytes that a task scans side by side. The copy of them that a scan in place takes stays in the second-level cache.
const TASK: usize = 1 << 17;

impl Cpu {
    /// Scans the parts of a slice, which are all of it.
    pub(super) fn scan_parts<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        bounds: Bounds,
        scan: Scan<O::Acc>,
    ) -> Result<Vec<O::Out>, Error> {
        let mut outs = Unwritten::new(x.len())?;
        self.scan_parts_of(op, Apart::new(x, outs.slots()), bounds, scan)?;
        // SAFETY: a scan writes an output for each element of a part, and parts of one length have all elements.
        Ok(unsafe { outs.written() })
    }

    /// Scans the parts of a slice to existing outputs.
    pub(super) fn scan_parts_into<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        bounds: Bounds,
        outs: &mut [O::Out],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        check_results(x.len(), outs.len())?;
        self.scan_parts_of(op, Apart::new(x, outs), bounds, scan)
    }

    /// Scans the parts of a slice in place.
    pub(super) fn scan_parts_in_place<T: Element, O: Op<T, Out = T>>(
        &self,
        op: O,
        x: &mut [T],
        bounds: Bounds,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        self.scan_parts_of(op, InPlace(x), bounds, scan)
    }

    fn scan_parts_of<P: Slices, O: Op<P::Element, Out = P::Out>>(
        &self,
        op: O,
        slices: P,
        bounds: Bounds,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        // The last part may be shorter than the others, and is scanned with them only if it is not.
        if let Bounds::Equal { len, count, all } = bounds
            && (1..LONG).contains(&len)
            && count >= MOST
            && count * len == all
        {
            match at_once::<P::Element, O>(count) {
                MOST => return self.scan_short_parts::<P, O, MOST>(op, slices, [count, len], scan),
                SOME => return self.scan_short_parts::<P, O, SOME>(op, slices, [count, len], scan),
                _ => {}
            }
        }
        self.scan_segments_of(op, slices, &bounds.offsets()?, scan)
    }

    /// Scans `count` parts of `len` elements, `W` side by side.
    fn scan_short_parts<P: Slices, O: Op<P::Element, Out = P::Out>, const W: usize>(
        &self,
        op: O,
        slices: P,
        [count, len]: [usize; 2],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        scan.check_first::<P::Element, O>()?;
        let lines =
            Parted { kept: [(count, len.cast_signed())].into(), reduced: [(len, 1)].into(), count, len };
        let apart = Distances::new([&lines.reduced, &lines.reduced], len)?;
        let task_len = (TASK / bytes::<P::Element, O>(W * len).max(1)).max(1) * W * len;
        let helpers = self.scan_threads::<P::Element, O>(slices.len()) - 1;
        let mut rest = Some(slices);
        let tasks = iter::from_fn(|| {
            let slices = rest.take().filter(|slices| slices.len() > 0)?;
            let at = slices.len().min(task_len);
            let (own, others) = slices.split_at(at);
            rest = Some(others);
            Some(own)
        });
        share(self.pool.as_deref(), helpers, tasks, |mut slices| {
            float_environment::check()?;
            let (parts, mut copy) = (slices.len() / len, Vec::new());
            let (x, slots) = slices.both(&mut copy)?;
            let outs = Places::new(slots);
            let lines = Lines { x, first: 0, from: &lines, to: &lines, apart: &apart, outs };
            for first in (0..parts).step_by(W) {
                lines.scan_at_once::<O, W>(op, first..parts.min(first + W), scan);
            }
            Ok::<_, Error>(())
        })
    }
}
