//! What one rank has of an array or a segment that lies across a cut.

use std::ops::Range;

use gpu_kernels::scan::tree::tile_len;
use gpu_kernels::{Element, Op};

use crate::cpu::{Prefixes, empty_results, portions, scanning};
use crate::error::RankFault;
use crate::world::cut::Cut;
use crate::world::segments::across_place;
use crate::{Cpu, Error, Scan};

/// A rank's part of an array or a segment, of which another rank has a part too.
pub(super) struct Piece {
    /// Where the segment stands in the whole array.
    segment: Range<u64>,
    /// Where this part of it stands: it is not empty.
    pub(super) own: Range<u64>,
}

impl Piece {
    /// Those of a rank, in order: of the segment that began before it, and of the one that goes on after it.
    pub(super) fn of_rank(offsets: &[u64], cut: &Cut, rank: usize) -> Vec<Self> {
        let part = cut.part(rank);
        if part.is_empty() {
            return Vec::new();
        }
        let mut segments: Vec<usize> =
            [part.start, part.end].into_iter().filter_map(|place| across_place(offsets, place)).collect();
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

    /// The index of its first element in the segment.
    fn first(&self) -> u64 {
        self.own.start - self.segment.start
    }

    /// The whole tiles that end in it, by their numbers in the segment.
    pub(super) fn tiles<T>(&self) -> Range<u64> {
        let tile = tile_len::<T>() as u64;
        self.first() / tile..(self.own.end - self.segment.start) / tile
    }

    /// Where the elements of its first tile stand that are before it.
    pub(super) fn head<T>(&self) -> Range<u64> {
        self.own.start - self.first() % tile_len::<T>() as u64..self.own.start
    }
}

/// A piece whose tiles are folded.
pub(super) struct Begun<'x, T, A> {
    pub(super) piece: Piece,
    /// The first tile from its first element on, if that is another rank's.
    first_tile: Vec<T>,
    /// How many elements of the first tile are other ranks'.
    head: usize,
    /// The elements behind that tile.
    rest: &'x [T],
    /// The totals of all tiles. That of the last is of no use if it is not whole.
    totals: Vec<A>,
}

impl<'x, T: Element, A: bytemuck::Pod + Send + Sync> Begun<'x, T, A> {
    /// Folds the tiles of a piece, whose elements are `x`, and before them `head` in its first tile.
    pub(super) fn new<O: Op<T, Acc = A>>(
        cpu: &Cpu,
        op: O,
        head: &[T],
        x: &'x [T],
        piece: Piece,
    ) -> Result<Self, Error> {
        let of_first = if head.is_empty() { 0 } else { x.len().min(tile_len::<T>() - head.len()) };
        let (first, rest) = x.split_at(of_first);
        let first_tile = if head.is_empty() { Vec::new() } else { [head, first].concat() };
        let begin = piece.first() - head.len() as u64;
        let mut totals = cpu.scan_totals(op, &first_tile, begin)?;
        totals.extend(cpu.scan_totals(op, rest, piece.first() + of_first as u64)?);
        Ok(Self { piece, first_tile, head: head.len(), rest, totals })
    }

    /// The totals of the whole tiles that end here.
    pub(super) fn whole_tiles(&self) -> &[A] {
        let Range { start, end } = self.piece.tiles::<T>();
        &self.totals[..(end - start) as usize]
    }

    /// What stands before each tile, by what the ranks before this one told of theirs.
    pub(super) fn prefixes<U: Element, O: Op<U, Acc = A>>(
        &self,
        scan: Scan<A>,
        offsets: &[u64],
        cut: &Cut,
        told: &[Vec<A>],
    ) -> Result<Vec<A>, Error> {
        let before = |(rank, told): (usize, &'_ Vec<A>)| {
            let pieces = Piece::of_rank(offsets, cut, rank);
            let piece = pieces.into_iter().find(|piece| piece.segment == self.piece.segment);
            Some((rank, piece?.tiles::<U>(), told.clone()))
        };
        let before: Vec<_> = told.iter().enumerate().filter_map(before).collect();
        for (rank, tiles, told) in &before {
            if portions(tiles.clone()).count() != told.len() {
                return Err(Error::Rank { rank: *rank, fault: RankFault::Garbled });
            }
        }
        let init = scan.init(O::IDENTITY).0;
        scanning::<A, _>(|| {
            let mut prefixes = Prefixes::new(O::IDENTITY, init);
            for (_, tiles, told) in before {
                prefixes.push_groups::<U, O>(&told, tiles);
            }
            let before = |&total: &A| {
                let before = prefixes.next::<U, O>();
                prefixes.push::<U, O>(total);
                before
            };
            self.totals.iter().map(before).collect()
        })
    }

    /// Writes the outputs at the piece's own elements.
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
