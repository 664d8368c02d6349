//! The positions at which sorted parts are cut, found exactly, by counting; and the exchange of what lies between them.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Rank};

use crate::error::Error;
use crate::memory;
use crate::world::cut::Cut;
use crate::world::exchange::garbled;
use crate::world::order::select::{Counted, Digit};
use crate::world::{Communicator, World, bytes};

/// Bits of the digits by which sorted elements are counted: each count costs a binary search, and all counts are sent
/// to all ranks.
const BITS: u32 = 4;

impl<C: Communicator> World<C> {
    /// Returns, for each rank, the positions at which its sorted part is cut: the start of the share of each rank, and
    /// the end. The elements are divided like `parts`, and the result like `outs`.
    pub(super) fn cuts_of<K: Rank>(
        &self,
        sorted: &[K],
        parts: &Cut,
        outs: &Cut,
    ) -> Result<Vec<Vec<usize>>, Error> {
        let n = outs.total();
        let starts: Vec<u64> = (0..self.size()).map(|rank| outs.part(rank).start).chain([n]).collect();
        let mut inner: Vec<u64> = starts.iter().copied().filter(|&start| 0 < start && start < n).collect();
        inner.dedup();
        let found = self.ranks_at::<K>(&inner, n, BITS, Sorted(sorted))?;
        let counts = |&(rank, _): &(K, u64)| {
            let less = sorted.partition_point(|&x| x < rank);
            [less as u64, (sorted.partition_point(|&x| x <= rank) - less) as u64]
        };
        let own: Vec<u64> = found.iter().flat_map(counts).collect();
        let mut before = vec![0_u64; found.len()];
        let mut cuts = Vec::new();
        for (rank, counts) in self.gather::<u64>(&own, |_| 2 * found.len())?.iter().enumerate() {
            let (counts, _) = counts.as_chunks::<2>();
            let len = parts.part(rank).end - parts.part(rank).start;
            if !counts.iter().all(|&[less, equal]| less <= len && equal <= len - less) {
                return Err(garbled(rank));
            }
            let mut inner_cuts = Vec::new();
            for ((&[less, equal], (_, position)), before) in counts.iter().zip(&found).zip(&mut before) {
                // Equal elements of lower ranks come first.
                inner_cuts.push((less + position.saturating_sub(*before).min(equal)) as usize);
                *before += equal;
            }
            let at = |start: &u64| match inner.binary_search(start) {
                Ok(at) => inner_cuts[at],
                Err(_) if *start == 0 => 0,
                Err(_) => len as usize,
            };
            let own: Vec<usize> = starts.iter().map(at).collect();
            if !own.is_sorted() {
                return Err(garbled(rank));
            }
            cuts.push(own);
        }
        let (rank, part) = (self.rank(), outs.part(self.rank()));
        let len: usize = cuts.iter().map(|of: &Vec<usize>| of[rank + 1] - of[rank]).sum();
        if len as u64 != part.end - part.start {
            return Err(garbled(rank));
        }
        Ok(cuts)
    }

    /// Sends each rank the elements between its positions, and returns the elements for this rank, in the order of
    /// ranks.
    pub(super) fn bring<V: Element + CheckedBitPattern>(
        &self,
        sorted: &[V],
        cuts: &[Vec<usize>],
    ) -> Result<Vec<V>, Error> {
        let rank = self.rank();
        let to: Vec<&[u8]> = cuts[rank].windows(2).map(|ends| bytes::of(&sorted[ends[0]..ends[1]])).collect();
        let size = |from: &Vec<usize>| (from[rank + 1] - from[rank]) * size_of::<V>();
        let sizes: Vec<usize> = cuts.iter().map(size).collect();
        let mut all = Vec::new();
        for (from, sent) in self.exchange(&to, &sizes)?.iter().enumerate() {
            bytes::elements(from, sent, &mut all)?;
        }
        Ok(all)
    }
}

/// The sorted ranks of a part.
struct Sorted<'x, K>(&'x [K]);

impl<K: Rank> Sorted<'_, K> {
    /// Returns the ranks of a kind.
    fn of_kind(&self, digit: &Digit<'_, K>, kind: usize) -> &[K] {
        let known = digit.known[kind];
        let (_, rest) = self.0.split_at(self.0.partition_point(|&rank| rank < known));
        let agrees = |rank: &K| rank.distance_from(known) <= digit.most_unknown();
        &rest[..rest.partition_point(agrees)]
    }
}

impl<K: Rank> Counted<K> for Sorted<'_, K> {
    fn count(&mut self, digit: &Digit<'_, K>) -> Result<Vec<u64>, Error> {
        let mut counts = memory::with_room(digit.known.len().saturating_mul(digit.digits()))?;
        for kind in 0..digit.known.len() {
            let of_kind = self.of_kind(digit, kind);
            let ends = (1..digit.digits()).map(|next| {
                let least = digit.least(kind, next);
                of_kind.partition_point(|&rank| rank < least)
            });
            let mut start = 0;
            counts.extend(ends.chain([of_kind.len()]).map(|end| {
                let count = (end - start) as u64;
                start = end;
                count
            }));
        }
        Ok(counts)
    }

    fn of_kinds(&mut self, digit: &Digit<'_, K>) -> Result<Vec<K>, Error> {
        let mut all = Vec::new();
        for kind in 0..digit.known.len() {
            let of_kind = self.of_kind(digit, kind);
            memory::reserve(&mut all, of_kind.len())?;
            all.extend_from_slice(of_kind);
        }
        Ok(all)
    }
}
