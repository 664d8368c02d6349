//! Sorts over all ranks. Each rank sorts its part, and collects the elements of its share of the result. The share may
//! have another length than the part.
//!
//! The positions at which sorted parts are cut are found exactly, so no rank gets more elements than its share.

mod cuts;

use std::any::type_name;

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, TotalOrder};

use crate::arrays::{Gaps, both};
use crate::cpu::rank_in;
use crate::error::{Error, check_lengths, check_results};
use crate::memory;
use crate::verb::order::Order;
use crate::verb::{Argsort, Backend, Sort, SortPairs, WriteTo};
use crate::world::cut::Cut;
use crate::world::places::Places;
use crate::world::{Communicator, World, WorldElements, WorldInPlace};

impl<C, X> Backend<Sort<X>> for World<C>
where
    C: Communicator,
    X: WorldInPlace<Element: TotalOrder>,
{
    type Results = X::Replaced;

    fn run(&self, Sort { x: mut part, order }: Sort<X>) -> Result<X::Replaced, Error> {
        let x = self.known(part.in_host_memory().and_then(|x| memory::copied(&x)))?;
        let call = format!("sort of {}, {order:?}", type_name::<X::Element>());
        let cut = self.agree(&call, Ok(x.len() as u64))?;
        let sorted = self.together(|| self.sorted(x, order, &cut, &cut))?;
        part.replace(&sorted)
    }
}

impl<C, X, D> Backend<WriteTo<Sort<X>, D>> for World<C>
where
    C: Communicator,
    X: WorldElements<Element: TotalOrder>,
    D: WorldInPlace<Element = X::Element, Replaced = ()>,
{
    type Results = ();

    fn run(&self, WriteTo { request, mut out }: WriteTo<Sort<X>, D>) -> Result<(), Error> {
        let Sort { x: part, order } = request;
        let x = self.known(part.in_host_memory().and_then(|x| memory::copied(&x)))?;
        let call = format!("sort_into of {}, {order:?}", type_name::<X::Element>());
        let [parts, outs] = self.agree_on_outs(&call, Ok(x.len() as u64), out.count())?;
        let sorted = self.together(|| self.sorted(x, order, &parts, &outs))?;
        out.replace(&sorted)
    }
}

impl<C, K, V> Backend<SortPairs<K, V>> for World<C>
where
    C: Communicator,
    K: WorldInPlace<Element: TotalOrder, Replaced = ()>,
    V: WorldInPlace<Element: CheckedBitPattern, Replaced = ()>,
{
    type Results = ();

    fn run(&self, SortPairs { mut keys, mut values, order }: SortPairs<K, V>) -> Result<(), Error> {
        let x = self.known(keys.in_host_memory().and_then(|x| memory::copied(&x)))?;
        let of_x = self.known(values.in_host_memory().and_then(|x| memory::copied(&x)))?;
        let [key, value] = [type_name::<K::Element>(), type_name::<V::Element>()];
        let len = check_lengths(x.len(), of_x.len()).map(|()| x.len() as u64);
        let cut = self.agree(&format!("sort_pairs of {key} and {value}, {order:?}"), len)?;
        let (sorted, of_keys) = self.together(|| self.sorted_pairs(x, of_x, order, &cut, &cut))?;
        keys.replace(&sorted)?;
        values.replace(&of_keys)
    }
}

impl<C, K, V, D, E> Backend<WriteTo<SortPairs<K, V>, (D, E)>> for World<C>
where
    C: Communicator,
    K: WorldElements<Element: TotalOrder>,
    V: WorldElements<Element: CheckedBitPattern>,
    D: WorldInPlace<Element = K::Element, Replaced = ()>,
    E: WorldInPlace<Element = V::Element, Replaced = ()>,
{
    type Results = ();

    fn run(&self, WriteTo { request, out }: WriteTo<SortPairs<K, V>, (D, E)>) -> Result<(), Error> {
        let SortPairs { keys, values, order } = request;
        let (mut keys_out, mut values_out) = out;
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
}

impl<C, X> Backend<Argsort<X>> for World<C>
where
    C: Communicator,
    X: WorldElements<Element: TotalOrder>,
{
    type Results = X::Array<u64>;

    fn run(&self, Argsort { x: part, order }: Argsort<X>) -> Result<X::Array<u64>, Error> {
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
}

impl<C, X, D> Backend<WriteTo<Argsort<X>, D>> for World<C>
where
    C: Communicator,
    X: WorldElements<Element: TotalOrder>,
    D: WorldInPlace<Element = u64, Replaced = ()>,
{
    type Results = ();

    fn run(&self, WriteTo { request, mut out }: WriteTo<Argsort<X>, D>) -> Result<(), Error> {
        let Argsort { x: part, order } = request;
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
}

impl<C: Communicator> World<C> {
    /// Agrees on a call whose results have a division of their own. Returns the parts and the results of all ranks.
    fn agree_on_outs(&self, call: &str, len: Result<u64, Error>, out: usize) -> Result<[Cut; 2], Error> {
        let parts = self.agree(call, len)?;
        let outs = self.agree_on_room(call, &parts, out)?;
        Ok([parts, outs])
    }

    /// Agrees on the division of the results. All parts together have as many results as elements.
    fn agree_on_room(&self, call: &str, parts: &Cut, out: usize) -> Result<Cut, Error> {
        let outs = self.agree(call, Ok(out as u64))?;
        let clamp = |len: u64| usize::try_from(len).unwrap_or(usize::MAX);
        check_results(clamp(parts.total()), clamp(outs.total()))?;
        Ok(outs)
    }

    /// Returns the positions of this rank's elements in the whole.
    fn positions(&self, gaps: Option<&Gaps<'_>>, places: &Places) -> Result<Vec<u64>, Error> {
        let part = places.positions.part(self.rank());
        match gaps {
            None => memory::collected(part),
            Some(gaps) => memory::collected(gaps.positions().map(|position| part.start + position as u64)),
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
        self.cpu.sort_slice(&mut x, order);
        x = self.bring_sorted(&x, &self.cuts_of_sorted(&x, order, parts, outs)?)?;
        self.cpu.sort_slice(&mut x, order);
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
        self.cpu.sort_slice_pairs(&mut keys, &mut values, order)?;
        let cuts = self.cuts_of_sorted(&keys, order, parts, outs)?;
        keys = self.bring_sorted(&keys, &cuts)?;
        values = self.bring(&values, &cuts)?;
        self.cpu.sort_slice_pairs(&mut keys, &mut values, order)?;
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
        let ranks: Vec<T::Rank> = memory::collected(x.iter().map(|&x| rank_in(order, x)))?;
        self.cuts_of(&ranks, parts, outs)
    }

    /// [Brings](Self::bring) elements by their ranks. Each element is its own rank.
    fn bring_sorted<T: TotalOrder>(&self, x: &[T], cuts: &[Vec<usize>]) -> Result<Vec<T>, Error> {
        let ranks: Vec<T::Rank> = memory::collected(x.iter().map(|x| x.rank()))?;
        let ranks = self.bring(&ranks, cuts)?;
        memory::collected(ranks.into_iter().map(T::from_rank))
    }
}
