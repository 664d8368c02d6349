//! Scans of parts of one length, each on its own.

use gpu_kernels::{Element, Op};

use super::slices::{Apart, InPlace, Slices};
use crate::cpu::Cpu;
use crate::cpu::parts::Bounds;
use crate::cpu::unwritten::Unwritten;
use crate::error::{Error, check_results};
use crate::scan::Scan;

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
        scan.check_first::<P::Element, O>()?;
        self.scan_divided(op, slices, bounds.count(), |part| bounds.start(part), scan)
    }
}
