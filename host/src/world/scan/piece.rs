//! A rank's part of an array or a segment that lies across a cut.

use std::ops::Range;

use gpu_kernels::scan::tree::tile_len;
use gpu_kernels::{Element, Op};

use crate::cpu::{Cpu, Prefixes, empty_results, portions, scanning};
use crate::error::Error;
use crate::memory;
use crate::scan::Scan;
use crate::world::cut::Cut;
use crate::world::exchange::garbled;
use crate::world::segments::segment_across;

/// A rank's part of an array or segment that is divided between ranks.
pub(super) struct Piece {
    /// Range of the segment in the whole array.
    segment: Range<u64>,
    /// Range of this part of it, which is not empty.
    pub(super) own: Range<u64>,
}

impl Piece {
    /// Returns the pieces of a rank in order: of the segment that began before its part, and of the one that continues
    /// after it.
    pub(super) fn of_rank(offsets: &[u64], cut: &Cut, rank: usize) -> Vec<Self> {
        let part = cut.part(rank);
        if part.is_empty() {
            return Vec::new();
        }
        let mut segments: Vec<usize> = [part.start, part.end]
            .into_iter()
            .filter_map(|position| segment_across(offsets, position))
            .collect();
        segments.dedup();
        let piece = |segment: usize| Self::new(offsets[segment]..offsets[segment + 1], &part);
        segments.into_iter().map(piece).collect()
    }

    fn new(segment: Range<u64>, part: &Range<u64>) -> Self {
        let own = segment.start.max(part.start)..segment.end.min(part.end);
        Self { segment, own }
    }

    pub(super) fn is_begun_before(&self) -> bool {
        self.segment.start < self.own.start
    }

    pub(super) fn goes_on(&self) -> bool {
        self.own.end < self.segment.end
    }

    /// Returns the index of its first element in the segment.
    fn first(&self) -> u64 {
        self.own.start - self.segment.start
    }

    /// Returns the whole tiles that end in it, by number in the segment.
    pub(super) fn tiles<T>(&self) -> Range<u64> {
        let tile = tile_len::<T>() as u64;
        self.first() / tile..(self.own.end - self.segment.start) / tile
    }

    /// Returns the range of the elements that precede it in its first tile.
    pub(super) fn head<T>(&self) -> Range<u64> {
        self.own.start - self.first() % tile_len::<T>() as u64..self.own.start
    }
}

/// A piece whose tiles are folded.
pub(super) struct Begun<'x, T, A> {
    pub(super) piece: Piece,
    /// All elements of the first tile up to the end of this piece, if another rank has the tile's first element.
    first_tile: Vec<T>,
    /// Number of elements of the first tile that are on other ranks.
    head: usize,
    /// The elements after that tile.
    rest: &'x [T],
    /// The totals of all tiles. The total of the last tile is unused if that tile is partial.
    totals: Vec<A>,
}

impl<'x, T: Element, A: bytemuck::Pod + Send + Sync> Begun<'x, T, A> {
    /// Folds the tiles of a piece with elements `x`, and with `head` before them in its first tile.
    pub(super) fn new<O: Op<T, Acc = A>>(
        cpu: &Cpu,
        op: O,
        head: &[T],
        x: &'x [T],
        piece: Piece,
    ) -> Result<Self, Error> {
        let of_first = if head.is_empty() { 0 } else { x.len().min(tile_len::<T>() - head.len()) };
        let (first, rest) = x.split_at(of_first);
        let first_tile = if head.is_empty() { Vec::new() } else { memory::joined(&[head, first])? };
        let begin = piece.first() - head.len() as u64;
        let mut totals = cpu.scan_totals(op, &first_tile, begin)?;
        let of_rest = cpu.scan_totals(op, rest, piece.first() + of_first as u64)?;
        memory::reserve(&mut totals, of_rest.len())?;
        totals.extend(of_rest);
        Ok(Self { piece, first_tile, head: head.len(), rest, totals })
    }

    /// Returns the totals of the whole tiles that end here.
    pub(super) fn whole_tiles(&self) -> &[A] {
        let Range { start, end } = self.piece.tiles::<T>();
        &self.totals[..(end - start) as usize]
    }

    /// Returns the prefix of each tile, computed from the totals of earlier ranks.
    pub(super) fn prefixes<U: Element, O: Op<U, Acc = A>>(
        &self,
        scan: Scan<A>,
        offsets: &[u64],
        cut: &Cut,
        sent: &[Vec<A>],
    ) -> Result<Vec<A>, Error> {
        let mut before = Vec::new();
        for (rank, totals) in sent.iter().enumerate() {
            let pieces = Piece::of_rank(offsets, cut, rank);
            let Some(piece) = pieces.into_iter().find(|piece| piece.segment == self.piece.segment) else {
                continue;
            };
            let tiles = piece.tiles::<U>();
            // Not counted any further: that rank says how many tiles there are.
            if portions(tiles.clone()).take(totals.len() + 1).count() != totals.len() {
                return Err(garbled(rank));
            }
            before.push((tiles, totals));
        }
        let init = scan.init(O::IDENTITY).0;
        let mut found = memory::with_room(self.totals.len())?;
        scanning::<A, _>(|| {
            let mut prefixes = Prefixes::new(O::IDENTITY, init);
            for (tiles, totals) in before {
                prefixes.push_groups::<U, O>(totals, tiles);
            }
            let before = |&total: &A| {
                let before = prefixes.next::<U, O>();
                prefixes.push::<U, O>(total);
                before
            };
            found.extend(self.totals.iter().map(before));
            found
        })
    }

    /// Writes the outputs of the piece's own elements.
    pub(super) fn write<O: Op<T, Acc = A>>(
        self,
        cpu: &Cpu,
        op: O,
        outs: &mut [O::Out],
        scan: Scan<A>,
        mut prefixes: &[A],
    ) -> Result<(), Error> {
        let (mut outs, mut first) = (outs, self.piece.first());
        if !self.first_tile.is_empty() {
            let Some(prefix) = prefixes.split_off(..1) else { return Ok(()) };
            let mut of_tile = empty_results::<T, O>(self.first_tile.len())?;
            cpu.scan_part(op, &self.first_tile, &mut of_tile, first - self.head as u64, scan, prefix)?;
            let (own, rest) = outs.split_at_mut(of_tile.len() - self.head);
            own.swap_with_slice(&mut of_tile[self.head..]);
            first += own.len() as u64;
            outs = rest;
        }
        cpu.scan_part(op, self.rest, outs, first, scan, prefixes)
    }
}
