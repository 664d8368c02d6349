//! Sorts over all ranks: each rank sorts its part, the result is divided like the parts, and each rank collects the
//! elements of its share.
//!
//! The positions at which sorted parts are cut are found exactly, by counting, so no rank gets more elements than it
//! had.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Rank, TotalOrder};

use super::select::{Counted, Digit};
use crate::cpu::rank_in;
use crate::error::{RankFault, check_lengths};
use crate::world::cut::Cut;
use crate::world::{Communicator, World, bytes};
use crate::{Error, Order};

/// Bits of the digits by which sorted elements are counted: each count costs a binary search, and all counts are sent
/// to all ranks.
const BITS: u32 = 4;

impl<C: Communicator> World<C> {
    /// Sorts the elements of all ranks by their [total order](TotalOrder), like [`Cpu::sort`](crate::Cpu::sort). Each
    /// rank keeps its number of elements, and the concatenated parts are sorted.
    ///
    /// # Errors
    /// [`Error::Rank`] and [`Error::WorldClosed`] as [`World`] says. After an error `part` is unchanged.
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{Order, World};
    ///
    /// let parts = [vec![5, 1], vec![], vec![4, 2, 3]];
    /// let sorted = thread::scope(|scope| {
    ///     let ranks = World::threads(3).into_iter().zip(parts);
    ///     let sort = |(world, mut part): (World<_>, Vec<i32>)| {
    ///         scope.spawn(move || world.sort(&mut part, Order::Ascending).map(|()| part))
    ///     };
    ///     let ranks: Vec<_> = ranks.map(sort).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(sorted, [vec![1, 2], vec![], vec![3, 4, 5]]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort<T: TotalOrder>(&self, part: &mut [T], order: Order) -> Result<(), Error> {
        let call = format!("sort of {}, {order:?}", std::any::type_name::<T>());
        let cut = self.agree(&call, Ok(part.len() as u64))?;
        self.together(|| {
            let mut x = part.to_vec();
            self.cpu.sort(&mut x, order);
            let ranks: Vec<T::Rank> = x.iter().map(|&x| rank_in(order, x)).collect();
            let places = self.places_of(&ranks, &cut)?;
            let ranks: Vec<T::Rank> = x.iter().map(|x| x.rank()).collect();
            x = self.bring(&ranks, &places)?.into_iter().map(T::from_rank).collect();
            self.cpu.sort(&mut x, order);
            part.copy_from_slice(&x);
            Ok(())
        })
    }

    /// Sorts the keys of all ranks by their total order, and each value with its key, like
    /// [`Cpu::sort_pairs`](crate::Cpu::sort_pairs). The sort is stable, also across ranks. Each rank keeps its number
    /// of keys, and the concatenated parts are sorted.
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one value for each key; otherwise as [`sort`](Self::sort).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{Order, World};
    ///
    /// let parts = [([2, 1], ['a', 'b']), ([2, 1], ['c', 'd'])];
    /// let sorted = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(parts);
    ///     let sort = |(world, (mut keys, mut values)): (World<_>, ([u32; 2], [char; 2]))| {
    ///         scope.spawn(move || {
    ///             world.sort_pairs(&mut keys, &mut values, Order::Descending).map(|()| (keys, values))
    ///         })
    ///     };
    ///     let ranks: Vec<_> = ranks.map(sort).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(sorted, [([2, 2], ['a', 'c']), ([1, 1], ['b', 'd'])]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort_pairs<K: TotalOrder, V: Element + CheckedBitPattern>(
        &self,
        keys: &mut [K],
        values: &mut [V],
        order: Order,
    ) -> Result<(), Error> {
        let [key, value] = [std::any::type_name::<K>(), std::any::type_name::<V>()];
        let len = check_lengths(keys.len(), values.len()).map(|()| keys.len() as u64);
        let cut = self.agree(&format!("sort_pairs of {key} and {value}, {order:?}"), len)?;
        self.together(|| {
            let (sorted, of_keys) = self.sorted_pairs(keys.to_vec(), values.to_vec(), order, &cut)?;
            keys.copy_from_slice(&sorted);
            values.copy_from_slice(&of_keys);
            Ok(())
        })
    }

    /// Returns the indices of the elements of all ranks in their total order, counted from the first element of the
    /// first rank: this rank's part of [`Cpu::argsort`](crate::Cpu::argsort) of the whole, as many indices as its part
    /// has elements. The sort is stable, also across ranks.
    ///
    /// # Errors
    /// As [`sort`](Self::sort).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{Order, World};
    ///
    /// let parts = [[30, 10], [20, 10]];
    /// let places = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&parts);
    ///     let ranks: Vec<_> =
    ///         ranks.map(|(world, part)| scope.spawn(move || world.argsort(part, Order::Ascending))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(places, [[1, 3], [2, 0]]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn argsort<T: TotalOrder>(&self, part: &[T], order: Order) -> Result<Vec<u64>, Error> {
        let call = format!("argsort of {}, {order:?}", std::any::type_name::<T>());
        let cut = self.agree(&call, Ok(part.len() as u64))?;
        self.together(|| {
            let places = cut.part(self.rank()).collect();
            Ok(self.sorted_pairs(part.to_vec(), places, order, &cut)?.1)
        })
    }

    /// Returns this rank's keys and values after the sort of all ranks.
    fn sorted_pairs<K: TotalOrder, V: Element + CheckedBitPattern>(
        &self,
        mut keys: Vec<K>,
        mut values: Vec<V>,
        order: Order,
        cut: &Cut,
    ) -> Result<(Vec<K>, Vec<V>), Error> {
        self.cpu.sort_pairs(&mut keys, &mut values, order)?;
        let ranks: Vec<K::Rank> = keys.iter().map(|&key| rank_in(order, key)).collect();
        let places = self.places_of(&ranks, cut)?;
        let ranks: Vec<K::Rank> = keys.iter().map(|key| key.rank()).collect();
        keys = self.bring(&ranks, &places)?.into_iter().map(K::from_rank).collect();
        values = self.bring(&values, &places)?;
        self.cpu.sort_pairs(&mut keys, &mut values, order)?;
        Ok((keys, values))
    }

    /// Returns, for each rank, the positions at which its sorted part is cut: the start of the share of each rank, and
    /// the end.
    fn places_of<K: Rank>(&self, sorted: &[K], cut: &Cut) -> Result<Vec<Vec<usize>>, Error> {
        let n = cut.total();
        let starts: Vec<u64> = (0..self.size()).map(|rank| cut.part(rank).start).chain([n]).collect();
        let mut inner: Vec<u64> = starts.iter().copied().filter(|&start| 0 < start && start < n).collect();
        inner.dedup();
        let found = self.ranks_at::<K>(&inner, n, BITS, Sorted(sorted))?;
        let counts = |&(rank, _): &(K, u64)| {
            let less = sorted.partition_point(|&x| x < rank);
            [less as u64, (sorted.partition_point(|&x| x <= rank) - less) as u64]
        };
        let own: Vec<u64> = found.iter().flat_map(counts).collect();
        let mut before = vec![0_u64; found.len()];
        let mut places = Vec::new();
        for (rank, counts) in self.gather_accs::<u64>(&own)?.iter().enumerate() {
            let garbled = || Error::Rank { rank, fault: RankFault::Garbled };
            let (counts, []) = counts.as_chunks::<2>() else { return Err(garbled()) };
            let len = cut.part(rank).end - cut.part(rank).start;
            let are_within = counts.iter().all(|&[less, equal]| less <= len && equal <= len - less);
            if counts.len() != found.len() || !are_within {
                return Err(garbled());
            }
            let mut cuts = Vec::new();
            for ((&[less, equal], (_, place)), before) in counts.iter().zip(&found).zip(&mut before) {
                // Equal elements of lower ranks come first.
                cuts.push((less + place.saturating_sub(*before).min(equal)) as usize);
                *before += equal;
            }
            let at = |start: &u64| match inner.binary_search(start) {
                Ok(at) => cuts[at],
                Err(_) if *start == 0 => 0,
                Err(_) => len as usize,
            };
            let own: Vec<usize> = starts.iter().map(at).collect();
            if !own.is_sorted() {
                return Err(garbled());
            }
            places.push(own);
        }
        let (rank, part) = (self.rank(), cut.part(self.rank()));
        let len: usize = places.iter().map(|of: &Vec<usize>| of[rank + 1] - of[rank]).sum();
        if len as u64 != part.end - part.start {
            return Err(Error::Rank { rank, fault: RankFault::Garbled });
        }
        Ok(places)
    }

    /// Sends each rank the elements between its positions, and returns the elements for this rank, in the order of
    /// ranks.
    fn bring<V: Element + CheckedBitPattern>(
        &self,
        sorted: &[V],
        places: &[Vec<usize>],
    ) -> Result<Vec<V>, Error> {
        let rank = self.rank();
        let to = places[rank].windows(2).map(|ends| bytes::of(&sorted[ends[0]..ends[1]]).to_vec()).collect();
        let size = |from: &Vec<usize>| (from[rank + 1] - from[rank]) * size_of::<V>();
        let sizes: Vec<usize> = places.iter().map(size).collect();
        let mut all = Vec::new();
        for (from, sent) in self.exchange(to, &sizes)?.iter().enumerate() {
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
    fn count(&mut self, digit: &Digit<'_, K>) -> Vec<u64> {
        let mut counts = Vec::with_capacity(digit.known.len() * digit.digits());
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
        counts
    }

    fn of_kinds(&mut self, digit: &Digit<'_, K>) -> Vec<K> {
        (0..digit.known.len()).flat_map(|kind| self.of_kind(digit, kind)).copied().collect()
    }
}
