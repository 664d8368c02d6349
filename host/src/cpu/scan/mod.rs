//! Scans on the CPU, along [their own tree](gpu_kernels::scan::tree).
//!
//! One thread reads each tile once, folds it, and writes its outputs while it is in the first-level cache. Several
//! threads first fold the tiles; then one thread scans the tiles' totals; then all write outputs.

mod along;
mod equal;
mod gaps;
mod inputs;
mod part;
mod prefixes;
mod segments;
mod side_by_side;
mod slices;
mod tile;

use gpu_kernels::scan::Kind;
use gpu_kernels::scan::tree::tile_len;
use gpu_kernels::{Element, Op, is_free};

pub(crate) use self::gaps::Around;
pub(crate) use self::prefixes::{Prefixes, by_groups, portions};
use self::side_by_side::{Line, Together, WIDEST};
use self::slices::{Apart, InPlace, Slices};
use super::processor::{Job, Processor};
use super::unwritten::Unwritten;
use super::{Cpu, any_order, large, processor};
use crate::error::{Error, check_results};
use crate::float_environment;
use crate::scan::Scan;

impl Cpu {
    /// Scans a slice.
    pub(crate) fn scan_slice<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        scan: Scan<O::Acc>,
    ) -> Result<Vec<O::Out>, Error> {
        let mut outs = Unwritten::new(x.len())?;
        self.scan_slices(op, Apart::new(x, outs.slots()), scan)?;
        // SAFETY: a scan writes an output for each element.
        Ok(unsafe { outs.written() })
    }

    /// Scans a slice to existing outputs.
    pub(crate) fn scan_slice_into<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        outs: &mut [O::Out],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        check_results(x.len(), outs.len())?;
        self.scan_slices(op, Apart::new(x, outs), scan)
    }

    /// Scans a slice in place.
    pub(crate) fn scan_slice_in_place<T: Element, O: Op<T, Out = T>>(
        &self,
        op: O,
        x: &mut [T],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        self.scan_slices(op, InPlace(x), scan)
    }

    /// Scans with as many threads as the work is worth.
    fn scan_slices<T: Element, O: Op<T>, P: Slices<Element = T, Out = O::Out>>(
        &self,
        op: O,
        slices: P,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        scan.check_first::<T, O>()?;
        if self.scan_threads::<T, O>(slices.len()) < 2 {
            return large::scanning::<O::Acc, _>(|| {
                float_environment::check()?;
                let len = slices.len();
                one_after_the_other(op, std::iter::once(slices), len, scan)
            })?;
        }
        let mut tiles = self.scan_totals(op, slices.elements(), 0)?;
        float_environment::check()?;
        large::scanning::<O::Acc, _>(|| {
            let mut prefixes = Prefixes::new(O::IDENTITY, scan.init(O::IDENTITY).0);
            for tile in &mut tiles {
                let total = *tile;
                *tile = prefixes.next::<T, O>();
                prefixes.push::<T, O>(total);
            }
        })?;
        self.scan_tiles(op, slices, 0, scan, &tiles)
    }
}

/// Most elements of an array that is scanned element by element: less than a row of a tile would take (docs/tuning/cpu.md).
const SHORT: usize = 128;

/// Returns the greater of the bytes of `len` elements and of their outputs.
fn bytes<T: Element, O: Op<T>>(len: usize) -> usize {
    len.saturating_mul(size_of::<T>().max(size_of::<O::Out>()))
}

/// Scans several arrays of up to `len` elements, each on its own, on this thread.
fn one_after_the_other<T: Element, O: Op<T>, P: Slices<Element = T, Out = O::Out>>(
    op: O,
    arrays: impl Iterator<Item = P>,
    len: usize,
    scan: Scan<O::Acc>,
) -> Result<(), Error> {
    let (is_inclusive, (init, before)) = (scan.kind() == Kind::Inclusive, scan.init(O::IDENTITY));
    processor::widest(Arrays { op, is_inclusive, arrays, len, init, before })
}

/// Computes the totals of tiles. A partial last tile has none.
struct Totals<'a, T: Element, O: Op<T>> {
    op: O,
    x: &'a [T],
    first: u64,
    totals: &'a mut [O::Acc],
}

impl<T: Element, O: Op<T>> Job for Totals<'_, T, O> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, on: impl Processor) -> Result<(), Error> {
        let mut room = tile::Room::new::<T>(O::IDENTITY, self.x.len())?;
        let tiles = self.x.chunks(tile_len::<T>()).zip((self.first..).step_by(tile_len::<T>()));
        for ((x, first), total) in tiles.zip(self.totals) {
            *total = if const { is_free::<T, O>() } {
                any_order::fold::<T, O>(self.op, x, first)
            } else {
                on.part(tile::Fold { op: self.op, x, first, room: &mut room })
            };
        }
        Ok(())
    }
}

/// Computes the outputs of tiles, each from its prefix.
struct Outputs<'a, P: Slices, O: Op<P::Element, Out = P::Out>> {
    op: O,
    is_inclusive: bool,
    slices: P,
    first: u64,
    before: u64,
    prefixes: &'a [O::Acc],
}

impl<P: Slices, O: Op<P::Element, Out = P::Out>> Job for Outputs<'_, P, O> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, on: impl Processor) -> Result<(), Error> {
        let Self { op, is_inclusive, mut slices, mut first, before, prefixes } = self;
        let mut room = tile::Room::new::<P::Element>(O::IDENTITY, slices.len())?;
        for &prefix in prefixes {
            let at = slices.len().min(tile_len::<P::Element>());
            let (there, rest) = slices.split_at(at);
            on.part(tile::Fold { op, x: there.elements(), first, room: &mut room });
            let room = &mut room;
            on.part(tile::Write { op, is_inclusive, slices: there, first, before, prefix, room });
            first += tile_len::<P::Element>() as u64;
            slices = rest;
        }
        Ok(())
    }
}

/// Scans arrays, each on its own.
struct Arrays<P: Slices, O: Op<P::Element, Out = P::Out>, I: Iterator<Item = P>> {
    op: O,
    is_inclusive: bool,
    arrays: I,
    len: usize,
    init: O::Acc,
    before: u64,
}

impl<P: Slices, O: Op<P::Element, Out = P::Out>, I: Iterator<Item = P>> Job for Arrays<P, O, I> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, on: impl Processor) -> Result<(), Error> {
        let Self { op, is_inclusive, arrays, len, init, before } = self;
        let mut room = None;
        for mut slices in arrays {
            if const { size_of::<O::Acc>() <= WIDEST } && slices.len() <= SHORT {
                Together { op, is_inclusive, init, before, lines: Line(slices) }.run(on);
                continue;
            }
            let room = match &mut room {
                Some(room) => room,
                room => room.insert(tile::Room::new::<P::Element>(O::IDENTITY, len)?),
            };
            let (mut prefixes, mut first) = (Prefixes::new(O::IDENTITY, init), 0);
            while slices.len() > 0 {
                let at = slices.len().min(tile_len::<P::Element>());
                let (there, rest) = slices.split_at(at);
                // Inlined: for arrays of few elements, calls would take a tenth of the time (docs/tuning/cpu.md).
                let total = tile::Fold { op, x: there.elements(), first, room }.run(on);
                let prefix = prefixes.next::<P::Element, O>();
                tile::Write { op, is_inclusive, slices: there, first, before, prefix, room }.run(on);
                prefixes.push::<P::Element, O>(total);
                first += tile_len::<P::Element>() as u64;
                slices = rest;
            }
        }
        Ok(())
    }
}
