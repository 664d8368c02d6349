//! Scans over the parts of all ranks, along the tree of one scan over the whole.
//!
//! Each rank that has a part of a tile scans it from the tile's first element on. Earlier ranks send it their elements
//! of the tile. The rank with its last element tells the others its total. So each rank knows the prefixes of its
//! tiles.

mod gaps;
mod input;
mod piece;

use gpu_kernels::{Element, Op};

use self::piece::{Begun, Piece};
use super::cut::Cut;
use super::segments::local_offsets;
use super::{Communicator, World, bytes};
use crate::cpu::{by_groups, empty_results};
use crate::error::Error;
use crate::memory;
use crate::scan::Scan;

impl<C: Communicator> World<C> {
    /// Scans the segments between offsets, which ascend within the whole array.
    fn scan_segments<T: Element + bytemuck::CheckedBitPattern, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        offsets: &[u64],
        scan: Scan<O::Acc>,
        cut: &Cut,
    ) -> Result<Vec<O::Out>, Error> {
        let rank = self.rank();
        let heads = self.exchange_heads(x, offsets, cut)?;
        let mut begun = Vec::new();
        for piece in Piece::of_rank(offsets, cut, rank) {
            let head = if piece.is_begun_before() { &heads[..] } else { &[] };
            begun.push(Begun::new(&self.cpu, op, head, &x[cut.within(rank, &piece.own)], piece)?);
        }
        let totals = begun.iter().find(|begun| begun.piece.goes_on());
        let totals = totals.map_or(Ok(Vec::new()), |begun| {
            let tiles = begun.piece.tiles::<T>();
            crate::cpu::scanning::<O::Acc, _>(|| by_groups::<T, O>(begun.whole_tiles(), tiles))?
        })?;
        let all = self.gather_any::<O::Acc>(&totals)?;
        let mut outs = empty_results::<T, O>(x.len())?;
        self.cpu.scan_segments_into(op, x, &local_offsets(offsets, cut, rank)?, &mut outs, scan)?;
        for begun in begun {
            let prefixes = begun.prefixes::<T, O>(scan, offsets, cut, &all[..rank])?;
            let own = cut.within(rank, &begun.piece.own);
            begun.write(&self.cpu, op, &mut outs[own], scan, &prefixes)?;
        }
        Ok(outs)
    }

    /// Returns the elements of this rank's first tile that earlier ranks have.
    fn exchange_heads<T: Element + bytemuck::CheckedBitPattern>(
        &self,
        x: &[T],
        offsets: &[u64],
        cut: &Cut,
    ) -> Result<Vec<T>, Error> {
        let rank = self.rank();
        let head = |rank| Piece::of_rank(offsets, cut, rank).first().map_or(0..0, Piece::head::<T>);
        let to = |to: usize| match to {
            _ if to <= rank => &[],
            _ => bytes::of(&x[cut.within(rank, &head(to))]),
        };
        let own = head(rank);
        let size = |from| if from < rank { cut.within(from, &own).len() * size_of::<T>() } else { 0 };
        let to: Vec<&[u8]> = memory::collected((0..self.size()).map(to))?;
        let sizes: Vec<usize> = memory::collected((0..self.size()).map(size))?;
        let mut elements = Vec::new();
        for (from, sent) in self.exchange(&to, &sizes)?.iter().enumerate() {
            bytes::elements(from, sent, &mut elements)?;
        }
        Ok(elements)
    }
}
