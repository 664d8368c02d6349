//! Sorting. Runs are merged, keys with few distinct values are counted, and a few misplaced keys are inserted. Other elements are
//! sorted by digits, or by the standard library if they are few.

use std::convert::Infallible;

use gpu_kernels::{Rank, TotalOrder};

use super::runs::{Runs, leading};
use super::{merge, nearly, rank_in, values};
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::{Error, check_lengths};
use crate::memory;
use crate::verb::order::Order;

impl Cpu {
    /// Sorts a slice.
    pub(crate) fn sort_slice<T: TotalOrder>(&self, x: &mut [T], order: Order) {
        in_order!(order, order => {
            let rank = |x: &T| rank_in(order, *x);
            if self.sort_by_rank::<_, _, true>(x, rank).is_err() {
                x.sort_unstable_by_key(rank);
            }
        });
    }

    /// Sorts ranks.
    pub(super) fn sort_ranks<K: Rank>(&self, ranks: &mut [K]) {
        if self.sort_by_rank::<_, _, true>(ranks, |&rank| rank).is_err() {
            ranks.sort_unstable();
        }
    }

    /// Sorts a slice of keys, and each value with its key.
    pub(crate) fn sort_slice_pairs<K: TotalOrder, V: Copy + Send + Sync>(
        &self,
        keys: &mut [K],
        values: &mut [V],
        order: Order,
    ) -> Result<(), Error> {
        check_lengths(keys.len(), values.len())?;
        if keys.is_sorted_by_key(|&key| rank_in(order, key)) {
            return Ok(());
        }
        let mut pairs = self.map(keys, |i, &key| (key, values[i]))?;
        self.sort_records(&mut pairs, order, |pair| pair.0)?;
        let len = (TASK_BYTES / size_of::<(K, V)>()).max(1);
        let tasks = pairs.chunks(len).zip(keys.chunks_mut(len)).zip(values.chunks_mut(len));
        let helpers = self.threads_for(size_of_val(&pairs[..])) - 1;
        let Ok(()) = share(self.pool.as_deref(), helpers, tasks, |((pairs, keys), values)| {
            for ((key, value), &pair) in keys.iter_mut().zip(values).zip(pairs) {
                (*key, *value) = pair;
            }
            Ok::<_, Infallible>(())
        });
        Ok(())
    }

    /// Returns the indices of a slice's elements in their total order.
    pub(super) fn argsort_slice<T: TotalOrder>(&self, x: &[T], order: Order) -> Result<Vec<usize>, Error> {
        // 32-bit indices, where they suffice, halve the bytes to move.
        let sorted = if u32::try_from(x.len()).is_ok() {
            self.sorted_indices(x, order, |i| i as u32, |i| i as usize)
        } else {
            self.sorted_indices(x, order, |i| i, |i| i)
        };
        sorted.or_else(|_| {
            let mut indices = self.map(x, |i, _| i)?;
            indices.sort_unstable_by_key(|&i| (rank_in(order, x[i]), i));
            Ok(indices)
        })
    }

    /// Returns the sorted indices, if there is enough memory for pairs of elements and indices.
    fn sorted_indices<T: TotalOrder, I: Copy + Send + Sync>(
        &self,
        x: &[T],
        order: Order,
        narrow: impl Fn(usize) -> I + Sync,
        widen: impl Fn(I) -> usize + Sync,
    ) -> Result<Vec<usize>, Error> {
        if x.is_sorted_by_key(|&x| rank_in(order, x)) {
            return self.map(x, |i, _| i);
        }
        let mut pairs = self.map(x, |i, &x| (x, narrow(i)))?;
        self.sort_records(&mut pairs, order, |pair| pair.0)?;
        self.map(&pairs, |_, pair| widen(pair.1))
    }

    /// Sorts records by their keys, stably.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory for a copy of them. Nothing is changed.
    pub(super) fn sort_records<R: Copy + Send + Sync, K: TotalOrder>(
        &self,
        x: &mut [R],
        order: Order,
        key: impl Fn(&R) -> K + Copy + Sync,
    ) -> Result<(), Error> {
        in_order!(order, order => self.sort_by_rank::<_, _, false>(x, |x| rank_in(order, key(x))))
    }

    /// Sorts elements by their ranks: stably, unless they are keys, which have the same bits if they are equal.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory for a copy of them. Then records are as they were, and keys in another
    /// order.
    fn sort_by_rank<R: Copy + Send + Sync, K: Rank, const ARE_KEYS: bool>(
        &self,
        x: &mut [R],
        rank: impl Fn(&R) -> K + Copy + Sync,
    ) -> Result<(), Error> {
        if x.len() < BY_DIGITS {
            // Both sorts find sorted and reversed arrays. The stable sort also merges runs; the other one is faster on
            // arrays without runs.
            let has_runs = x.len() > BEGINNING && x[..BEGINNING].is_sorted_by_key(rank);
            if ARE_KEYS && !has_runs {
                x.sort_unstable_by_key(rank)
            } else {
                let is_short = x.len() <= merge::sorted_at_once::<R>();
                let mut other = if is_short { Vec::new() } else { memory::copied(x)? };
                merge::sort(x, &mut other, rank);
            }
            return Ok(());
        }
        if self.all_pairs(x, |left, right| rank(left) <= rank(right)) {
            return Ok(());
        }
        // Equal records keep their order.
        let descend = |left: &R, right: &R| {
            if ARE_KEYS { rank(right) <= rank(left) } else { rank(right) < rank(left) }
        };
        if self.all_pairs(x, descend) {
            self.reverse(x);
            return Ok(());
        }
        let most_runs = if K::BITS <= 32 { RUNS_OF_SHORT_KEYS } else { usize::MAX };
        if let Some(runs) = Runs::of::<_, _, ARE_KEYS>(x, most_runs, rank) {
            return self.merge_all(x, &runs, rank);
        }
        if ARE_KEYS {
            let are_few = values::seem_few(x, rank) && self.sort_few_values(x, rank)?;
            if are_few || nearly::seems_sorted(x, rank) && nearly::sort(x, rank) {
                return Ok(());
            }
        }
        let Some(&first) = x.first() else { return Ok(()) };
        let mut other = self.map(x, |_, _| first)?;
        let threads = self.threads_for(size_of_val(x).saturating_mul(WORK));
        self.sort_by_digits(x, &mut other, threads, rank);
        Ok(())
    }

    /// Returns whether a condition holds for all pairs of neighbours.
    fn all_pairs<R: Sync>(&self, x: &[R], holds: impl Fn(&R, &R) -> bool + Copy + Sync) -> bool {
        let len = (TASK_BYTES / size_of::<R>().max(1)).max(1);
        // With the first element of the next piece.
        let mut pieces = (0..x.len()).step_by(len).map(|start| &x[start..x.len().min(start + len + 1)]);
        let check = |x: &[R]| if leading(x, holds) + 1 < x.len() { Err(()) } else { Ok(()) };
        // No thread is woken for an array that begins otherwise.
        pieces.next().is_none_or(|first| check(first).is_ok())
            && share(self.pool.as_deref(), self.threads_for(size_of_val(x)) - 1, pieces, check).is_ok()
    }

    /// Reverses an array.
    fn reverse<R: Send>(&self, x: &mut [R]) {
        let len = (TASK_BYTES / size_of::<R>().max(1)).max(1);
        let helpers = self.threads_for(size_of_val(x)) - 1;
        let (half, all) = (x.len() / 2, x.len());
        let (front, back) = x.split_at_mut(half);
        let back = &mut back[all - 2 * half..];
        let tasks = front.chunks_mut(len).zip(back.rchunks_mut(len));
        let Ok(()) = share(self.pool.as_deref(), helpers, tasks, |(front, back)| {
            front.iter_mut().zip(back.iter_mut().rev()).for_each(|(left, right)| std::mem::swap(left, right));
            Ok::<_, Infallible>(())
        });
    }

    /// Merges runs.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory for a copy of all elements. Nothing is changed.
    #[expect(clippy::disallowed_methods, reason = "at most 16 runs")]
    fn merge_all<R: Copy + Send + Sync, K: Rank>(
        &self,
        x: &mut [R],
        runs: &Runs,
        rank: impl Fn(&R) -> K + Copy + Sync,
    ) -> Result<(), Error> {
        let mut ends = runs.ends();
        let passes = ends.len().next_power_of_two().trailing_zeros();
        // Each pass moves all elements; the last one moves them to `x`.
        let Some(&first) = x.first() else { return Ok(()) };
        let is_even = passes.is_multiple_of(2);
        let mut other = if is_even { self.map(x, |_, _| first)? } else { self.map(x, |_, &x| x)? };
        let (mut from, mut to) = if is_even { (x, &mut other[..]) } else { (&mut other[..], x) };
        runs.descending().for_each(|run| self.reverse(&mut from[run]));
        while ends.len() > 1 {
            self.merge_pairs(from, to, &ends, rank);
            ends = ends.chunks(2).filter_map(|pair| pair.last().copied()).collect();
            (from, to) = (to, from);
        }
        Ok(())
    }

    /// Merges pairs of neighbouring runs.
    fn merge_pairs<R: Copy + Send + Sync, K: Rank>(
        &self,
        mut from: &[R],
        mut to: &mut [R],
        ends: &[usize],
        rank: impl Fn(&R) -> K + Copy + Sync,
    ) {
        let piece_len = (TASK_BYTES / size_of::<R>().max(1)).max(1);
        let helpers = self.threads_for(size_of_val(from)) - 1;
        let mut start = 0;
        let pieces = ends.chunks(2).flat_map(|pair| {
            let left = pair[0] - start;
            let len = pair[pair.len() - 1] - start;
            start += len;
            let to = to.split_off_mut(..len).unwrap_or_default();
            let (left, right) = from.split_off(..len).unwrap_or_default().split_at(left);
            to.chunks_mut(piece_len)
                .zip((0..).step_by(piece_len))
                .map(move |(to, start)| (left, right, start, to))
        });
        let Ok(()) = share(self.pool.as_deref(), helpers, pieces, |(left, right, start, to)| {
            let end = start + to.len();
            let (l, l_end) = (merge::cut(left, right, start, rank), merge::cut(left, right, end, rank));
            merge::merge(&left[l..l_end], &right[start - l..end - l_end], to, rank);
            Ok::<_, Infallible>(())
        });
    }
}

/// An array is expected to have runs if this many elements at its beginning ascend.
const BEGINNING: usize = 16;

/// Least elements of an array that the standard library does not sort. From 1000 elements on, digits are faster
/// (docs/tuning/cpu.md).
pub(super) const BY_DIGITS: usize = 1 << 9;

/// Most runs that are merged, in two passes, if keys of up to 32 bits could be sorted by digits instead. Merging
/// ten runs takes longer than sorting by digits (docs/tuning/cpu.md).
const RUNS_OF_SHORT_KEYS: usize = 4;

/// Least time to sort a byte, relative to the time to read it: few elements are sorted on one thread.
const WORK: usize = 8;
