//! Sorting: each thread sorts a part, and pairs of parts are merged until one is left.

use std::convert::Infallible;

use gpu_kernels::{Rank, TotalOrder};

use super::{merge, radix, rank_in};
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

    /// Sorts keys by their total order, and each value with its key. The sort is stable: values of equal keys keep their order.
    /// Every step moves a value with its key; for large values sort the indices instead ([`argsort`](Self::argsort)).
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
        let mut pairs: Vec<(K, V)> = keys.iter().copied().zip(values.iter().copied()).collect();
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
        let mut pairs: Vec<(T, I)> = x.iter().zip(0..).map(|(&x, i)| (x, narrow(i))).collect();
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
        if x.is_sorted_by_key(rank) {
            return;
        }
        let way = Way::of(x, is_key, rank);
        let threads = self.threads_for(size_of_val(x).saturating_mul(way.work()));
        if threads < 2 && way != Way::Digits {
            return way.sort(x, &mut [], rank);
        }
        let mut other = memory::copy(x);
        let part_len = x.len().div_ceil(threads);
        let parts = x.chunks_mut(part_len).zip(other.chunks_mut(part_len));
        let Ok(()) = share(self.pool.as_deref(), threads - 1, parts, |(x, other)| {
            way.sort(x, other, rank);
            Ok::<_, Infallible>(())
        });
        self.merge_runs(x, &mut other, part_len, rank);
    }

    /// Merges sorted runs of `run_len` elements, the last of which may be shorter, to one.
    fn merge_runs<R: Copy + Send + Sync, K: Rank>(
        &self,
        x: &mut [R],
        other: &mut [R],
        mut run_len: usize,
        rank: impl Fn(&R) -> K + Copy + Sync,
    ) {
        let len = x.len();
        let piece_len = (TASK_BYTES / size_of::<R>().max(1)).max(1);
        let (mut from, mut to) = (&mut *x, other);
        let mut passes = 0;
        while run_len < len {
            let pairs = from.chunks(run_len.saturating_mul(2)).zip(to.chunks_mut(run_len.saturating_mul(2)));
            let pieces = pairs.flat_map(|(pair, to)| {
                let (left, right) = pair.split_at(run_len.min(pair.len()));
                let starts = (0..pair.len()).step_by(piece_len);
                to.chunks_mut(piece_len).zip(starts).map(move |(to, start)| (left, right, start, to))
            });
            let helpers = self.threads_for(size_of_val(from)) - 1;
            let Ok(()) = share(self.pool.as_deref(), helpers, pieces, |(left, right, start, to)| {
                let end = start + to.len();
                let (l, l_end) = (merge::cut(left, right, start, rank), merge::cut(left, right, end, rank));
                merge::merge(&left[l..l_end], &right[start - l..end - l_end], to, rank);
                Ok::<_, Infallible>(())
            });
            (from, to) = (to, from);
            run_len = run_len.saturating_mul(2);
            passes += 1;
        }
        if passes % 2 == 1 {
            to.copy_from_slice(from);
        }
    }
}

/// The algorithm that sorts the parts of an array.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// By digits: few moves, whatever the order.
    Digits,
    /// By the standard library's stable sort, which merges runs.
    Runs,
    /// By the same sort, which also partitions equal elements.
    Stable,
    /// By the standard library's unstable sort: for keys alone, where equal keys have the same bits.
    Unstable,
}

impl Way {
    /// Returns the algorithm that is probably the fastest.
    fn of<R, K: Rank>(x: &[R], is_key: bool, rank: impl Fn(&R) -> K + Copy) -> Self {
        if has_few_runs(x, rank) {
            Self::Runs
        } else if by_digits::<K>(x.len()) && !has_few_values(x, rank) {
            Self::Digits
        } else if is_key {
            Self::Unstable
        } else {
            Self::Stable
        }
    }

    /// Returns the approximate time to sort a byte, relative to the time to read it.
    /// [2-core Xeon (Sapphire Rapids), one thread, 2^20 f32: 10 ns to sort an element, 0.3 to read it.]
    fn work(self) -> usize {
        if self == Self::Runs { 1 } else { 32 }
    }

    /// Sorts on one thread. For a sort by digits, `other` is a buffer of the same length.
    fn sort<R: Copy, K: Rank>(self, x: &mut [R], other: &mut [R], rank: impl Fn(&R) -> K + Copy) {
        match self {
            Self::Digits => radix::sort(x, other, rank),
            Self::Runs | Self::Stable => x.sort_by_key(rank),
            Self::Unstable => x.sort_unstable_by_key(rank),
        }
    }
}

/// Returns whether `len` unordered elements are sorted faster by digits than by comparisons.
/// [2-core Xeon (Sapphire Rapids), one thread, ns per element by digits and by the standard library's sort: f32, 1000
/// elements 6.5 and 7.7, 2^17 7.6 and 15.5, 2^20 10 and 18, 2^24 22 and 23; u64, 1000 8.6 and 7.4, 2^17 32 and 16, 2^24
/// 85 and 26.]
fn by_digits<K: Rank>(len: usize) -> bool {
    K::BITS <= 32 && len >= 1 << 9
}

/// Most runs of an input for which merging is faster than sorting by digits.
const FEW_RUNS: usize = 16;

/// Returns whether an array consists of few ascending or descending runs. Stops early if it does not.
fn has_few_runs<R, K: Rank>(x: &[R], rank: impl Fn(&R) -> K) -> bool {
    let (mut runs, mut at) = (0, 0);
    while at + 1 < x.len() && runs <= FEW_RUNS {
        let descends = |at: usize| rank(&x[at + 1]) < rank(&x[at]);
        let first = descends(at);
        while at + 1 < x.len() && descends(at) == first {
            at += 1;
        }
        at += 1;
        runs += 1;
    }
    runs <= FEW_RUNS
}

/// Elements that are compared with each other, and the most distinct values among them that count as few.
const LOOKED_AT: usize = 64;
const FEW_VALUES: usize = 24;

/// Returns whether an array seems to have few distinct elements.
fn has_few_values<R, K: Rank>(x: &[R], rank: impl Fn(&R) -> K) -> bool {
    let apart = x.len() / LOOKED_AT;
    let mut ranks: [K; LOOKED_AT] = std::array::from_fn(|i| rank(&x[i * apart]));
    ranks.sort_unstable();
    ranks.chunk_by(|left, right| left == right).count() <= FEW_VALUES
}
