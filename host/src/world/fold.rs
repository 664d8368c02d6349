//! One tree over the parts of all ranks.
//!
//! A rank folds the tiles that lie within its part, on its CPU or its device. A tile across a cut is begun by the rank
//! with its first element, which folds its rows and sends the lanes to the next rank to continue. So each tile's total
//! is on the rank with its last element, totals are in the order of ranks, and every rank folds all of them to the same
//! result.

use std::ops::Range;

use gpu_kernels::{Element, Op, is_free, tree};

use super::cut::Cut;
use super::open_tile::OpenTile;
use super::part::Part;
use super::{Communicator, World, bytes};
use crate::cpu::{neighbours, reducing};
use crate::error::Error;
use crate::memory;

/// The tiles of a part, as positions in the whole array.
struct Tiles {
    /// Start of the first tile that begins in the part, or the part's end.
    first: u64,
    /// End of the last tile that ends in the part, or the part's start.
    end: u64,
    len: u64,
}

impl Tiles {
    fn new<T: Element>(cut: &Cut, rank: usize) -> Self {
        let (part, total) = (cut.part(rank), cut.total());
        let len = tree::tile_len::<T>(total);
        let first = part.start.checked_next_multiple_of(len).unwrap_or(u64::MAX).min(part.end);
        let end = if part.end == total { total } else { part.end - part.end % len };
        Self { first, end: end.max(part.start), len }
    }
}

impl<C: Communicator> World<C> {
    /// Folds the parts of all ranks, and finishes on each.
    pub(super) fn fold_all<T: Element, O: Op<T>>(
        &self,
        op: O,
        part: &impl Part<T, O>,
        cut: &Cut,
    ) -> Result<Vec<O::Out>, Error> {
        let (width, n) = (part.width(), cut.total());
        let totals = self.totals(op, part, cut)?;
        let all = self.gather(&totals, |rank| totals_of::<T, O>(cut, rank).saturating_mul(width))?;
        finish_each::<T, O>(&fold_totals::<T, O>(memory::joined(&all)?, width)?, |_| n)
    }

    /// Returns the totals of the tiles that end in this rank's part, a row for each tile. A free operator has one row
    /// for the whole part.
    pub(super) fn totals<T: Element, O: Op<T>>(
        &self,
        op: O,
        part: &impl Part<T, O>,
        cut: &Cut,
    ) -> Result<Vec<O::Acc>, Error> {
        let (rank, width) = (self.rank(), part.width());
        let own = cut.part(rank);
        if own.is_empty() || width == 0 {
            return Ok(Vec::new());
        }
        if const { is_free::<T, O>() } {
            return part.in_any_order(&self.cpu, op, own.start);
        }
        let tiles = Tiles::new::<T>(cut, rank);
        let elements = |range: Range<u64>| part.elements(cut.within(rank, &range));
        let mut within = Vec::new();
        if tiles.first < tiles.end {
            let rows = cut.within(rank, &(tiles.first..tiles.end));
            within = part.tiles(&self.cpu, op, rows, tiles.first, cut.total())?;
        }
        if tiles.first <= tiles.end && tiles.end < own.end {
            let begun = elements(tiles.end..own.end)?;
            self.send_tile(&OpenTile::begun::<T, O>(op, &begun, width, tiles.end)?, cut)?;
        }
        if own.start.is_multiple_of(tiles.len) {
            return Ok(within);
        }
        let mut tile = self.receive_tile::<T, O>(width, own.start % tiles.len, cut)?;
        tile.append::<T, O>(op, &elements(own.start..tiles.first)?, own.start)?;
        if tiles.first != cut.total() && !tiles.first.is_multiple_of(tiles.len) {
            self.send_tile(&tile, cut)?;
            return Ok(Vec::new());
        }
        let mut totals = tile.total::<T, O>()?;
        totals.extend(within);
        Ok(totals)
    }

    /// Sends a tile to the next rank with elements.
    fn send_tile<A: bytemuck::Pod + Send + Sync>(&self, tile: &OpenTile<A>, cut: &Cut) -> Result<(), Error> {
        let Some(to) = cut.after(self.rank()) else { return Ok(()) };
        self.communicator.send(to, bytes::of(&tile.accs()?))
    }

    /// Receives a partly folded tile: the lanes after `rows` rows.
    fn receive_tile<T: Element, O: Op<T>>(
        &self,
        width: usize,
        rows: u64,
        cut: &Cut,
    ) -> Result<OpenTile<O::Acc>, Error> {
        let mut accs = memory::zeroed::<O::Acc>(OpenTile::count::<T, O>(width, rows))?;
        if let Some(from) = cut.before(self.rank()) {
            self.communicator.recv(from, bytemuck::cast_slice_mut(&mut accs))?;
        }
        OpenTile::sent::<T, O>(width, rows, accs)
    }
}

/// Returns how many totals of a sequence a rank has, that is, the number that [`World::totals`] returns there.
pub(super) fn totals_of<T: Element, O: Op<T>>(cut: &Cut, rank: usize) -> usize {
    let (part, len) = (cut.part(rank), tree::tile_len::<T>(cut.total()));
    if part.is_empty() {
        return 0;
    }
    if is_free::<T, O>() {
        return 1;
    }
    let ends_short = part.end == cut.total() && !part.end.is_multiple_of(len);
    (part.end / len - part.start / len) as usize + usize::from(ends_short)
}

/// Folds the totals of all tiles of `width` sequences side by side, to one accumulator for each sequence.
pub(super) fn fold_totals<T: Element, O: Op<T>>(
    mut totals: Vec<O::Acc>,
    width: usize,
) -> Result<Vec<O::Acc>, Error> {
    // Empty input has no tiles.
    if totals.is_empty() {
        memory::reserve(&mut totals, width)?;
    }
    reducing::<O::Acc, _>(move || {
        if width > 0 {
            neighbours::fold_rows(&mut totals, width, O::combine);
        }
        totals.resize(width, O::IDENTITY);
        totals
    })
}

/// Finishes accumulators, each with its number of elements.
pub(super) fn finish_each<T: Element, O: Op<T>>(
    accs: &[O::Acc],
    len: impl Fn(usize) -> u64 + Sync,
) -> Result<Vec<O::Out>, Error> {
    let mut outs = memory::with_room(accs.len())?;
    reducing::<O::Acc, _>(|| {
        outs.extend(accs.iter().enumerate().map(|(at, &acc)| O::finish(acc, len(at))));
        outs
    })
}
