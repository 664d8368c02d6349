//! Sorts over all ranks: each rank sorts its part, and collects the elements of its share of the result, which has the
//! length of the part or another.
//!
//! The positions at which sorted parts are cut are found exactly, so no rank gets more elements than its share.

mod cuts;

use std::any::type_name;

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, TotalOrder};

use crate::arrays::{Gaps, both};
use crate::cpu::rank_in;
use crate::error::{check_lengths, check_results};
use crate::world::cut::Cut;
use crate::world::places::Places;
use crate::world::{Communicator, World, WorldElements, WorldInPlace, memory};
use crate::{Error, Order};

impl<C: Communicator> World<C> {
    /// Sorts the elements of all ranks by their [total order](TotalOrder), like [`Cpu::sort`](crate::Cpu::sort). Each
    /// rank keeps its number of elements, and the concatenated parts are sorted. They replace `part`, or are a new array
    /// on its device ([`WorldInPlace`]).
    ///
    /// # Errors
    /// [`Error::Rank`] and [`Error::WorldClosed`] as [`World`] says. After an error `part` is unchanged, unless it is
    /// on a device that fails.
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
    pub fn sort<X: WorldInPlace<Element: TotalOrder>>(
        &self,
        part: X,
        order: Order,
    ) -> Result<X::Replaced, Error> {
        let x = self.known(part.in_host_memory().and_then(|x| memory::copied(&x)))?;
        let call = format!("sort of {}, {order:?}", type_name::<X::Element>());
        let cut = self.agree(&call, Ok(x.len() as u64))?;
        let sorted = self.together(|| self.sorted(x, order, &cut, &cut))?;
        part.replace(&sorted)
    }

    /// Sorts the elements of all ranks like [`sort`](Self::sort), to another division: each rank gets as many elements
    /// as `out` has. All `out`s together have as many elements as all parts.
    ///
    /// # Errors
    /// [`Error::Results`] on all ranks if the `out`s have another number of elements than the parts; otherwise as
    /// [`sort`](Self::sort). After an error `out` is unchanged, unless it is on a device that fails.
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{Order, World};
    ///
    /// let parts = [(vec![5, 1], 3), (vec![4, 2, 3], 2)];
    /// let sorted = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(parts);
    ///     let sort = |(world, (part, len)): (World<_>, (Vec<i32>, usize))| {
    ///         let mut out = vec![0; len];
    ///         scope.spawn(move || world.sort_into(&part, &mut out, Order::Ascending).map(|()| out))
    ///     };
    ///     let ranks: Vec<_> = ranks.map(sort).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(sorted, [vec![1, 2, 3], vec![4, 5]]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort_into<X: WorldElements<Element: TotalOrder>>(
        &self,
        part: X,
        out: impl WorldInPlace<Element = X::Element, Replaced = ()>,
        order: Order,
    ) -> Result<(), Error> {
        let x = self.known(part.in_host_memory().and_then(|x| memory::copied(&x)))?;
        let call = format!("sort_into of {}, {order:?}", type_name::<X::Element>());
        let [parts, outs] = self.agree_on_outs(&call, Ok(x.len() as u64), out.count())?;
        let sorted = self.together(|| self.sorted(x, order, &parts, &outs))?;
        out.replace(&sorted)
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
    pub fn sort_pairs<K, V>(&self, keys: K, values: V, order: Order) -> Result<(), Error>
    where
        K: WorldInPlace<Element: TotalOrder, Replaced = ()>,
        V: WorldInPlace<Element: CheckedBitPattern, Replaced = ()>,
    {
        let x = self.known(keys.in_host_memory().and_then(|x| memory::copied(&x)))?;
        let of_x = self.known(values.in_host_memory().and_then(|x| memory::copied(&x)))?;
        let [key, value] = [type_name::<K::Element>(), type_name::<V::Element>()];
        let len = check_lengths(x.len(), of_x.len()).map(|()| x.len() as u64);
        let cut = self.agree(&format!("sort_pairs of {key} and {value}, {order:?}"), len)?;
        let (sorted, of_keys) = self.together(|| self.sorted_pairs(x, of_x, order, &cut, &cut))?;
        keys.replace(&sorted)?;
        values.replace(&of_keys)
    }

    /// Sorts pairs like [`sort_pairs`](Self::sort_pairs), to another division: each rank gets as many keys as
    /// `keys_out` has, and their values. All `keys_out` together have as many elements as all parts. A pair with a
    /// [missing](crate::Elements) key or value, such as a null of Arrow, is left out.
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one value for each key; otherwise as [`sort_into`](Self::sort_into).
    ///
    /// ```
    /// use warpfold::{Order, World};
    ///
    /// let alone = World::threads(1).remove(0);
    /// let (mut keys, mut values) = ([0; 3], [' '; 3]);
    /// alone.sort_pairs_into(&[3, 1, 2], &['c', 'a', 'b'], &mut keys, &mut values, Order::Ascending)?;
    /// assert_eq!((keys, values), ([1, 2, 3], ['a', 'b', 'c']));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort_pairs_into<K, V>(
        &self,
        keys: K,
        values: V,
        keys_out: impl WorldInPlace<Element = K::Element, Replaced = ()>,
        values_out: impl WorldInPlace<Element = V::Element, Replaced = ()>,
        order: Order,
    ) -> Result<(), Error>
    where
        K: WorldElements<Element: TotalOrder>,
        V: WorldElements<Element: CheckedBitPattern>,
    {
        let (x, of_x) = (self.known(keys.in_host_memory())?, self.known(values.in_host_memory())?);
        let (x, of_x) = self.known(both(x, of_x))?;
        let (x, of_x) = (self.known(memory::copied(&x))?, self.known(memory::copied(&of_x))?);
        let [key, value] = [type_name::<K::Element>(), type_name::<V::Element>()];
        let len = check_results(keys_out.count(), values_out.count()).map(|()| x.len() as u64);
        let call = format!("sort_pairs_into of {key} and {value}, {order:?}");
        let [parts, outs] = self.agree_on_outs(&call, len, keys_out.count())?;
        let (sorted, of_keys) = self.together(|| self.sorted_pairs(x, of_x, order, &parts, &outs))?;
        keys_out.replace(&sorted)?;
        values_out.replace(&of_keys)
    }

    /// Returns the indices of the elements of all ranks in their total order, counted from the first element of the
    /// first rank: this rank's part of [`Cpu::argsort`](crate::Cpu::argsort) of the whole, as many indices as its part
    /// has elements. The sort is stable, also across ranks. Indices count missing elements, such as nulls; there is none
    /// of them.
    ///
    /// # Errors
    /// As [`sort`](Self::sort).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{Order, World};
    ///
    /// let parts = [[30, 10], [20, 10]];
    /// let positions = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&parts);
    ///     let ranks: Vec<_> =
    ///         ranks.map(|(world, part)| scope.spawn(move || world.argsort(part, Order::Ascending))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(positions, [[1, 3], [2, 0]]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn argsort<X: WorldElements<Element: TotalOrder>>(
        &self,
        part: X,
        order: Order,
    ) -> Result<X::Array<u64>, Error> {
        let x = self.known(part.in_host_memory())?;
        let (keys, gaps) = (self.known(memory::copied(&x))?, self.known(x.gaps())?);
        let call = format!("argsort of {}, {order:?}", type_name::<X::Element>());
        let places = self.agree_on_places(&call, Ok(x.array_len()), x.missing())?;
        let (_, positions) = self.together(|| {
            let positions = self.positions(gaps.as_ref(), &places)?;
            self.sorted_pairs(keys, positions, order, &places.present, &places.present)
        })?;
        part.beside(positions)
    }

    /// Returns indices like [`argsort`](Self::argsort), to another division: each rank gets as many as `out` has. All
    /// `out`s together have as many elements as all parts.
    ///
    /// # Errors
    /// As [`sort_into`](Self::sort_into).
    ///
    /// ```
    /// use warpfold::{Order, World};
    ///
    /// let alone = World::threads(1).remove(0);
    /// let mut indices = [0; 3];
    /// alone.argsort_into(&[3, 1, 2], &mut indices, Order::Ascending)?;
    /// assert_eq!(indices, [1, 2, 0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn argsort_into<X: WorldElements<Element: TotalOrder>>(
        &self,
        part: X,
        out: impl WorldInPlace<Element = u64, Replaced = ()>,
        order: Order,
    ) -> Result<(), Error> {
        let x = self.known(part.in_host_memory())?;
        let (keys, gaps) = (self.known(memory::copied(&x))?, self.known(x.gaps())?);
        let call = format!("argsort_into of {}, {order:?}", type_name::<X::Element>());
        let places = self.agree_on_places(&call, Ok(x.array_len()), x.missing())?;
        let outs = self.agree_on_room(&call, &places.present, out.count())?;
        let (_, positions) = self.together(|| {
            let positions = self.positions(gaps.as_ref(), &places)?;
            self.sorted_pairs(keys, positions, order, &places.present, &outs)
        })?;
        out.replace(&positions)
    }

    /// Agrees on a call whose results have a division of their own. Returns the parts and the results of all ranks.
    fn agree_on_outs(&self, call: &str, len: Result<u64, Error>, out: usize) -> Result<[Cut; 2], Error> {
        let parts = self.agree(call, len)?;
        let outs = self.agree_on_room(call, &parts, out)?;
        Ok([parts, outs])
    }

    /// Agrees on the division of the results, of which all parts together have as many as elements.
    fn agree_on_room(&self, call: &str, parts: &Cut, out: usize) -> Result<Cut, Error> {
        let outs = self.agree(call, Ok(out as u64))?;
        let clamp = |len: u64| usize::try_from(len).unwrap_or(usize::MAX);
        check_results(clamp(parts.total()), clamp(outs.total()))?;
        Ok(outs)
    }

    /// Returns the positions of this rank's elements in the whole.
    fn positions(&self, gaps: Option<&Gaps<'_>>, places: &Places) -> Result<Vec<u64>, Error> {
        let (part, present) = (places.positions.part(self.rank()), places.present.len(self.rank()));
        match gaps {
            None => memory::collected(present, part),
            Some(gaps) => {
                memory::collected(present, gaps.positions().map(|position| part.start + position as u64))
            }
        }
    }

    /// Returns this rank's elements after the sort of all ranks. The elements are divided like `parts`, and the result
    /// like `outs`.
    fn sorted<T: TotalOrder>(
        &self,
        mut x: Vec<T>,
        order: Order,
        parts: &Cut,
        outs: &Cut,
    ) -> Result<Vec<T>, Error> {
        self.cpu.sort(&mut x, order);
        x = self.bring_sorted(&x, &self.cuts_of_sorted(&x, order, parts, outs)?)?;
        self.cpu.sort(&mut x, order);
        Ok(x)
    }

    /// Returns this rank's keys and values after the sort of all ranks, divided as by [`sorted`](Self::sorted).
    fn sorted_pairs<K: TotalOrder, V: Element + CheckedBitPattern>(
        &self,
        mut keys: Vec<K>,
        mut values: Vec<V>,
        order: Order,
        parts: &Cut,
        outs: &Cut,
    ) -> Result<(Vec<K>, Vec<V>), Error> {
        self.cpu.sort_pairs(&mut keys, &mut values, order)?;
        let cuts = self.cuts_of_sorted(&keys, order, parts, outs)?;
        keys = self.bring_sorted(&keys, &cuts)?;
        values = self.bring(&values, &cuts)?;
        self.cpu.sort_pairs(&mut keys, &mut values, order)?;
        Ok((keys, values))
    }

    /// Returns the [cuts](Self::cuts_of) of elements that are sorted.
    fn cuts_of_sorted<T: TotalOrder>(
        &self,
        x: &[T],
        order: Order,
        parts: &Cut,
        outs: &Cut,
    ) -> Result<Vec<Vec<usize>>, Error> {
        let ranks: Vec<T::Rank> = memory::collected(x.len(), x.iter().map(|&x| rank_in(order, x)))?;
        self.cuts_of(&ranks, parts, outs)
    }

    /// [Brings](Self::bring) elements by their ranks, of which each is one.
    fn bring_sorted<T: TotalOrder>(&self, x: &[T], cuts: &[Vec<usize>]) -> Result<Vec<T>, Error> {
        let ranks: Vec<T::Rank> = memory::collected(x.len(), x.iter().map(|x| x.rank()))?;
        let ranks = self.bring(&ranks, cuts)?;
        memory::collected(ranks.len(), ranks.into_iter().map(T::from_rank))
    }
}
