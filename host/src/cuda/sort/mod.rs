//! Sorts on a device: of elements, of keys with values, or of indices.

mod digits;
pub(in crate::cuda) mod key;
mod level_layout;
mod levels;
pub(in crate::cuda) mod plan;

use std::sync::Arc;

use gpu_kernels::sort::shapes::codes;

use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Items, Memory, Region, Rooms, SortKeys, position_bytes};
use crate::cuda::sort::key::SortKey;
use crate::cuda::sort::plan::{Beside, SortPlan, Sorted, moves_values};
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_lengths, check_results};
use crate::{Accumulator, Element, Order};

impl Cuda {
    /// Returns the elements in their [total order](crate::TotalOrder), as a new array ([`DeviceSlice::nan_greatest`] has all
    /// NaNs last): the result of
    /// [`Cpu::sort`](crate::Cpu::sort). Waits for it.
    ///
    /// Elements of 1 to 8 bytes are sorted by digits of 8 bits, the least significant first (`gpu_kernels::radix`),
    /// in as many passes as there are bytes in which elements differ; elements that are sorted already, or in strictly
    /// opposite order, are copied. This takes device memory for as many elements again, and up to half a byte more for each
    /// (1 byte for elements of 8 bytes). Elements of 16 bytes are sorted by a quicksort with many pivots, which no input
    /// makes take more than a few levels (`gpu_kernels::sort`); it waits between these for the number of segments
    /// left, and takes 10 bytes more for each element. Up to a sixteenth of the device's memory is kept for the next call.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::OutOfMemory`], [`Error::Driver`], [`Error::Poisoned`]; [`Error::PtxTooNew`] and
    /// [`Error::Kernel`] from the first call of each size of an element.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Order};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[2.5f32, -0.0, f32::NEG_INFINITY, 0.0])?;
    /// let sorted = cuda.sort(&x, Order::Descending)?;
    /// assert_eq!(sorted.to_vec()?, [2.5, 0.0, -0.0, f32::NEG_INFINITY]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort<T: SortKey>(
        &self,
        x: impl DeviceElements<Element = T>,
        order: Order,
    ) -> Result<DeviceArray<T>, Error> {
        let x = &x.device_slice();
        let keys = keys(x, order)?;
        self.lease(|executor| {
            let out = executor.allocate(x.len(), size_of::<T>())?;
            let result = Sorted { elements: Some(out.whole()), beside: Beside::Nothing };
            executor.then_wait(|executor| executor.sort(self, keys, result))?;
            Ok(DeviceArray::of(self, out, x.len()))
        })
    }

    /// Returns the keys in their total order, and the values in the order of their keys, as new arrays: the result of
    /// [`Cpu::sort_pairs`](crate::Cpu::sort_pairs). The sort is stable: values of equal keys keep their order. Values of
    /// 4 and 8 bytes that lie at a multiple of their size are moved with keys of up to 8 bytes, and take memory for as many
    /// values again. Others, of any size, are moved once, by an index of 4 bytes (8 for 2^32 elements and more), which takes
    /// memory for twice the indices, and three times with keys of 16 bytes. Otherwise takes memory as [`sort`](Self::sort)
    /// does.
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one value for each key; otherwise as [`sort`](Self::sort).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Order};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (keys, values) = (cuda.upload(&[2u32, 1, 2, 1])?, cuda.upload(&['a', 'b', 'c', 'd'])?);
    /// let (keys, values) = cuda.sort_pairs(&keys, &values, Order::Descending)?;
    /// assert_eq!(keys.to_vec()?, [2, 2, 1, 1]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort_pairs<K: SortKey, V: Element>(
        &self,
        keys: impl DeviceElements<Element = K>,
        values: impl DeviceElements<Element = V>,
        order: Order,
    ) -> Result<(DeviceArray<K>, DeviceArray<V>), Error> {
        let (keys, values) = (&keys.device_slice(), &values.device_slice());
        check_lengths(keys.len(), values.len())?;
        let (len, values) = (keys.len(), values.input()?.items());
        let keys = self::keys(keys, order)?;
        self.lease(|executor| {
            let (out, values_out) =
                (executor.allocate(len, size_of::<K>())?, executor.allocate(len, size_of::<V>())?);
            let to = (out.whole(), values_out.whole());
            executor.then_wait(|executor| executor.sort_pairs(self, keys, values, to))?;
            Ok((DeviceArray::of(self, out, len), DeviceArray::of(self, values_out, len)))
        })
    }

    /// Returns the indices of the elements in their total order, of 8 bytes each: the result of
    /// [`Cpu::argsort`](crate::Cpu::argsort). The sort is stable: among equal elements the lower index comes first.
    /// While sorting, an index has 4 bytes if there are fewer than 2^32 elements. Takes memory for twice the elements
    /// and twice the indices.
    ///
    /// # Errors
    /// As [`sort`](Self::sort).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Order};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[30, 10, 20, 10])?;
    /// assert_eq!(cuda.argsort(&x, Order::Ascending)?.to_vec()?, [1, 3, 2, 0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn argsort<T: SortKey>(
        &self,
        x: impl DeviceElements<Element = T>,
        order: Order,
    ) -> Result<DeviceArray<u64>, Error> {
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

impl Stream {
    /// Sorts `x` to `out`, which has the same length, after the work enqueued so far. Does what [`Cuda::sort`] does,
    /// without an allocation for the result. Waits for nothing, but between the levels of a sort of elements of 16 bytes;
    /// launches are still under way when it returns. Cannot be recorded.
    ///
    /// # Errors
    /// [`Error::Capturing`] while a graph is recorded; [`Error::Results`] if `out` has another length;
    /// [`Error::OtherDevice`]; otherwise as [`Cuda::sort`]. After an error of memory or of the driver, which may come
    /// between two levels, the contents of `out` are not defined.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Order};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let (x, mut sorted) = (cuda.upload(&[3, 1, 2])?, cuda.values::<i32>(3)?);
    /// stream.sort_into(&x, &mut sorted, Order::Ascending)?;
    /// assert_eq!(sorted.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort_into<T: SortKey + Accumulator>(
        &self,
        x: impl DeviceElements<Element = T>,
        out: &mut DeviceValues<T>,
        order: Order,
    ) -> Result<(), Error> {
        let x = &x.device_slice();
        check_results(x.len(), out.len())?;
        self.may_sort()?;
        let (keys, to) = (keys(x, order)?, out.cell());
        self.write(to, Lens::WRITTEN, || {
            let result = Sorted { elements: Some(to.region()), beside: Beside::Nothing };
            self.executor().sort(self.cuda(), keys, result)
        })
    }

    /// Sorts `keys` to `keys_out`, and moves each key's value to the same position in `values_out`. All have the same
    /// length. Does what [`Cuda::sort_pairs`] does, in the way of [`sort_into`](Self::sort_into).
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one value for each key; otherwise as [`sort_into`](Self::sort_into).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Order};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let (keys, values) = (cuda.upload(&[2u32, 1, 2, 1])?, cuda.upload(&[0.5f32, 1.5, 2.5, 3.5])?);
    /// let (mut keys_out, mut values_out) = (cuda.values::<u32>(4)?, cuda.values::<f32>(4)?);
    /// let (keys, values) = (keys.as_slice(), values.as_slice());
    /// stream.sort_pairs_into(&keys, &values, &mut keys_out, &mut values_out, Order::Ascending)?;
    /// assert_eq!(values_out.to_vec()?, [1.5, 3.5, 0.5, 2.5]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort_pairs_into<K: SortKey + Accumulator, V: Element + Accumulator>(
        &self,
        keys: impl DeviceElements<Element = K>,
        values: impl DeviceElements<Element = V>,
        keys_out: &mut DeviceValues<K>,
        values_out: &mut DeviceValues<V>,
        order: Order,
    ) -> Result<(), Error> {
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

    /// Writes the indices of the elements in their total order to `out`, which has the same length. Does what
    /// [`Cuda::argsort`] does, in the way of [`sort_into`](Self::sort_into).
    ///
    /// # Errors
    /// As [`sort_into`](Self::sort_into).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Order};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let (x, mut indices) = (cuda.upload(&[30, 10, 20, 10])?, cuda.values::<u64>(4)?);
    /// stream.argsort_into(&x, &mut indices, Order::Ascending)?;
    /// assert_eq!(indices.to_vec()?, [1, 3, 2, 0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn argsort_into<T: SortKey>(
        &self,
        x: impl DeviceElements<Element = T>,
        out: &mut DeviceValues<u64>,
        order: Order,
    ) -> Result<(), Error> {
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

    /// Fails while a graph is recorded.
    fn may_sort(&self) -> Result<(), Error> {
        if self.executor().queue().is_recording() {
            return Err(Error::Capturing { during: "a sort, whose memory is its call's own" });
        }
        Ok(())
    }
}

impl Executor {
    /// Allocates memory for a result of `len` items of `bytes`.
    pub(in crate::cuda) fn allocate(&self, len: usize, bytes: usize) -> Result<Arc<Memory>, Error> {
        Ok(Arc::new(Memory::allocate(self.queue().context(), len.saturating_mul(bytes))?))
    }

    /// Calls `enqueue`, and waits for what it enqueues.
    fn then_wait(&self, enqueue: impl FnOnce(&Self) -> Result<(), Error>) -> Result<(), Error> {
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
        // Of indices, the plan needs to know the width alone.
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
fn keys<'a, T: SortKey>(x: &DeviceSlice<'a, T>, order: Order) -> Result<SortKeys<'a>, Error> {
    let coding = T::CODE + if order == Order::Descending { codes::DESCENDING } else { codes::UNSIGNED };
    Ok(SortKeys { items: x.input()?.items(), len: x.len() as u64, coding })
}
