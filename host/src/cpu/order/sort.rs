//! Sorting. Runs that the input already has are merged. Otherwise each thread sorts a part, and the parts are merged.

use std::convert::Infallible;

use gpu_kernels::{Rank, TotalOrder};

use super::runs::Runs;
use super::{merge, nearly, radix, rank_in, values};
use crate::Order;
use crate::cpu::{Cpu, TASK_BYTES, memory, share};
use crate::error::{Error, check_lengths};

impl Cpu {
    /// Sorts elements by their [total order](TotalOrder). For floats, -0.0 comes before 0.0, NaN last, and NaN with a sign
    /// first. Equal elements have the same bits, so there is one result. Takes the memory of as many elements again.
    ///
    /// ```
    /// use warpfold::{Cpu, Order};
    ///
    /// let mut x = [2.5, -0.0, f32::NEG_INFINITY, 0.0, 1.0];
    /// Cpu::new().sort(&mut x, Order::Ascending);
    /// assert_eq!(x, [f32::NEG_INFINITY, -0.0, 0.0, 1.0, 2.5]);
    /// Cpu::new().sort(&mut x, Order::Descending);
    /// assert_eq!(x, [2.5, 1.0, 0.0, -0.0, f32::NEG_INFINITY]);
    /// ```
    pub fn sort<T: TotalOrder>(&self, x: &mut [T], order: Order) {
        in_order!(order, order => self.sort_by_rank(x, true, |&x| rank_in(order, x)));
    }

    /// Sorts keys by their total order, and each value with its key. The sort is stable: values of equal keys keep
    /// their order. Every step moves a value with its key; for large values sort the indices instead
    /// ([`argsort`](Self::argsort)).
    ///
    /// # Errors
    /// [`Error::Lengths`] if the numbers of keys and values differ.
    ///
    /// ```
    /// use warpfold::{Cpu, Order};
    ///
    /// let (mut keys, mut values) = ([2, 1, 2, 1], ['a', 'b', 'c', 'd']);
    /// Cpu::new().sort_pairs(&mut keys, &mut values, Order::Descending)?;
    /// assert_eq!((keys, values), ([2, 2, 1, 1], ['a', 'c', 'b', 'd']));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort_pairs<K: TotalOrder, V: Copy + Send + Sync>(
        &self,
        keys: &mut [K],
        values: &mut [V],
        order: Order,
    ) -> Result<(), Error> {
        check_lengths(keys.len(), values.len())?;
        let mut pairs = memory::with_room(keys.len()).unwrap_or_default();
        pairs.extend(keys.iter().copied().zip(values.iter().copied()));
        self.sort_records(&mut pairs, order, |pair| pair.0);
        for ((key, value), pair) in keys.iter_mut().zip(values).zip(pairs) {
            (*key, *value) = pair;
        }
        Ok(())
    }

    /// Returns the indices of the elements in their total order: `x[argsort[0]]` is the first element. The sort is stable: of
    /// equal elements the one with the lower index comes first.
    ///
    /// ```
    /// use warpfold::{Cpu, Order};
    ///
    /// assert_eq!(Cpu::new().argsort(&[30, 10, 20, 10], Order::Ascending), [1, 3, 2, 0]);
    /// ```
    #[must_use]
    pub fn argsort<T: TotalOrder>(&self, x: &[T], order: Order) -> Vec<usize> {
        // 32-bit indices, where they suffice, halve the bytes to move.
        if u32::try_from(x.len()).is_ok() {
            self.sorted_indices(x, order, |i| i as u32, |i: u32| i as usize)
        } else {
            self.sorted_indices(x, order, |i| i, |i: usize| i)
        }
    }

    fn sorted_indices<T: TotalOrder, I: Copy + Send + Sync>(
        &self,
        x: &[T],
        order: Order,
        narrow: impl Fn(usize) -> I,
        widen: impl Fn(I) -> usize,
    ) -> Vec<usize> {
        let mut pairs = memory::with_room(x.len()).unwrap_or_default();
        pairs.extend(x.iter().zip(0..).map(|(&x, i)| (x, narrow(i))));
        self.sort_records(&mut pairs, order, |pair| pair.0);
        pairs.into_iter().map(|(_, i)| widen(i)).collect()
    }

    /// Sorts records by their keys, stably.
    pub(super) fn sort_records<R: Copy + Send + Sync, K: TotalOrder>(
        &self,
        x: &mut [R],
        order: Order,
        key: impl Fn(&R) -> K + Copy + Sync,
    ) {
        in_order!(order, order => self.sort_by_rank(x, false, |x| rank_in(order, key(x))));
    }

    fn sort_by_rank<R: Copy + Send + Sync, K: Rank>(
        &self,
        x: &mut [R],
        is_key: bool,
        rank: impl Fn(&R) -> K + Copy + Sync,
    ) {
        if x.len() <= INSERTED {
            return x.sort_by_key(rank);
        }
        if x.is_sorted_by_key(rank) {
            return;
        }
        let most_runs =
            if K::BITS <= 32 && by_digits::<K>(x.len()) { RUNS_OF_SHORT_KEYS } else { usize::MAX };
        if let Some(runs) = Runs::of(x, most_runs, is_key, rank) {
            return match runs.count {
                1 => x.reverse(),
                _ => self.merge_all(x, &runs.ends(), rank, |x, _| runs.reverse(x)),
            };
        }
        let has_few_values = x.len() >= SAMPLED && values::seem_few(x, rank);
        if is_key
            && x.len() >= SAMPLED
            && (has_few_values && values::sort(x, rank)
                || nearly::seems_sorted(x, rank) && nearly::sort(x, rank))
        {
            return;
        }
        let by_digits = by_digits::<K>(x.len()) && !has_few_values;
        let sort = |x: &mut [R], other: &mut [R]| {
            if by_digits {
                radix::sort(x, other, rank);
            } else if is_key {
                x.sort_unstable_by_key(rank);
            } else {
                x.sort_by_key(rank);
            }
        };
        let threads = self.threads_for(size_of_val(x).saturating_mul(WORK));
        if threads < 2 && !by_digits {
            return sort(x, &mut []);
        }
        let part_len = x.len().div_ceil(threads);
        let ends: Vec<usize> = (1..=threads).map(|part| x.len().min(part * part_len)).collect();
        self.merge_all(x, &ends, rank, |x, other| {
            let parts = x.chunks_mut(part_len).zip(other.chunks_mut(part_len));
            let Ok(()) = share(self.pool.as_deref(), threads - 1, parts, |(x, other)| {
                sort(x, other);
                Ok::<_, Infallible>(())
            });
        });
    }

    /// Merges the runs of `x` that end at `ends`, after `prepare` has put each run in order. It gets the elements and a
    /// buffer of as many.
    fn merge_all<R: Copy + Send + Sync, K: Rank>(
        &self,
        x: &mut [R],
        ends: &[usize],
        rank: impl Fn(&R) -> K + Copy + Sync,
        prepare: impl FnOnce(&mut [R], &mut [R]),
    ) {
        let mut other = memory::copy(x);
        let passes = ends.len().next_power_of_two().trailing_zeros();
        // Each pass moves all elements; the last one moves them to `x`.
        let (mut from, mut to) =
            if passes.is_multiple_of(2) { (x, &mut other[..]) } else { (&mut other[..], x) };
        prepare(from, to);
        let mut ends = ends.to_vec();
        while ends.len() > 1 {
            self.merge_pairs(from, to, &ends, rank);
            ends = ends.chunks(2).filter_map(|pair| pair.last().copied()).collect();
            (from, to) = (to, from);
        }
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

/// Most elements that are sorted by insertion, by which the standard library sorts as many.
const INSERTED: usize = 20;

/// Least elements of an array that is sampled before it is sorted.
const SAMPLED: usize = 1 << 9;

/// Most runs that are merged of keys of up to 32 bits that could be sorted by digits: two passes. [2-core EPYC, 2^24
/// f32, one and two threads: ten runs merged in four passes 365 and 216 ms, unordered keys by digits 195 and 165. u64:
/// 185 and 145, 358 and 226.]
const RUNS_OF_SHORT_KEYS: usize = 4;

/// The approximate time to sort a byte, relative to the time to read it.
/// [2-core Xeon (Sapphire Rapids), one thread, 2^20 f32: 10 ns to sort an element, 0.3 to read it.]
const WORK: usize = 32;

/// Returns whether `len` unordered elements are sorted faster by digits than by comparisons. [2-core EPYC, one thread,
/// CPU time, ns per element by digits and by the standard library's faster sort: f32, 2^17 8.0 and 20, 2^20 10.4 and
/// 28; u64, 2^17 18.9 and 16, 2^20 15.7 and 15, 2^22 14.7 and 24.9 (stable).]
fn by_digits<K: Rank>(len: usize) -> bool {
    len >= if K::BITS <= 32 { SAMPLED } else { 1 << 21 }
}
