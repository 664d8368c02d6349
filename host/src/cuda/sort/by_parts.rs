//! Sorts of each part of an array in device memory.

use gpu_kernels::Accumulator;

use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Items, Memory, Region, Rooms, SortKeys, SortTo, position_bytes};
use crate::cuda::parts::DeviceParts;
use crate::cuda::sort::keys;
use crate::cuda::sort::parts::PartsTo;
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceValues, Stream};
use crate::error::{Error, check_lengths, check_results};
use crate::index_type::IndexType;
use crate::input::{Chunks, Rows, Segments};
use crate::sort_key::SortKey;
use crate::verb::{Argsort, Backend, Sort, SortPairs, WriteTo};

impl Executor {
    /// Sorts the keys of each part, and moves each value with its key.
    fn sort_pairs_of_parts<P: DeviceParts>(
        &self,
        cuda: &Cuda,
        (keys, parts): (SortKeys<'_>, &P),
        values: Items<'_>,
        (keys_out, values_out): (Region<'_>, Region<'_>),
    ) -> Result<(), Error> {
        let queue = self.queue();
        queue.context().usable()?;
        [values.region, keys_out, values_out].into_iter().try_for_each(|region| queue.keep_region(region))?;
        let (mut rooms, bytes) = (Rooms::default(), position_bytes(keys.len));
        let indices = rooms.add(keys.len, bytes);
        let memory = Memory::scratch(queue, rooms.bytes())?;
        let indices = Items { region: indices.of(memory.whole())?, bytes };
        let to = PartsTo { to: SortTo::whole(keys, Some(keys_out)), indices: Some(indices) };
        self.sort_parts(cuda, (keys, parts), to)?;
        if keys.len == 0 {
            return Ok(());
        }
        self.enqueue_gather(cuda, (values, keys.len), (indices, keys.len), values_out)
    }
}

/// Writes the indices of sorted keys to `out`, each counted from the start of its part.
fn to_indices<'a>(keys: SortKeys<'_>, out: Region<'a>) -> PartsTo<'a> {
    let to = SortTo { are_within: true, ..SortTo::whole(keys, None) };
    PartsTo { to, indices: Some(Items { region: out, bytes: size_of::<u64>() }) }
}

/// Implements the requests for an input that is [`DeviceParts`].
macro_rules! parts {
    ($([$($generics:tt)*] $parts:ty;)*) => { $(
        impl<D: DeviceElements<Element: SortKey>, $($generics)*> Backend<Sort<$parts>> for Cuda {
            type Results = DeviceArray<D::Element>;

            fn run(&self, Sort { x, order }: Sort<$parts>) -> Result<Self::Results, Error> {
                let (keys, len) = (keys(&x.array(), order)?, x.array().len());
                self.lease(|executor| {
                    let out = executor.allocate(len, size_of::<D::Element>())?;
                    let to = PartsTo { to: SortTo::whole(keys, Some(out.whole())), indices: None };
                    executor.then_wait(|executor| executor.sort_parts(self, (keys, &x), to))?;
                    Ok(DeviceArray::of(self, out, len))
                })
            }
        }

        impl<D, V, $($generics)*> Backend<SortPairs<$parts, V>> for Cuda
        where
            D: DeviceElements<Element: SortKey>,
            V: DeviceElements,
        {
            type Results = (DeviceArray<D::Element>, DeviceArray<V::Element>);

            fn run(&self, request: SortPairs<$parts, V>) -> Result<Self::Results, Error> {
                let SortPairs { keys: x, values, order } = request;
                let (values, len) = (&values.device_slice(), x.array().len());
                check_lengths(len, values.len())?;
                let (keys, values) = (keys(&x.array(), order)?, values.input()?.items());
                self.lease(|executor| {
                    let (out, values_out) = (
                        executor.allocate(len, size_of::<D::Element>())?,
                        executor.allocate(len, size_of::<V::Element>())?,
                    );
                    let to = (out.whole(), values_out.whole());
                    let sort = |executor: &Executor| executor.sort_pairs_of_parts(self, (keys, &x), values, to);
                    executor.then_wait(sort)?;
                    Ok((DeviceArray::of(self, out, len), DeviceArray::of(self, values_out, len)))
                })
            }
        }

        impl<D: DeviceElements<Element: SortKey>, $($generics)*> Backend<Argsort<$parts>> for Cuda {
            type Results = DeviceArray<u64>;

            fn run(&self, Argsort { x, order }: Argsort<$parts>) -> Result<Self::Results, Error> {
                let (keys, len) = (keys(&x.array(), order)?, x.array().len());
                self.lease(|executor| {
                    let out = executor.allocate(len, size_of::<u64>())?;
                    let to = to_indices(keys, out.whole());
                    executor.then_wait(|executor| executor.sort_parts(self, (keys, &x), to))?;
                    Ok(DeviceArray::of(self, out, len))
                })
            }
        }

        impl<D, $($generics)*> Backend<WriteTo<Sort<$parts>, &mut DeviceValues<D::Element>>> for Stream
        where
            D: DeviceElements<Element: SortKey + Accumulator>,
        {
            type Results = ();

            fn run(
                &self,
                WriteTo { request, out }: WriteTo<Sort<$parts>, &mut DeviceValues<D::Element>>,
            ) -> Result<(), Error> {
                let Sort { x, order } = request;
                check_results(x.array().len(), out.len())?;
                self.may_sort()?;
                let (keys, cell) = (keys(&x.array(), order)?, out.cell());
                let to = PartsTo { to: SortTo::whole(keys, Some(cell.region())), indices: None };
                self.write(cell, Lens::WRITTEN, || self.executor().sort_parts(self.cuda(), (keys, &x), to))
            }
        }

        impl<D, V, $($generics)*>
            Backend<WriteTo<SortPairs<$parts, V>, (&mut DeviceValues<D::Element>, &mut DeviceValues<V::Element>)>>
            for Stream
        where
            D: DeviceElements<Element: SortKey + Accumulator>,
            V: DeviceElements<Element: Accumulator>,
        {
            type Results = ();

            fn run(
                &self,
                WriteTo { request, out }: WriteTo<
                    SortPairs<$parts, V>,
                    (&mut DeviceValues<D::Element>, &mut DeviceValues<V::Element>),
                >,
            ) -> Result<(), Error> {
                let SortPairs { keys: x, values, order } = request;
                let ((keys_out, values_out), values) = (out, &values.device_slice());
                let len = x.array().len();
                check_lengths(len, values.len())?;
                check_results(len, keys_out.len())?;
                check_results(len, values_out.len())?;
                self.may_sort()?;
                let (keys, values) = (keys(&x.array(), order)?, values.input()?.items());
                let cells = [keys_out.cell(), values_out.cell()];
                self.write_values(cells, || {
                    let [keys_to, values_to] = cells.map(|cell| cell.region());
                    self.executor().sort_pairs_of_parts(self.cuda(), (keys, &x), values, (keys_to, values_to))
                })
            }
        }

        impl<D, $($generics)*> Backend<WriteTo<Argsort<$parts>, &mut DeviceValues<u64>>> for Stream
        where
            D: DeviceElements<Element: SortKey>,
        {
            type Results = ();

            fn run(
                &self,
                WriteTo { request, out }: WriteTo<Argsort<$parts>, &mut DeviceValues<u64>>,
            ) -> Result<(), Error> {
                let Argsort { x, order } = request;
                check_results(x.array().len(), out.len())?;
                self.may_sort()?;
                let (keys, cell) = (keys(&x.array(), order)?, out.cell());
                let to = to_indices(keys, cell.region());
                self.write(cell, Lens::WRITTEN, || self.executor().sort_parts(self.cuda(), (keys, &x), to))
            }
        }
    )* };
}
parts! {
    [] Rows<D>;
    [] Chunks<D>;
    [I: DeviceElements<Element: IndexType>] Segments<D, I>;
}
