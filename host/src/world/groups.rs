//! Groups, whose elements may be on any ranks.
//!
//! If the order of the tree matters, the elements of a group are collected on one rank, and groups are divided so that
//! each rank has about the same number of elements. A group of more than a rank's share stays in place, and is folded
//! by one tree over all ranks. For a free operator no elements are moved.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op, is_free};

use super::cut::Cut;
use super::fold::{finish_each, fold_totals, totals_of};
use super::{Communicator, World, bytes};
use crate::Error;
use crate::error::RankFault;
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
    fn new(counts: Vec<Vec<u64>>, groups: usize) -> Self {
        let ranks = counts.len();
        let table = Self::in_place(counts, groups);
        let lens = &table.lens;
        let share = lens.iter().sum::<u64>().div_ceil(ranks as u64);
        let all = lens.iter().filter(|&&len| len <= share).sum::<u64>().max(1);
        let owners = lens.iter().scan(0_u64, |before, &len| {
            let owner = (u128::from(*before) * ranks as u128 / u128::from(all)) as usize;
            let is_short = len <= share;
            *before += if is_short { len } else { 0 };
            Some(is_short.then_some(owner.min(ranks - 1)))
        });
        Self { owners: owners.collect(), ..table }
    }

    /// Makes a table in which all ranks fold each group.
    fn in_place(counts: Vec<Vec<u64>>, groups: usize) -> Self {
        let lens = (0..groups).map(|group| counts.iter().map(|counts| counts[group]).sum()).collect();
        Self { counts, owners: vec![None; groups], lens }
    }

    /// Returns the groups that a rank folds alone.
    fn owned(&self, rank: usize) -> impl Iterator<Item = usize> {
        (0..self.lens.len()).filter(move |&group| self.owners[group] == Some(rank))
    }

    /// Returns the groups that all ranks fold, each with its division.
    fn shared(&self) -> Vec<(usize, Cut)> {
        let shared = (0..self.lens.len()).filter(|&group| self.owners[group].is_none());
        let cut = |group: usize| Cut::new(self.counts.iter().map(|counts| counts[group]));
        shared.filter_map(|group| Some((group, cut(group)?))).collect()
    }
}

impl<C: Communicator> World<C> {
    /// Folds each group, and finishes on each rank. This rank's elements are sorted by group, with the numbers in
    /// `counts`.
    pub(super) fn fold_groups<T: Element + CheckedBitPattern, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        counts: &[u64],
    ) -> Result<Vec<O::Out>, Error> {
        let table = Table::new(self.gather_counts(counts)?, counts.len());
        self.fold_table(op, x, counts, &table, |pieces| self.fold_owned(op, pieces, &table))
    }

    /// Does [`fold_groups`](Self::fold_groups), but sends no element to another rank: each group is folded where its
    /// elements are.
    pub(super) fn fold_groups_in_place<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        counts: &[u64],
    ) -> Result<Vec<O::Out>, Error> {
        let table = Table::in_place(self.gather_counts(counts)?, counts.len());
        self.fold_table(op, x, counts, &table, |_| Ok(Vec::new()))
    }

    /// Gathers the numbers of elements of each group.
    fn gather_counts(&self, counts: &[u64]) -> Result<Vec<Vec<u64>>, Error> {
        let all = self.gather_accs::<u64>(counts)?;
        match all.iter().position(|of_rank| of_rank.len() != counts.len()) {
            Some(rank) => Err(Error::Rank { rank, fault: RankFault::Garbled }),
            None => Ok(all),
        }
    }

    /// Folds each group, and finishes on each rank. `fold_owned` folds those that this rank folds alone.
    fn fold_table<T: Element, O: Op<T>>(
        &self,
        op: O,
        x: &[T],
        counts: &[u64],
        table: &Table,
        fold_owned: impl FnOnce(&[&[T]]) -> Result<Vec<O::Acc>, Error>,
    ) -> Result<Vec<O::Out>, Error> {
        let (rank, groups) = (self.rank(), counts.len());
        let mut pieces: Vec<&[T]> = Vec::with_capacity(groups);
        let mut rest = x;
        for &count in counts {
            pieces.push(rest.split_off(..count as usize).unwrap_or_default());
        }
        let folded = if const { is_free::<T, O>() } {
            let before = |group: usize| table.counts[..rank].iter().map(|counts| counts[group]).sum();
            let fold = |(group, x): (usize, &&[T])| {
                self.cpu.reduce_slice(Unfinished { op, first: before(group) }, x)
            };
            let own = pieces.iter().enumerate().map(fold).collect::<Result<Vec<_>, _>>()?;
            fold_totals::<T, O>(self.gather_accs::<O::Acc>(&own)?.concat(), groups)?
        } else {
            self.fold_in_order(op, &pieces, table, fold_owned(&pieces)?)?
        };
        finish_each::<T, O>(&folded, |group| table.lens[group])
    }

    /// Folds each group along its tree. `accs` are those of the groups that this rank folds alone.
    fn fold_in_order<T: Element, O: Op<T>>(
        &self,
        op: O,
        pieces: &[&[T]],
        table: &Table,
        mut accs: Vec<O::Acc>,
    ) -> Result<Vec<O::Acc>, Error> {
        let shared = table.shared();
        let mut totals = Vec::new();
        for (group, cut) in &shared {
            totals.push(self.totals(op, &pieces[*group], cut)?);
        }
        accs.extend(totals.into_iter().flatten());
        let mut folded = bytemuck::zeroed_vec::<O::Acc>(pieces.len());
        let mut totals = vec![Vec::new(); shared.len()];
        for (rank, accs) in self.gather_accs::<O::Acc>(&accs)?.iter().enumerate() {
            let garbled = || Error::Rank { rank, fault: RankFault::Garbled };
            let mut rest = &accs[..];
            for group in table.owned(rank) {
                folded[group..=group].copy_from_slice(rest.split_off(..1).ok_or_else(garbled)?);
            }
            for (totals, (_, cut)) in totals.iter_mut().zip(&shared) {
                totals.extend_from_slice(rest.split_off(..totals_of::<T, O>(cut, rank)).ok_or_else(garbled)?);
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
        let mut to = vec![Vec::new(); ranks];
        for (piece, owner) in pieces.iter().zip(&table.owners) {
            if let &Some(owner) = owner {
                to[owner].extend_from_slice(bytes::of(piece));
            }
        }
        let owned: Vec<usize> = table.owned(rank).collect();
        let size = |from: &Vec<u64>| owned.iter().map(|&group| from[group] as usize * size_of::<T>()).sum();
        let expected: Vec<usize> = table.counts.iter().map(size).collect();
        let from = self.exchange(to, &expected)?;
        let mut rest: Vec<&[u8]> = from.iter().map(Vec::as_slice).collect();
        let (mut x, mut offsets) = (Vec::<T>::new(), vec![0]);
        for &group in &owned {
            for (from, rest) in rest.iter_mut().enumerate() {
                let len = table.counts[from][group] as usize * size_of::<T>();
                bytes::elements(from, rest.split_off(..len).unwrap_or_default(), &mut x)?;
            }
            offsets.push(x.len());
        }
        self.cpu.segments(Unfinished { op, first: 0 }, &x, &offsets)
    }
}
