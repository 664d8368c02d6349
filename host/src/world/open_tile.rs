//! A tile that one rank begins and the next continues: the state of its lanes.
//!
//! With `width` sequences side by side, each row has an element of every sequence. Accumulators have the same order as
//! elements: lane by lane, and within a lane one for every sequence.

use gpu_kernels::tree::{RUN, lanes};
use gpu_kernels::{Element, Op};

use crate::cpu::{Job, Processor, neighbours, reducing, widest};
use crate::error::Error;
use crate::memory;

/// The lanes of a partly folded tile.
pub(super) struct OpenTile<A> {
    width: usize,
    /// Number of folded rows.
    rows: u64,
    /// The fold of whole bands, for an operator that does not commute.
    bands: Vec<A>,
    /// The lanes so far; for an operator that does not commute, the lanes of the last band.
    lanes: Vec<A>,
}

/// Returns the number of lanes with elements after `rows` rows of a tile; for an operator that does not commute, in its
/// last band.
fn lanes_of<T: Element, O: Op<T>>(rows: u64) -> usize {
    if O::COMMUTATIVE {
        rows.min(lanes::<T>() as u64) as usize
    } else {
        (rows % band::<T>()).div_ceil(RUN as u64) as usize
    }
}

/// Returns the number of rows of a band.
fn band<T>() -> u64 {
    (RUN * lanes::<T>()) as u64
}

impl<A: bytemuck::Pod + Send + Sync> OpenTile<A> {
    /// Begins a tile with these rows. `first` is the index of the first element.
    pub(super) fn begun<T: Element, O: Op<T, Acc = A>>(
        op: O,
        x: &[T],
        width: usize,
        first: u64,
    ) -> Result<Self, Error> {
        let bands = memory::zeroed(if O::COMMUTATIVE { 0 } else { width })?;
        let mut tile = Self { width, rows: 0, bands, lanes: Vec::new() };
        reducing::<A, _>(|| tile.bands.fill(O::IDENTITY))?;
        tile.append::<T, O>(op, x, first)?;
        Ok(tile)
    }

    /// Returns the number of accumulators of a tile after `rows` rows.
    pub(super) fn count<T: Element, O: Op<T, Acc = A>>(width: usize, rows: u64) -> usize {
        (lanes_of::<T, O>(rows) + usize::from(!O::COMMUTATIVE)).saturating_mul(width)
    }

    /// Creates a tile from the [accumulators](Self::accs) that a rank sent.
    pub(super) fn sent<T: Element, O: Op<T, Acc = A>>(
        width: usize,
        rows: u64,
        mut accs: Vec<A>,
    ) -> Result<Self, Error> {
        if O::COMMUTATIVE {
            return Ok(Self { width, rows, bands: Vec::new(), lanes: accs });
        }
        let lanes = memory::copied(accs.get(width..).unwrap_or_default())?;
        accs.truncate(width);
        Ok(Self { width, rows, bands: accs, lanes })
    }

    /// Returns all accumulators, to be sent.
    pub(super) fn accs(&self) -> Result<Vec<A>, Error> {
        memory::joined(&[&self.bands, &self.lanes])
    }

    /// Folds the next rows. `first` is the index of the first element.
    pub(super) fn append<T: Element, O: Op<T, Acc = A>>(
        &mut self,
        op: O,
        x: &[T],
        first: u64,
    ) -> Result<(), Error> {
        let rows = self.rows.saturating_add((x.len() / self.width) as u64);
        // As many lanes as the tile has meanwhile: all of them, if a band ends.
        let has_band = !O::COMMUTATIVE && rows / band::<T>() > self.rows / band::<T>();
        let most = if has_band { lanes::<T>() } else { lanes_of::<T, O>(rows) };
        let more = most.saturating_mul(self.width).saturating_sub(self.lanes.len());
        memory::reserve(&mut self.lanes, more)?;
        reducing::<A, _>(|| widest(Append { tile: self, op, x, first }))
    }

    /// Folds the lanes of each sequence to its total.
    pub(super) fn total<T: Element, O: Op<T, Acc = A>>(mut self) -> Result<Vec<A>, Error> {
        reducing::<A, _>(move || {
            if !O::COMMUTATIVE {
                self.end_band::<T, O>();
                return self.bands;
            }
            neighbours::fold_rows(&mut self.lanes, self.width, O::combine);
            self.lanes.truncate(self.width);
            self.lanes
        })
    }

    /// Folds the lanes of the last band, and adds them to the bands before.
    #[inline(always)]
    fn end_band<T: Element, O: Op<T, Acc = A>>(&mut self) {
        if self.lanes.is_empty() {
            return;
        }
        neighbours::fold_rows(&mut self.lanes, self.width, O::combine);
        for (left, &right) in self.bands.iter_mut().zip(&self.lanes) {
            *left = O::combine(*left, right);
        }
        self.lanes.clear();
    }

    /// Folds rows with a stride: each row goes to the next lane.
    #[inline(always)]
    fn append_strided<T: Element, O: Op<T, Acc = A>>(&mut self, op: O, mut x: &[T], mut first: u64) {
        let rows = (x.len() / self.width) as u64;
        self.lanes.resize(lanes_of::<T, O>(self.rows + rows) * self.width, O::IDENTITY);
        let mut lane = (self.rows % lanes::<T>() as u64) as usize;
        while !x.is_empty() {
            let count = (lanes::<T>() - lane).min(x.len() / self.width);
            let (line, rest) = x.split_at(count * self.width);
            let accs = &mut self.lanes[lane * self.width..(lane + count) * self.width];
            append_row::<T, O>(op, accs, line, self.width, first);
            (x, first, lane) = (rest, first + count as u64, 0);
        }
        self.rows += rows;
    }

    /// Folds rows in runs: each lane takes [`RUN`] consecutive rows.
    #[inline(always)]
    fn append_runs<T: Element, O: Op<T, Acc = A>>(&mut self, op: O, mut x: &[T], mut first: u64) {
        let band = band::<T>();
        while !x.is_empty() {
            let at = (self.rows % band) as usize;
            if at.is_multiple_of(RUN) {
                self.lanes.resize((at / RUN + 1) * self.width, O::IDENTITY);
            }
            let accs = &mut self.lanes[at / RUN * self.width..];
            let (row, rest) = x.split_at(self.width);
            append_row::<T, O>(op, accs, row, self.width, first);
            (x, first) = (rest, first + 1);
            self.rows += 1;
            if self.rows.is_multiple_of(band) {
                self.end_band::<T, O>();
            }
        }
    }
}

/// Folds each element of some rows into the accumulator at the same position.
#[inline(always)]
fn append_row<T: Element, O: Op<T>>(op: O, accs: &mut [O::Acc], x: &[T], width: usize, first: u64) {
    if width == 1 {
        for ((acc, &x), index) in accs.iter_mut().zip(x).zip(first..) {
            *acc = op.append(*acc, x, index);
        }
        return;
    }
    for ((accs, x), index) in accs.chunks_mut(width).zip(x.chunks(width)).zip(first..) {
        for (acc, &x) in accs.iter_mut().zip(x) {
            *acc = op.append(*acc, x, index);
        }
    }
}

/// The arguments of [`OpenTile::append`].
struct Append<'a, T: Element, O: Op<T>> {
    tile: &'a mut OpenTile<O::Acc>,
    op: O,
    x: &'a [T],
    first: u64,
}

impl<T: Element, O: Op<T>> Job for Append<'_, T, O> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl Processor) {
        if O::COMMUTATIVE {
            self.tile.append_strided::<T, O>(self.op, self.x, self.first);
        } else {
            self.tile.append_runs::<T, O>(self.op, self.x, self.first);
        }
    }
}
