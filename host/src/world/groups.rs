//! Groups, whose elements may be on any ranks.
//!
//! If the order of the tree matters, the elements of a group are collected on one rank, and groups are divided so that
//! each rank has about the same number of elements. A group of more than a rank's share stays in place, and is folded
//! by one tree over all ranks. For a free operator no elements are moved.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op, is_free};

use super::cut::Cut;
use super::exchange::garbled;
use super::fold::{finish_each, fold_totals, totals_of};
use super::{Communicator, World, bytes};
use crate::error::Error;
use crate::memory;
use crate::unfinished::Unfinished;

/// The numbers of elements of each group on each rank.
struct Table {
    /// For each rank, the number of elements of each group.
    counts: Vec<Vec<u64>>,
    /// The rank that folds each group, or `None` if all ranks do.
    owners: Vec<Option<usize>>,
    /// Total number of elements of each group.
    lens: Vec<u64>,
}

impl Table {
    /// Decides which rank folds each group, by the `counts` of all ranks. The counts of a rank must add up to the
    /// length of its part in `cut`.
    fn new(counts: Vec<Vec<u64>>, groups: usize, cut: &Cut) -> Result<Self, Error> {
        let ranks = counts.len();
        let table = Self::in_place(counts, groups, cut)?;
        let lens = &table.lens;
        let share = lens.iter().sum::<u64>().div_ceil(ranks as u64);
        let all = lens.iter().filter(|&&len| len <= share).sum::<u64>().max(1);
        let owners = lens.iter().scan(0_u64, |before, &len| {
            let owner = (u128::from(*before) * ranks as u128 / u128::from(all)) as usize;
            let is_short = len <= share;
            *before += if is_short { len } else { 0 };
            Some(is_short.then_some(owner.min(ranks - 1)))
        });
        Ok(Self { owners: memory::collected(owners)?, ..table })
    }

    /// Makes a table in which all ranks fold each group.
    fn in_place(counts: Vec<Vec<u64>>, groups: usize, cut: &Cut) -> Result<Self, Error> {
        for (rank, counts) in counts.iter().enumerate() {
            let all = counts.iter().try_fold(0_u64, |all, &count| all.checked_add(count));
            if all != Some(cut.len(rank) as u64) {
                return Err(garbled(rank));
            }
        }
        let len = |group: usize| counts.iter().map(|counts| counts[group]).sum();
        let lens = memory::collected((0..groups).map(len))?;
        Ok(Self { counts, owners: memory::filled(None, groups)?, lens })
    }

    /// Returns the groups that a rank folds alone.
    fn owned(&self, rank: usize) -> impl Iterator<Item = usize> {
        (0..self.lens.len()).filter(move |&group| self.owners[group] == Some(rank))
    }

    /// Returns the groups that all ranks fold, each with its division.
    fn shared(&self) -> Result<Vec<(usize, Cut)>, Error> {
        let shared = (0..self.lens.len()).filter(|&group| self.owners[group].is_none());
        let cut = |group: usize| Cut::new(self.counts.iter().map(|counts| counts[group]));
        let cuts = shared.clone().filter_map(|group| Some((group, cut(group)?)));
        memory::collected(cuts)
    }
}

impl<C: Communicator> World<C> {
    /// Folds each group, and finishes on each rank. This rank's elements are sorted by group, with the numbers in
    /// `counts`. All elements are divided like `cut`.
    pub(super) fn fold_groups<T: Element + CheckedBitPattern, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        counts: &[u64],
        cut: &Cut,
    ) -> Result<Vec<O::Out>, Error> {
        let table = Table::new(self.gather_counts(counts)?, counts.len(), cut)?;
        self.fold_table(op, x, counts, &table, |pieces| self.fold_owned(op, pieces, &table))
    }

    /// Does [`fold_groups`](Self::fold_groups), but sends no element to another rank: each group is folded where its
    /// elements are.
    pub(super) fn fold_groups_in_place<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        counts: &[u64],
        cut: &Cut,
    ) -> Result<Vec<O::Out>, Error> {
        let table = Table::in_place(self.gather_counts(counts)?, counts.len(), cut)?;
        self.fold_table(op, x, counts, &table, |_| Ok(Vec::new()))
    }

    /// Gathers the numbers of elements of each group.
    fn gather_counts(&self, counts: &[u64]) -> Result<Vec<Vec<u64>>, Error> {
        self.gather(counts, |_| counts.len())
    }

    /// Folds each group, and finishes on each rank. `fold_owned` folds the groups that this rank folds
    /// alone.
    fn fold_table<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        counts: &[u64],
        table: &Table,
        fold_owned: impl FnOnce(&[&[T]]) -> Result<Vec<O::Acc>, Error>,
    ) -> Result<Vec<O::Out>, Error> {
        let (rank, groups) = (self.rank(), counts.len());
        let mut pieces: Vec<&[T]> = memory::with_room(groups)?;
        let mut rest = x;
        for &count in counts {
            pieces.push(rest.split_off(..count as usize).unwrap_or_default());
        }
        let folded = if const { is_free::<T, O>() } {
            let before = |group: usize| table.counts[..rank].iter().map(|counts| counts[group]).sum();
            let fold = |(group, x): (usize, &&[T])| {
                self.cpu.reduce_slice(Unfinished { op, first: before(group) }, x)
            };
            let mut own = memory::with_room(groups)?;
            for piece in pieces.iter().enumerate() {
                own.push(fold(piece)?);
            }
            let all = self.gather::<O::Acc>(&own, |_| groups)?;
            fold_totals::<T, O>(memory::joined(&all)?, groups)?
        } else {
            self.fold_in_order(op, &pieces, table, fold_owned(&pieces)?)?
        };
        finish_each::<T, O>(&folded, |group| table.lens[group])
    }

    /// Folds each group along its tree. `accs` are the accumulators of the groups that this rank folds alone.
    fn fold_in_order<T: Element, O: Op<T>>(
        &self,
        op: O,
        pieces: &[&[T]],
        table: &Table,
        mut accs: Vec<O::Acc>,
    ) -> Result<Vec<O::Acc>, Error> {
        let shared = table.shared()?;
        for (group, cut) in &shared {
            let totals = self.totals(op, &pieces[*group], cut)?;
            memory::reserve(&mut accs, totals.len())?;
            accs.extend(totals);
        }
        let mut folded = memory::zeroed::<O::Acc>(pieces.len())?;
        let mut totals = memory::filled(Vec::new(), shared.len())?;
        let count = |rank| {
            let totals = shared.iter().map(|(_, cut)| totals_of::<T, O>(cut, rank));
            totals.fold(table.owned(rank).count(), usize::saturating_add)
        };
        for (rank, accs) in self.gather::<O::Acc>(&accs, count)?.iter().enumerate() {
            let mut rest = &accs[..];
            for group in table.owned(rank) {
                folded[group..=group].copy_from_slice(rest.split_off(..1).ok_or_else(|| garbled(rank))?);
            }
            for (totals, (_, cut)) in totals.iter_mut().zip(&shared) {
                let own = rest.split_off(..totals_of::<T, O>(cut, rank)).ok_or_else(|| garbled(rank))?;
                memory::reserve(totals, own.len())?;
                totals.extend_from_slice(own);
            }
        }
        for (&(group, _), totals) in shared.iter().zip(totals) {
            folded[group..=group].copy_from_slice(&fold_totals::<T, O>(totals, 1)?);
        }
        Ok(folded)
    }

    /// Collects the groups that this rank folds, and folds them.
    fn fold_owned<T: Element + CheckedBitPattern, O: Op<T>>(
        &self,
        op: O,
        pieces: &[&[T]],
        table: &Table,
    ) -> Result<Vec<O::Acc>, Error> {
        let (rank, ranks) = (self.rank(), self.size());
        let mut to = memory::filled(Vec::new(), ranks)?;
        for (piece, owner) in pieces.iter().zip(&table.owners) {
            if let &Some(owner) = owner {
                let bytes = bytes::of(piece);
                memory::reserve(&mut to[owner], bytes.len())?;
                to[owner].extend_from_slice(bytes);
            }
        }
        let owned: Vec<usize> = memory::collected(table.owned(rank))?;
        let bytes_of = |count: u64| (count as usize).saturating_mul(size_of::<T>());
        let size =
            |from: &Vec<u64>| owned.iter().map(|&group| bytes_of(from[group])).fold(0, usize::saturating_add);
        let expected: Vec<usize> = table.counts.iter().map(size).collect();
        let from = self.exchange(&to, &expected)?;
        let mut rest: Vec<&[u8]> = from.iter().map(Vec::as_slice).collect();
        let (mut x, mut offsets) = (Vec::<T>::new(), memory::with_room(owned.len() + 1)?);
        offsets.push(0);
        for &group in &owned {
            for (from, rest) in rest.iter_mut().enumerate() {
                let len = bytes_of(table.counts[from][group]);
                bytes::elements(from, rest.split_off(..len).unwrap_or_default(), &mut x)?;
            }
            offsets.push(x.len());
        }
        self.cpu.segments(Unfinished { op, first: 0 }, &x, &offsets)
    }
}
