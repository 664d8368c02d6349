//! Sorts on a device: of elements, of keys with values, or of indices.

mod by_parts;
mod digits;
mod level_layout;
mod levels;
pub(crate) mod parts;
pub(crate) mod plan;

use std::sync::Arc;

use gpu_kernels::Accumulator;
use gpu_kernels::sort::shapes::codes;

use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Items, Memory, Region, Rooms, SortKeys, position_bytes};
use crate::cuda::sort::plan::{Beside, SortPlan, Sorted, moves_values};
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_lengths, check_results};
use crate::sort_key::SortKey;
use crate::verb::order::Order;
use crate::verb::{Argsort, Backend, Sort, SortPairs, WriteTo};

impl<D> Backend<Sort<D>> for Cuda
where
    D: DeviceElements<Element: SortKey>,
{
    type Results = DeviceArray<D::Element>;

    fn run(&self, Sort { x, order }: Sort<D>) -> Result<Self::Results, Error> {
        let x = &x.device_slice();
        let keys = keys(x, order)?;
        self.lease(|executor| {
            let out = executor.allocate(x.len(), size_of::<D::Element>())?;
            let result = Sorted { elements: Some(out.whole()), beside: Beside::Nothing };
            executor.then_wait(|executor| executor.sort(self, keys, result))?;
            Ok(DeviceArray::of(self, out, x.len()))
        })
    }
}

impl<K, V> Backend<SortPairs<K, V>> for Cuda
where
    K: DeviceElements<Element: SortKey>,
    V: DeviceElements,
{
    type Results = (DeviceArray<K::Element>, DeviceArray<V::Element>);

    fn run(&self, SortPairs { keys, values, order }: SortPairs<K, V>) -> Result<Self::Results, Error> {
        let (keys, values) = (&keys.device_slice(), &values.device_slice());
        check_lengths(keys.len(), values.len())?;
        let (len, values) = (keys.len(), values.input()?.items());
        let keys = self::keys(keys, order)?;
        self.lease(|executor| {
            let (out, values_out) = (
                executor.allocate(len, size_of::<K::Element>())?,
                executor.allocate(len, size_of::<V::Element>())?,
            );
            let to = (out.whole(), values_out.whole());
            executor.then_wait(|executor| executor.sort_pairs(self, keys, values, to))?;
            Ok((DeviceArray::of(self, out, len), DeviceArray::of(self, values_out, len)))
        })
    }
}

impl<D> Backend<Argsort<D>> for Cuda
where
    D: DeviceElements<Element: SortKey>,
{
    type Results = DeviceArray<u64>;

    fn run(&self, Argsort { x, order }: Argsort<D>) -> Result<Self::Results, Error> {
        let x = &x.device_slice();
        let keys = keys(x, order)?;
        self.lease(|executor| {
            let out = executor.allocate(x.len(), size_of::<u64>())?;
            let indices = Items { region: out.whole(), bytes: size_of::<u64>() };
            let result = Sorted { elements: None, beside: Beside::Indices(indices) };
            executor.then_wait(|executor| executor.sort(self, keys, result))?;
            Ok(DeviceArray::of(self, out, x.len()))
        })
    }
}

impl<D> Backend<WriteTo<Sort<D>, &mut DeviceValues<D::Element>>> for Stream
where
    D: DeviceElements<Element: SortKey + Accumulator>,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<Sort<D>, &mut DeviceValues<D::Element>>,
    ) -> Result<Self::Results, Error> {
        let Sort { x, order } = request;
        let x = &x.device_slice();
        check_results(x.len(), out.len())?;
        self.may_sort()?;
        let (keys, to) = (keys(x, order)?, out.cell());
        self.write(to, Lens::WRITTEN, || {
            let result = Sorted { elements: Some(to.region()), beside: Beside::Nothing };
            self.executor().sort(self.cuda(), keys, result)
        })
    }
}

impl<K, V> Backend<WriteTo<SortPairs<K, V>, (&mut DeviceValues<K::Element>, &mut DeviceValues<V::Element>)>>
    for Stream
where
    K: DeviceElements<Element: SortKey + Accumulator>,
    V: DeviceElements<Element: Accumulator>,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<
            SortPairs<K, V>,
            (&mut DeviceValues<K::Element>, &mut DeviceValues<V::Element>),
        >,
    ) -> Result<Self::Results, Error> {
        let SortPairs { keys, values, order } = request;
        let (keys_out, values_out) = out;
        let (keys, values) = (&keys.device_slice(), &values.device_slice());
        check_lengths(keys.len(), values.len())?;
        check_results(keys.len(), keys_out.len())?;
        check_results(keys.len(), values_out.len())?;
        self.may_sort()?;
        let (keys, values) = (self::keys(keys, order)?, values.input()?.items());
        let cells = [keys_out.cell(), values_out.cell()];
        self.write_values(cells, || {
            let [keys_to, values_to] = cells.map(|cell| cell.region());
            self.executor().sort_pairs(self.cuda(), keys, values, (keys_to, values_to))
        })
    }
}

impl<D> Backend<WriteTo<Argsort<D>, &mut DeviceValues<u64>>> for Stream
where
    D: DeviceElements<Element: SortKey>,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<Argsort<D>, &mut DeviceValues<u64>>,
    ) -> Result<Self::Results, Error> {
        let Argsort { x, order } = request;
        let x = &x.device_slice();
        check_results(x.len(), out.len())?;
        self.may_sort()?;
        let (keys, to) = (keys(x, order)?, out.cell());
        self.write(to, Lens::WRITTEN, || {
            let indices = Items { region: to.region(), bytes: size_of::<u64>() };
            self.executor().sort(
                self.cuda(),
                keys,
                Sorted { elements: None, beside: Beside::Indices(indices) },
            )
        })
    }
}

impl Stream {
    /// Fails while a graph of ours is recorded.
    pub(crate) fn may_sort(&self) -> Result<(), Error> {
        let queue = self.executor().queue();
        if queue.is_recording() && !queue.is_lent() {
            return Err(Error::Capturing { during: "a sort, whose memory is its call's own" });
        }
        Ok(())
    }
}

impl Executor {
    /// Allocates memory for a result of `len` items of `bytes`.
    pub(crate) fn allocate(&self, len: usize, bytes: usize) -> Result<Arc<Memory>, Error> {
        Ok(Arc::new(Memory::allocate(self.queue().context(), len.saturating_mul(bytes))?))
    }

    /// Calls `enqueue`, and waits for what it enqueues.
    pub(crate) fn then_wait(&self, enqueue: impl FnOnce(&Self) -> Result<(), Error>) -> Result<(), Error> {
        let enqueued = enqueue(self);
        // Waits before it reports an error.
        let waited = self.queue().wait().map_err(Error::from);
        enqueued.and(waited)
    }

    /// Sorts `keys` to `result`. The last launches are still under way when it returns.
    fn sort(&self, cuda: &Cuda, keys: SortKeys<'_>, result: Sorted<'_>) -> Result<(), Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        if keys.len == 0 {
            return Ok(());
        }
        let mut rooms = Rooms::default();
        let plan = SortPlan::new(&mut rooms, (keys.len, keys.items.bytes), result);
        if matches!(plan, SortPlan::Tile) {
            return self.sort_tile(cuda, keys, result);
        }
        let memory = Memory::scratch(queue, rooms.bytes())?;
        self.sort_planned(cuda, keys, result, (&plan, memory.whole()))
    }

    /// Sorts keys, and moves each key's value to the same position: with its key, or by way of indices. Otherwise as
    /// [`sort`](Self::sort).
    fn sort_pairs(
        &self,
        cuda: &Cuda,
        keys: SortKeys<'_>,
        values: Items<'_>,
        (keys_out, values_out): (Region<'_>, Region<'_>),
    ) -> Result<(), Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        if keys.len == 0 {
            return Ok(());
        }
        [values.region, keys_out, values_out].into_iter().try_for_each(|region| queue.keep_region(region))?;
        if moves_values(keys, values)? {
            let beside = Beside::Values(values, values_out);
            return self.sort(cuda, keys, Sorted { elements: Some(keys_out), beside });
        }
        let (mut rooms, bytes) = (Rooms::default(), position_bytes(keys.len));
        let indices = rooms.add(keys.len, bytes);
        // The plan needs only the width of indices.
        let to = |region| Items { region, bytes };
        let result = |indices| Sorted { elements: Some(keys_out), beside: Beside::Indices(indices) };
        let plan = SortPlan::new(&mut rooms, (keys.len, keys.items.bytes), result(to(values_out)));
        let memory = Memory::scratch(queue, rooms.bytes())?;
        let indices = to(indices.of(memory.whole())?);
        self.sort_planned(cuda, keys, result(indices), (&plan, memory.whole()))?;
        self.enqueue_gather(cuda, (values, keys.len), (indices, keys.len), values_out)
    }
}

/// Describes the elements and their order to kernels.
pub(crate) fn keys<'a, T: SortKey>(x: &DeviceSlice<'a, T>, order: Order) -> Result<SortKeys<'a>, Error> {
    let coding = T::CODE + if order == Order::Descending { codes::DESCENDING } else { codes::UNSIGNED };
    Ok(SortKeys { items: x.input()?.items(), len: x.len() as u64, coding })
}
