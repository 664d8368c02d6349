//! Selection from each part of an array in device memory: its first elements, or, after a sort, its quantiles.

use gpu_kernels::sort::shapes::codes;
use gpu_kernels::{Accumulator, IsNan, Predicate, TotalOrder};

use crate::cpu::Positions;
use crate::cuda::launch::{FirstTo, Items, Memory, Rooms, SortTo};
use crate::cuda::parts::DeviceParts;
use crate::cuda::sort::keys;
use crate::cuda::sort::parts::PartsTo;
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::index_type::IndexType;
use crate::input::{Chunks, Rows, Segments};
use crate::interpolate::Interpolation;
use crate::sort_key::SortKey;
use crate::verb::order::Order;
use crate::verb::{Backend, Median, Quantiles, TopK, WriteTo};
use crate::{float_environment, memory};

/// Returns the number of results of `k` for each part. Fails if there cannot be enough elements for all parts; offsets are not
/// checked, unless there are no results.
fn results_of<P: DeviceParts>(x: &P, k: usize) -> Result<usize, Error> {
    let parts = match x.divided()? {
        Some(divided) if k > 0 => usize::try_from(divided.count).unwrap_or(usize::MAX),
        _ => {
            x.bounds()?;
            0
        }
    };
    let results = parts.checked_mul(k).ok_or(Error::TooManyResults { results: usize::MAX })?;
    if results > x.array().len() {
        x.bounds()?.each_has(k)?;
    }
    Ok(results)
}

impl Cuda {
    /// Returns the first `k` elements of each part and their indices, part after part.
    fn first_of_parts<P: DeviceParts<Element: SortKey>>(
        &self,
        x: &P,
        k: usize,
        order: Order,
    ) -> Result<(DeviceArray<P::Element>, DeviceArray<u64>), Error> {
        let (keys, results) = (keys(&x.array(), order)?, results_of(x, k)?);
        let [values, indices] = self.lease(|executor| {
            let found =
                [executor.allocate(results, size_of::<P::Element>())?, executor.allocate(results, 8)?];
            if results > 0 {
                let [values, indices] = found.each_ref().map(|memory| memory.whole());
                let to = FirstTo { k: k as u64, values, indices, len: results as u64 };
                executor.then_wait(|executor| executor.first_of_parts(self, (keys, x), to))?;
            }
            Ok(found)
        })?;
        Ok((DeviceArray::of(self, values, results), DeviceArray::of(self, indices, results)))
    }

    /// Returns the quantiles of each part, part after part.
    fn quantiles_of_parts<P: DeviceParts<Element: SortKey>>(
        &self,
        x: &P,
        qs: &[f64],
        how: Interpolation,
    ) -> Result<Vec<<P::Element as SortKey>::Quantile>, Error> {
        float_environment::check()?;
        let bounds = x.bounds()?;
        bounds.each_has(1)?;
        let _are_quantiles = Positions::new(1, qs, how)?;
        let results =
            bounds.count().checked_mul(qs.len()).ok_or(Error::TooManyResults { results: usize::MAX })?;
        let mut outs = memory::filled(P::Element::from_f64(0.0), results)?;
        if results == 0 {
            return Ok(outs);
        }
        // From each part: the elements at the positions, the least and the greatest. If any element is
        // NaN, one of the last two is.
        let mut places = memory::with_room(results.saturating_mul(2).saturating_add(2 * bounds.count()))?;
        let mut of_len = None;
        for part in (0..bounds.count()).map(|part| bounds.part(part)) {
            let positions = positions_of(&mut of_len, part.len(), qs, how)?.positions();
            let ends = [0, part.len() - 1];
            places.extend(positions.iter().chain(&ends).map(|position| (part.start + position) as u64));
        }
        let ranks = self.sorted_ranks_at(x, &places)?;
        drop(places);
        let found = memory::collected(ranks.into_iter().map(P::Element::from_rank))?;
        let mut rest = &found[..];
        for (part, outs) in (0..bounds.count()).zip(outs.chunks_mut(qs.len())) {
            let positions = positions_of(&mut of_len, bounds.part(part).len(), qs, how)?;
            let (own, others) = rest.split_at(positions.positions().len() + 2);
            rest = others;
            match P::Element::NAN {
                Some(nan) if own[own.len() - 2..].iter().any(|&end| IsNan.holds(end)) => outs.fill(nan),
                _ => positions.write_between(own, outs),
            }
        }
        Ok(outs)
    }

    /// Sorts each part, and returns the ranks of the elements at some places.
    fn sorted_ranks_at<P: DeviceParts<Element: SortKey>>(
        &self,
        x: &P,
        places: &[u64],
    ) -> Result<Vec<<P::Element as TotalOrder>::Rank>, Error> {
        let keys = keys(&x.array(), Order::Ascending)?;
        let (bytes, count) = (keys.items.bytes, places.len() as u64);
        self.lease(|executor| {
            let queue = executor.queue();
            let mut rooms = Rooms::default();
            let [sorted, at, found] =
                [(keys.len, bytes), (count, 8), (count, bytes)].map(|(len, bytes)| rooms.add(len, bytes));
            let memory = Memory::scratch(queue, rooms.bytes())?;
            let [sorted, at, found] =
                [sorted.of(memory.whole())?, at.of(memory.whole())?, found.of(memory.whole())?];
            executor.then_wait(|executor| {
                at.copy_from(queue, places)?;
                // Keys are ranks.
                let to = SortTo { coding: codes::UNSIGNED, ..SortTo::whole(keys, Some(sorted)) };
                executor.sort_parts(self, (keys, x), PartsTo { to, indices: None })?;
                let (sorted, at) = (Items { region: sorted, bytes }, Items { region: at, bytes: 8 });
                executor.enqueue_gather(self, (sorted, keys.len), (at, count), found)
            })?;
            Ok(found.download(queue, places.len())?)
        })
    }
}

/// Returns the positions of quantiles of `len` elements: of parts of one length there is one table.
fn positions_of<'a>(
    known: &'a mut Option<(usize, Positions)>,
    len: usize,
    qs: &[f64],
    how: Interpolation,
) -> Result<&'a Positions, Error> {
    if known.as_ref().is_none_or(|(of_len, _)| *of_len != len) {
        *known = Some((len, Positions::new(len, qs, how)?));
    }
    known.as_ref().map(|(_, positions)| positions).ok_or(Error::NoResult)
}

/// Implements the requests for an input that is [`DeviceParts`].
macro_rules! parts {
    ($([$($generics:tt)*] $parts:ty;)*) => { $(
        impl<D: DeviceElements<Element: SortKey>, $($generics)*> Backend<TopK<$parts>> for Cuda {
            type Results = (DeviceArray<D::Element>, DeviceArray<u64>);

            fn run(&self, TopK { x, k, order }: TopK<$parts>) -> Result<Self::Results, Error> {
                self.first_of_parts(&x, k, order)
            }
        }

        impl<D, $($generics)*>
            Backend<WriteTo<TopK<$parts>, (&mut DeviceValues<D::Element>, &mut DeviceValues<u64>)>> for Stream
        where
            D: DeviceElements<Element: SortKey + Accumulator>,
        {
            type Results = ();

            fn run(
                &self,
                WriteTo { request, out }: WriteTo<
                    TopK<$parts>,
                    (&mut DeviceValues<D::Element>, &mut DeviceValues<u64>),
                >,
            ) -> Result<(), Error> {
                let (TopK { x, k, order }, (values, indices)) = (request, out);
                let results = results_of(&x, k)?;
                check_results(results, values.len())?;
                check_results(results, indices.len())?;
                if results == 0 {
                    return Ok(());
                }
                self.may_sort()?;
                let (keys, cells) = (keys(&x.array(), order)?, [values.cell(), indices.cell()]);
                self.write_values(cells, || {
                    let [values, indices] = cells.map(|cell| cell.region());
                    let to = FirstTo { k: k as u64, values, indices, len: results as u64 };
                    self.executor().first_of_parts(self.cuda(), (keys, &x), to)
                })
            }
        }

        impl<D: DeviceElements<Element: SortKey>, $($generics)*> Backend<Median<$parts>> for Cuda {
            type Results = Vec<<D::Element as SortKey>::Quantile>;

            fn run(&self, Median { x }: Median<$parts>) -> Result<Self::Results, Error> {
                self.quantiles_of_parts(&x, &[0.5], Interpolation::Linear)
            }
        }

        impl<D, $($generics)*> Backend<Quantiles<'_, $parts>> for Cuda
        where
            D: DeviceElements<Element: SortKey>,
        {
            type Results = Vec<<D::Element as SortKey>::Quantile>;

            fn run(&self, Quantiles { x, qs, how }: Quantiles<'_, $parts>) -> Result<Self::Results, Error> {
                self.quantiles_of_parts(&x, qs, how)
            }
        }
    )* };
}
parts! {
    [] Rows<D>;
    [] Chunks<D>;
    [I: DeviceElements<Element: IndexType>] Segments<D, I>;
}
