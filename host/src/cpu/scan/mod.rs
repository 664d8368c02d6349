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
use self::slices::{Apart, InPlace, Slices};
use super::processor::Job;
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
    let (kind, (init, before)) = (scan.kind(), scan.init(O::IDENTITY));
    match kind {
        Kind::Inclusive => processor::widest(Arrays::<_, _, _, true> { op, arrays, len, init, before }),
        Kind::Exclusive => processor::widest(Arrays::<_, _, _, false> { op, arrays, len, init, before }),
    }
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
    fn run(self) -> Result<(), Error> {
        let mut room = tile::Room::new::<T>(O::IDENTITY, self.x.len())?;
        let tiles = self.x.chunks(tile_len::<T>()).zip((self.first..).step_by(tile_len::<T>()));
        for ((x, first), total) in tiles.zip(self.totals) {
            *total = if const { is_free::<T, O>() } {
                any_order::fold::<T, O>(self.op, x, first)
            } else {
                tile::fold::<T, O>(self.op, x, first, &mut room)
            };
        }
        Ok(())
    }
}

/// Computes the outputs of tiles, each from its prefix.
struct Outputs<'a, P: Slices, O: Op<P::Element, Out = P::Out>, const INCLUSIVE: bool> {
    op: O,
    slices: P,
    first: u64,
    before: u64,
    prefixes: &'a [O::Acc],
}

impl<P: Slices, O: Op<P::Element, Out = P::Out>, const INCLUSIVE: bool> Job for Outputs<'_, P, O, INCLUSIVE> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self) -> Result<(), Error> {
        let Self { op, mut slices, mut first, before, prefixes } = self;
        let mut room = tile::Room::new::<P::Element>(O::IDENTITY, slices.len())?;
        for &prefix in prefixes {
            let at = slices.len().min(tile_len::<P::Element>());
            let (there, rest) = slices.split_at(at);
            tile::fold::<P::Element, O>(op, there.elements(), first, &mut room);
            tile::write::<P::Element, O, P, INCLUSIVE>(op, there, first, before, prefix, &mut room);
            first += tile_len::<P::Element>() as u64;
            slices = rest;
        }
        Ok(())
    }
}

/// Scans arrays, each on its own.
struct Arrays<P: Slices, O: Op<P::Element, Out = P::Out>, I: Iterator<Item = P>, const INCLUSIVE: bool> {
    op: O,
    arrays: I,
    len: usize,
    init: O::Acc,
    before: u64,
}

impl<P: Slices, O: Op<P::Element, Out = P::Out>, I: Iterator<Item = P>, const INCLUSIVE: bool> Job
    for Arrays<P, O, I, INCLUSIVE>
{
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self) -> Result<(), Error> {
        let Self { op, arrays, len, init, before } = self;
        let mut room = tile::Room::new::<P::Element>(O::IDENTITY, len)?;
        for mut slices in arrays {
            let (mut prefixes, mut first) = (Prefixes::new(O::IDENTITY, init), 0);
            while slices.len() > 0 {
                let at = slices.len().min(tile_len::<P::Element>());
                let (there, rest) = slices.split_at(at);
                let total = tile::fold::<P::Element, O>(op, there.elements(), first, &mut room);
                let prefix = prefixes.next::<P::Element, O>();
                tile::write::<P::Element, O, P, INCLUSIVE>(op, there, first, before, prefix, &mut room);
                prefixes.push::<P::Element, O>(total);
                first += tile_len::<P::Element>() as u64;
                slices = rest;
            }
        }
        Ok(())
    }
}
