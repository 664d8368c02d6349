//! Sorts, and selections from, each part of an array on its own.

use std::ops::Range;

use gpu_kernels::{At, IsNan, Predicate, TotalOrder};

use super::quantiles::Positions;
use super::sort::BY_DIGITS;
use super::{select, short, top};
use crate::arrays::{AsElements, AsSlice};
use crate::cpu::Cpu;
use crate::cpu::parts::{Bounds, Divided};
use crate::error::{Error, check_lengths};
use crate::index_type::IndexType;
use crate::input::{Chunks, Padded, Rows, Segments};
use crate::interpolate::Interpolation;
use crate::sort_key::SortKey;
use crate::verb::order::Order;
use crate::verb::{Argsort, Backend, Median, Quantiles, Sort, SortPairs, TopK};
use crate::{float_environment, memory};

/// Elements of a part from which it is searched like an array of its own, by several threads if it is long.
const LONG: usize = 1 << 12;

impl Cpu {
    /// Sorts each part; more slowly without memory for copies.
    fn sort_parts<T: TotalOrder>(&self, x: &mut [T], bounds: &Bounds, order: Order) -> Result<(), Error> {
        let start = |part| bounds.start(part);
        self.share_parts(bounds, size_of::<T>(), x, start, |parts, x| {
            let first = bounds.start(parts.start);
            if short::are_short::<T>(bounds, &parts)
                && let Ok(copy) = memory::copied(x)
            {
                let put = |part, at: usize, place| x[bounds.start(part) - first + place] = copy[at - first];
                short::place(&copy, (bounds, parts), order, put);
                return Ok(());
            }
            let mut ranks = Vec::new();
            for part in parts {
                let x = &mut x[within(bounds, part, first)];
                ranks.clear();
                if x.len() >= BY_DIGITS || memory::reserve(&mut ranks, x.len()).is_err() {
                    self.sort_slice(x, order);
                    continue;
                }
                ranks.extend(x.iter().map(|x| x.rank()));
                ranks.sort_unstable();
                for (i, &rank) in ranks.iter().enumerate() {
                    let at = if order == Order::Ascending { i } else { x.len() - 1 - i };
                    x[at] = T::from_rank(rank);
                }
            }
            Ok(())
        })
    }

    /// Sorts the keys of each part, and each value with its key.
    fn sort_pairs_of_parts<K: TotalOrder, V: Copy + Send + Sync>(
        &self,
        (keys, values): (&mut [K], &mut [V]),
        bounds: &Bounds,
        order: Order,
    ) -> Result<(), Error> {
        check_lengths(keys.len(), values.len())?;
        let start = |part| bounds.start(part);
        self.share_parts(bounds, size_of::<(K, V)>(), (keys, values), start, |parts, (keys, values)| {
            let first = bounds.start(parts.start);
            if short::are_short::<K>(bounds, &parts) {
                let (of_keys, of_values) = (memory::copied(keys)?, memory::copied(values)?);
                let put = |part, at: usize, place| {
                    let to = bounds.start(part) - first + place;
                    (keys[to], values[to]) = (of_keys[at - first], of_values[at - first]);
                };
                short::place(&of_keys, (bounds, parts), order, put);
                return Ok(());
            }
            let mut pairs = Vec::new();
            for part in parts {
                let part = within(bounds, part, first);
                let (keys, values) = (&mut keys[part.clone()], &mut values[part]);
                pairs.clear();
                memory::reserve(&mut pairs, keys.len())?;
                pairs.extend(keys.iter().copied().zip(values.iter().copied()));
                self.sort_records(&mut pairs, order, |pair| pair.0)?;
                for ((key, value), &pair) in keys.iter_mut().zip(values).zip(&pairs) {
                    (*key, *value) = pair;
                }
            }
            Ok(())
        })
    }

    /// Returns the indices, within its part, of the sorted elements of each part. `index` turns an element's place in the
    /// array, and its part, into that index. Elements in no part have the index 0.
    fn argsort_parts<T: TotalOrder>(
        &self,
        x: &[T],
        bounds: &Bounds,
        order: Order,
        index: impl Fn(usize, usize) -> usize + Sync,
    ) -> Result<Vec<usize>, Error> {
        let mut indices = memory::filled(0, x.len())?;
        let start = |part| bounds.start(part);
        self.share_parts(bounds, size_of::<(T, usize)>(), &mut indices[..], start, |parts, out| {
            let first = bounds.start(parts.start);
            if short::are_short::<T>(bounds, &parts) {
                let x = &x[first..bounds.start(parts.end)];
                let put = |part, at, place| out[bounds.start(part) - first + place] = index(at, part);
                short::place(x, (bounds, parts), order, put);
                return Ok(());
            }
            let mut pairs = Vec::new();
            for part in parts {
                let of_part = bounds.part(part);
                pairs.clear();
                memory::reserve(&mut pairs, of_part.len())?;
                pairs.extend(x[of_part.clone()].iter().copied().zip(of_part));
                self.sort_records(&mut pairs, order, |pair| pair.0)?;
                for (out, pair) in out[within(bounds, part, first)].iter_mut().zip(&pairs) {
                    *out = index(pair.1, part);
                }
            }
            Ok(())
        })?;
        Ok(indices)
    }

    /// Returns the first `k` elements of each part, part after part. `index` is as for `argsort_parts`.
    fn first_of_parts<T: TotalOrder>(
        &self,
        x: &[T],
        bounds: &Bounds,
        (k, order): (usize, Order),
        index: impl Fn(usize, usize) -> usize + Sync,
    ) -> Result<Vec<At<T>>, Error> {
        bounds.each_has(k)?;
        let Some(&value) = x.first() else { return Ok(Vec::new()) };
        self.first_of_padded_parts(x, bounds, (k, order), At { index: 0, value }, index)
    }

    /// Does [`first_of_parts`](Self::first_of_parts) for parts that may have fewer elements, and fills up with `pad`.
    fn first_of_padded_parts<T: TotalOrder, R: From<At<T>> + Copy + Send>(
        &self,
        x: &[T],
        bounds: &Bounds,
        (k, order): (usize, Order),
        pad: R,
        index: impl Fn(usize, usize) -> usize + Sync,
    ) -> Result<Vec<R>, Error> {
        let results = bounds.count().checked_mul(k).ok_or(Error::TooManyResults { results: usize::MAX })?;
        let mut found = memory::filled(pad, results)?;
        if results == 0 {
            return Ok(found);
        }
        self.share_parts(
            bounds,
            size_of::<T>(),
            &mut found[..],
            |part| part * k,
            |parts, out| {
                if short::are_short::<T>(bounds, &parts) {
                    let (first, x) = (parts.start, &x[bounds.start(parts.start)..bounds.start(parts.end)]);
                    let start = bounds.start(first);
                    let put = |part, at: usize, place| {
                        if place < k {
                            let at = At { index: index(at, part) as u64, value: x[at - start] };
                            out[(part - first) * k + place] = at.into();
                        }
                    };
                    short::place(x, (bounds, parts), order, put);
                    return Ok(());
                }
                let mut all = Vec::new();
                for (part, out) in parts.zip(out.chunks_mut(k)) {
                    let of_part = bounds.part(part);
                    let (start, x) = (of_part.start, &x[of_part]);
                    let k = k.min(x.len());
                    if k == 0 {
                        continue;
                    }
                    if x.len() < LONG {
                        top::first_of_few(x, k, order, &mut all)?;
                    } else {
                        all = self.first(x, k, order)?;
                    }
                    for (out, at) in out.iter_mut().zip(&all) {
                        let index = index(start + at.index as usize, part) as u64;
                        *out = At { index, value: at.value }.into();
                    }
                }
                Ok(())
            },
        )?;
        Ok(found)
    }

    /// Returns the quantiles of each part, part after part.
    fn quantiles_of_parts<T: SortKey>(
        &self,
        x: &[T],
        bounds: &Bounds,
        qs: &[f64],
        how: Interpolation,
    ) -> Result<Vec<T::Quantile>, Error> {
        float_environment::check()?;
        bounds.each_has(1)?;
        let _are_quantiles = Positions::new(1, qs, how)?;
        let results =
            bounds.count().checked_mul(qs.len()).ok_or(Error::TooManyResults { results: usize::MAX })?;
        let mut outs = memory::filled(T::from_f64(0.0), results)?;
        if results == 0 {
            return Ok(outs);
        }
        let start = |part| part * qs.len();
        self.share_parts(bounds, size_of::<T>(), &mut outs[..], start, |parts, outs| {
            float_environment::check()?;
            let first = bounds.start(parts.start);
            let of_parts = &x[first..bounds.start(parts.end)];
            let are_sorted = short::are_short::<T>(bounds, &parts);
            let mut sorted = Vec::new();
            if are_sorted {
                sorted = memory::copied(of_parts)?;
                let put = |part, at: usize, place| {
                    sorted[bounds.start(part) - first + place] = of_parts[at - first];
                };
                short::place(of_parts, (bounds, parts.clone()), Order::Ascending, put);
            }
            let (mut positions, mut ranks, mut at, mut found) = (None, Vec::new(), Vec::new(), Vec::new());
            for (part, outs) in parts.zip(outs.chunks_mut(qs.len())) {
                let part = within(bounds, part, first);
                let x = &of_parts[part.clone()];
                if let Some(nan) = T::NAN
                    && x.iter().fold(false, |is_any, &x| is_any | IsNan.holds(x))
                {
                    outs.fill(nan);
                    continue;
                }
                // Parts of one length have one table of positions.
                if positions.as_ref().is_none_or(|(len, _)| *len != x.len()) {
                    positions = Some((x.len(), Positions::new(x.len(), qs, how)?));
                }
                let Some((_, positions)) = &positions else { continue };
                found.clear();
                if are_sorted {
                    memory::reserve(&mut found, positions.positions().len())?;
                    found.extend(positions.positions().iter().map(|&position| sorted[part.start + position]));
                } else {
                    at.clear();
                    if x.len() < LONG {
                        ranks.clear();
                        memory::reserve(&mut ranks, x.len())?;
                        ranks.extend(x.iter().map(|x| x.rank()));
                        select::ranks_at(&mut ranks, positions.positions(), &mut at)?;
                    } else {
                        at = self.ranks_at_positions(x, positions.positions())?;
                    }
                    memory::reserve(&mut found, at.len())?;
                    found.extend(at.iter().map(|&rank| T::from_rank(rank)));
                }
                positions.write_between(&found, outs);
            }
            Ok(())
        })?;
        Ok(outs)
    }
}

/// Returns where a part is in a slice that begins at place `first` of the array.
fn within(bounds: &Bounds, part: usize, first: usize) -> Range<usize> {
    let part = bounds.part(part);
    part.start - first..part.end - first
}

/// Runs `work` with the elements of `input`, the bounds of its parts, and the function that turns an element's place and part
/// into its index in the part, where missing elements count.
fn with_parts<'a, X, D, R>(
    input: &D,
    work: impl FnOnce(&[X::Element], &Bounds, &(dyn Fn(usize, usize) -> usize + Sync)) -> Result<R, Error>,
) -> Result<R, Error>
where
    X: AsElements + ?Sized + 'a,
    D: Divided<&'a X>,
{
    let x = input.array().try_elements()?;
    let gaps = x.gaps()?;
    let bounds = input.bounds(x.len(), gaps.as_ref())?;
    match &gaps {
        None => work(&x, &bounds, &|place, part| place - bounds.start(part)),
        Some(gaps) => {
            let positions = input.bounds(gaps.len(), None)?;
            work(&x, &bounds, &|place, part| gaps.position(place) - positions.start(part))
        }
    }
}

/// Implements the requests for an input that is [`Divided`].
macro_rules! parts {
    ($([$($generics:tt)*] $input:ident<$array:ident $(, $other:ty)?>;)*) => { $(
        impl<$array, $($generics)*> Backend<Sort<$input<&mut $array $(, $other)?>>> for Cpu
        where
            $array: AsSlice<Item: TotalOrder> + ?Sized,
        {
            type Results = ();

            fn run(&self, Sort { mut x, order }: Sort<$input<&mut $array $(, $other)?>>) -> Result<(), Error> {
                let len = x.array_mut().slice().len();
                let bounds = x.bounds(len, None)?;
                self.sort_parts(x.array_mut().slice_mut(), &bounds, order)
            }
        }

        impl<$array, Values, $($generics)*> Backend<SortPairs<$input<&mut $array $(, $other)?>, &mut Values>> for Cpu
        where
            $array: AsSlice<Item: TotalOrder> + ?Sized,
            Values: AsSlice<Item: Copy + Send + Sync> + ?Sized,
        {
            type Results = ();

            fn run(
                &self,
                SortPairs { mut keys, values, order }: SortPairs<$input<&mut $array $(, $other)?>, &mut Values>,
            ) -> Result<(), Error> {
                let len = keys.array_mut().slice().len();
                let bounds = keys.bounds(len, None)?;
                let pairs = (keys.array_mut().slice_mut(), values.slice_mut());
                self.sort_pairs_of_parts(pairs, &bounds, order)
            }
        }

        impl<$array, $($generics)*> Backend<Argsort<$input<&$array $(, $other)?>>> for Cpu
        where
            $array: AsElements<Element: TotalOrder> + ?Sized,
        {
            type Results = Vec<usize>;

            fn run(&self, Argsort { x, order }: Argsort<$input<&$array $(, $other)?>>) -> Result<Vec<usize>, Error> {
                with_parts(&x, |x: &[$array::Element], bounds, index| self.argsort_parts(x, bounds, order, index))
            }
        }

        impl<$array, $($generics)*> Backend<TopK<$input<&$array $(, $other)?>>> for Cpu
        where
            $array: AsElements<Element: TotalOrder> + ?Sized,
        {
            type Results = Vec<At<$array::Element>>;

            fn run(&self, TopK { x, k, order }: TopK<$input<&$array $(, $other)?>>) -> Result<Self::Results, Error> {
                with_parts(&x, |x: &[$array::Element], bounds, index| {
                    self.first_of_parts(x, bounds, (k, order), index)
                })
            }
        }

        impl<$array, $($generics)*> Backend<TopK<Padded<$input<&$array $(, $other)?>>>> for Cpu
        where
            $array: AsElements<Element: TotalOrder> + ?Sized,
        {
            type Results = Vec<Option<At<$array::Element>>>;

            fn run(&self, TopK { x, k, order }: TopK<Padded<$input<&$array $(, $other)?>>>) -> Result<Self::Results, Error> {
                with_parts(&x.input, |x: &[$array::Element], bounds, index| {
                    self.first_of_padded_parts(x, bounds, (k, order), None, index)
                })
            }
        }

        impl<$array, $($generics)*> Backend<Median<$input<&$array $(, $other)?>>> for Cpu
        where
            $array: AsElements<Element: SortKey> + ?Sized,
        {
            type Results = Vec<<$array::Element as SortKey>::Quantile>;

            fn run(&self, Median { x }: Median<$input<&$array $(, $other)?>>) -> Result<Self::Results, Error> {
                self.run(Quantiles { x, qs: &[0.5], how: Interpolation::Linear })
            }
        }

        impl<$array, $($generics)*> Backend<Quantiles<'_, $input<&$array $(, $other)?>>> for Cpu
        where
            $array: AsElements<Element: SortKey> + ?Sized,
        {
            type Results = Vec<<$array::Element as SortKey>::Quantile>;

            fn run(
                &self,
                Quantiles { x, qs, how }: Quantiles<'_, $input<&$array $(, $other)?>>,
            ) -> Result<Self::Results, Error> {
                with_parts(&x, |x: &[$array::Element], bounds, _| self.quantiles_of_parts(x, bounds, qs, how))
            }
        }
    )* };
}
parts! {
    [] Rows<X>;
    [] Chunks<X>;
    [I: AsElements<Element: IndexType> + ?Sized] Segments<X, &I>;
}
