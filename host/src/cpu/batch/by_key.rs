//! Groups by key: each distinct key gets an id in the order of keys, and groups by id are folded.
//!
//! Each thread numbers the distinct keys of a portion as they come, sorts them, and then all portions are merged. Hashes decide
//! nothing that is returned.

use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, HashMap};
use std::hash::Hash;

use foldhash::fast::RandomState;
use gpu_kernels::{At, Element, Op, TotalOrder};

use crate::arrays::{AsElements, AsSlice, Elements};
use crate::cpu::{Cpu, share};
use crate::error::{Error, check_lengths};
use crate::group_key::GroupKey;
use crate::input::{ByKey, Groups};
use crate::memory;
use crate::sort_key::SortKey;
use crate::verb::{Backend, Median, Quantiles, Reduce, TopK};

impl<K, X, O> Backend<Reduce<O, ByKey<&K, &X>>> for Cpu
where
    K: AsSlice<Item: GroupKey + Clone> + ?Sized,
    X: AsElements + ?Sized,
    O: Op<X::Element>,
{
    type Results = (Vec<K::Item>, Vec<O::Out>);

    fn run(&self, Reduce { op, input }: Reduce<O, ByKey<&K, &X>>) -> Result<Self::Results, Error> {
        let x = input.x.try_elements()?;
        let (keys, ids) = self.numbered(input.keys.slice(), &x)?;
        let input = Groups { ids: &ids, x: &x, count: keys.len() };
        Ok((keys, self.run(Reduce { op, input })?))
    }
}

/// Implements requests by those for groups.
macro_rules! by_key {
    ($($Request:ident<$($lifetime:lifetime,)? $bound:ident> { $($field:ident),* } -> $results:ty;)*) => { $(
        impl<K, X> Backend<$Request<$($lifetime,)? ByKey<&K, &X>>> for Cpu
        where
            K: AsSlice<Item: GroupKey + Clone> + ?Sized,
            X: AsElements<Element: $bound> + ?Sized,
        {
            type Results = (Vec<K::Item>, Vec<$results>);

            fn run(
                &self,
                $Request { x: input, $($field),* }: $Request<$($lifetime,)? ByKey<&K, &X>>,
            ) -> Result<Self::Results, Error> {
                let x = input.x.try_elements()?;
                let (keys, ids) = self.numbered(input.keys.slice(), &x)?;
                let x = Groups { ids: &ids, x: &x, count: keys.len() };
                Ok((keys, self.run($Request { x, $($field),* })?))
            }
        }
    )* };
}
by_key! {
    TopK<TotalOrder> { k, order } -> At<X::Element>;
    Quantiles<'_, SortKey> { qs, how } -> <X::Element as SortKey>::Quantile;
    Median<SortKey> {} -> <X::Element as SortKey>::Quantile;
}

/// The distinct keys of a portion.
struct Portion<R> {
    /// The index of the first key of each number in the portion.
    firsts: Vec<usize>,
    /// The distinct ranks, sorted, with the number of each.
    sorted: Vec<(R, u32)>,
}

impl Cpu {
    /// Returns the distinct keys, sorted, and for each key the index of its equal among them. There must be a key for each of `x`.
    fn numbered<K: GroupKey + Clone, T: Element>(
        &self,
        keys: &[K],
        x: &Elements<'_, T>,
    ) -> Result<(Vec<K>, Vec<u32>), Error> {
        check_lengths(keys.len(), x.array_len() as usize)?;
        let threads = self.threads_for(size_of_val(keys));
        let len = keys.len().div_ceil(threads).max(1);
        let mut ids = memory::filled(0, keys.len())?;
        let mut portions = memory::collected((0..keys.len().div_ceil(len)).map(|_| None))?;
        let tasks = portions.iter_mut().zip(keys.chunks(len).zip(ids.chunks_mut(len)));
        share(self.pool.as_deref(), threads - 1, tasks, |(portion, (keys, ids))| {
            *portion = Some(Portion::new(keys, ids)?);
            Ok::<_, Error>(())
        })?;
        let portions = memory::collected(portions.into_iter().flatten())?;
        let (distinct, places) = merged(keys, len, &portions)?;
        share(
            self.pool.as_deref(),
            threads - 1,
            ids.chunks_mut(len).zip(&places),
            |(ids, places): (&mut [u32], &Vec<u32>)| {
                ids.iter_mut().for_each(|id| *id = places[*id as usize]);
                Ok::<_, Error>(())
            },
        )?;
        Ok((distinct, ids))
    }
}

impl<'a, R: Ord + Hash + Copy> Portion<R> {
    /// Numbers the distinct keys in the order in which they come. Writes the number of each key to `ids`.
    fn new<K: GroupKey<Rank<'a> = R>>(keys: &'a [K], ids: &mut [u32]) -> Result<Self, Error> {
        let mut numbers = HashMap::<R, u32, RandomState>::default();
        let mut firsts = Vec::new();
        for ((key, id), at) in keys.iter().zip(ids).zip(0..) {
            // `entry` allocates only if there is no room.
            if numbers.len() == numbers.capacity() {
                numbers.try_reserve(1).map_err(|_| Error::TooManyResults { results: numbers.len() + 1 })?;
            }
            let next = firsts.len();
            *id = *numbers.entry(key.rank()).or_insert(next as u32);
            if *id as usize == next {
                memory::push(&mut firsts, at)?;
            }
        }
        if u32::try_from(firsts.len()).is_err() {
            return Err(Error::TooManyResults { results: firsts.len() });
        }
        let mut sorted = memory::collected(numbers)?;
        sorted.sort_unstable();
        Ok(Self { firsts, sorted })
    }
}

/// Merges portions of `len` keys. Returns the distinct keys, sorted, and for each portion the place of its numbers among them.
fn merged<K: Clone, R: Ord + Copy>(
    keys: &[K],
    len: usize,
    portions: &[Portion<R>],
) -> Result<(Vec<K>, Vec<Vec<u32>>), Error> {
    let mut places = memory::with_room(portions.len())?;
    for portion in portions {
        places.push(memory::filled(0, portion.firsts.len())?);
    }
    // The next rank of each portion, the least on top. Of equal ones the first portion's comes first.
    let mut heads = memory::with_room(portions.len())?;
    heads.extend(portions.iter().enumerate().filter_map(|(at, portion)| {
        let (&(rank, number), rest) = portion.sorted.split_first()?;
        Some(Reverse((rank, at, number, rest.len())))
    }));
    let mut heads = BinaryHeap::from(heads);
    let (mut distinct, mut last) = (memory::with_room(portions.first().map_or(0, |p| p.firsts.len()))?, None);
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((rank, at, number, left)) = *head;
        let Portion { firsts, sorted } = &portions[at];
        if last != Some(rank) {
            memory::push(&mut distinct, keys[at * len + firsts[number as usize]].clone())?;
            last = Some(rank);
        }
        let place = u32::try_from(distinct.len() - 1);
        places[at][number as usize] = place.map_err(|_| Error::TooManyResults { results: distinct.len() })?;
        match sorted.len().checked_sub(left).and_then(|next| sorted.get(next)) {
            Some(&(rank, number)) => *head = Reverse((rank, at, number, left - 1)),
            None => drop(PeekMut::pop(head)),
        }
    }
    Ok((distinct, places))
}
