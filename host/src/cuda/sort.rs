//! Sorting on a device: elements, with values, or their indices.

use std::sync::Arc;

use gpu_kernels::moves::sort::shape::{BUCKETS, COUNTERS, codes};

use super::driver::{Items, Memory, Region, SortIndices, SortKeys, SortLevel, gather_blocks};
use super::lane::Lane;
use super::partition_plan::moves_of;
use super::sort_key::SortKey;
use super::sort_plan::SortPlaces;
use super::{Cuda, DeviceArray, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_lengths};
use crate::{Accumulator, Element, Order};

/// Where a sort's results go.
#[derive(Clone, Copy)]
struct Sorted<'a> {
    /// The elements, unless indices alone are wanted.
    elements: Option<Region<'a>>,
    /// Where each element stood.
    indices: Option<Items<'a>>,
}

impl Cuda {
    /// The elements in their [total order](crate::TotalOrder): those of [`Cpu::sort`](crate::Cpu::sort), as a new array. Waits
    /// for it, and between the levels of the sort for how many segments are left.
    ///
    /// A quicksort of many pivots: keys equal to one are done at once, short segments are finished in a block each, and no
    /// input takes more than a few levels (`gpu_kernels::moves::sort` says why). It takes device memory for as many
    /// elements again, and for each 3 bytes more (5 for elements of 8 bytes, 10 of 16); up to a sixteenth of the device's
    /// memory is kept for the next call.
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
    /// let sorted = cuda.sort(&x.as_slice(), Order::Descending)?;
    /// assert_eq!(sorted.download()?, [2.5, 0.0, -0.0, f32::NEG_INFINITY]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort<T: SortKey>(&self, x: &DeviceSlice<'_, T>, order: Order) -> Result<DeviceArray<T>, Error> {
        self.lease(|lane| {
            let out = lane.allocate(x.len(), size_of::<T>())?;
            let result = Sorted { elements: Some(out.whole()), indices: None };
            lane.sort_and_wait(self, x, order, result, |_| Ok(()))?;
            Ok(DeviceArray::of(self, out, x.len()))
        })
    }

    /// The keys in their total order, and each key's value with it: those of [`Cpu::sort_pairs`](crate::Cpu::sort_pairs), as
    /// new arrays. Stable: values of equal keys keep their order. Values are of any size; each is moved once, by its index,
    /// of 4 bytes (8 for 2^32 elements and more). It takes memory as [`sort`](Self::sort) does, and for three
    /// times the indices.
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one value for each key; otherwise as [`sort`](Self::sort).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Order};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (keys, values) = (cuda.upload(&[2u32, 1, 2, 1])?, cuda.upload(&['a', 'b', 'c', 'd'])?);
    /// let (keys, values) = cuda.sort_pairs(&keys.as_slice(), &values.as_slice(), Order::Descending)?;
    /// assert_eq!(keys.download()?, [2, 2, 1, 1]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort_pairs<K: SortKey, V: Element>(
        &self,
        keys: &DeviceSlice<'_, K>,
        values: &DeviceSlice<'_, V>,
        order: Order,
    ) -> Result<(DeviceArray<K>, DeviceArray<V>), Error> {
        check_lengths(keys.len(), values.len())?;
        let of_values = values.input()?;
        let words = moves_of(of_values.address(), size_of::<V>())?;
        self.lease(|lane| {
            let len = keys.len();
            let (out, values_out) =
                (lane.allocate(len, size_of::<K>())?, lane.allocate(len, size_of::<V>())?);
            let bytes = index_bytes(len as u64);
            let indices = Arc::new(Memory::allocate(lane.queue().context(), len.saturating_mul(bytes))?);
            let indices = Items { region: indices.whole(), bytes };
            let result = Sorted { elements: Some(out.whole()), indices: Some(indices) };
            lane.sort_and_wait(self, keys, order, result, |lane| {
                let x = Items { region: of_values.region(), bytes: size_of::<V>() };
                let count = (len as u64, gather_blocks(len as u64, self.multiprocessors()));
                lane.queue().gather(self.kernels(), words, x, indices, values_out.whole(), count)
            })?;
            Ok((DeviceArray::of(self, out, len), DeviceArray::of(self, values_out, len)))
        })
    }

    /// The indices of the elements in their total order: those of [`Cpu::argsort`](crate::Cpu::argsort), of 8 bytes each.
    /// Stable: of equal elements the one with the lower index comes first. On the way an index has 4 bytes, of fewer than
    /// 2^32 elements; it takes memory for the elements and the indices, of both twice.
    ///
    /// # Errors
    /// As [`sort`](Self::sort).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Order};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[30, 10, 20, 10])?;
    /// assert_eq!(cuda.argsort(&x.as_slice(), Order::Ascending)?.download()?, [1, 3, 2, 0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn argsort<T: SortKey>(
        &self,
        x: &DeviceSlice<'_, T>,
        order: Order,
    ) -> Result<DeviceArray<u64>, Error> {
        self.lease(|lane| {
            let out = lane.allocate(x.len(), size_of::<u64>())?;
            let indices = Items { region: out.whole(), bytes: size_of::<u64>() };
            let result = Sorted { elements: None, indices: Some(indices) };
            lane.sort_and_wait(self, x, order, result, |_| Ok(()))?;
            Ok(DeviceArray::of(self, out, x.len()))
        })
    }
}

impl Stream {
    /// Sorts `x` to `out`, of as many elements, after the work enqueued so far: [`Cuda::sort`] without an allocation for the
    /// result. It waits for the stream between the levels of the sort, of which the last launches are still under way when it
    /// returns, and is not recorded.
    ///
    /// # Errors
    /// [`Error::Capturing`] while a graph is recorded; [`Error::Outputs`] if `out` has not as many; [`Error::OtherDevice`];
    /// otherwise as [`Cuda::sort`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Order};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let (x, mut sorted) = (cuda.upload(&[3, 1, 2])?, cuda.values::<i32>(3)?);
    /// stream.sort_into(&x.as_slice(), &mut sorted, Order::Ascending)?;
    /// assert_eq!(sorted.get()?, [1, 2, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort_into<T: SortKey + Accumulator>(
        &self,
        x: &DeviceSlice<'_, T>,
        out: &mut DeviceValues<T>,
        order: Order,
    ) -> Result<(), Error> {
        crate::error::check_outputs(x.len(), out.len())?;
        if self.lane().queue().is_recording() {
            return Err(Error::Capturing { during: "a sort, which waits for how much each level leaves" });
        }
        let to = out.cell();
        self.write(to, DeviceValues::<T>::WRITTEN, || {
            let result = Sorted { elements: Some(to.region()), indices: None };
            self.lane().sort(self.cuda(), x, order, result)
        })
    }
}

impl Lane {
    /// Memory for a result.
    fn allocate(&self, len: usize, bytes: usize) -> Result<Arc<Memory>, Error> {
        Ok(Arc::new(Memory::allocate(self.queue().context(), len.saturating_mul(bytes))?))
    }

    /// Sorts, does what comes `then`, and waits for all of it.
    fn sort_and_wait<T: SortKey>(
        &self,
        cuda: &Cuda,
        x: &DeviceSlice<'_, T>,
        order: Order,
        result: Sorted<'_>,
        then: impl FnOnce(&Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if x.is_empty() {
            return Ok(());
        }
        let sorted = self.sort(cuda, x, order, result).and_then(|()| then(self));
        // First the wait, then the report.
        let waited = self.queue().wait();
        sorted.and(waited)
    }

    /// Sorts; the last launches are still under way when it returns.
    fn sort<T: SortKey>(
        &self,
        cuda: &Cuda,
        x: &DeviceSlice<'_, T>,
        order: Order,
        result: Sorted<'_>,
    ) -> Result<(), Error> {
        let (queue, kernels, x) = (self.queue(), cuda.kernels(), x.input()?);
        queue.context().usable()?;
        queue.make_room()?;
        if x.len() == 0 {
            return Ok(());
        }
        let coding = T::CODE + if order == Order::Descending { codes::DESCENDING } else { codes::UNSIGNED };
        let items = Items { region: x.region(), bytes: size_of::<T>() };
        let mut keys = SortKeys { items, len: x.len(), coding };
        let (tile, to) = (keys.tile(), (result.elements, coding));
        let mut indices = result.indices.map(|to| SortIndices { from: None, to });
        if keys.len <= tile {
            return queue.sort_leaves(kernels, keys, None, to, indices);
        }
        let bytes = indices.map_or(0, |_| index_bytes(keys.len));
        let places = SortPlaces::new((keys.len, items.bytes), tile, bytes, result.elements.is_none());
        let memory = Arc::new(Memory::scratch(queue.context(), places.bytes)?);
        let (whole, room) = (memory.whole(), places.room(memory.whole())?);
        let totals = places.totals.of(whole)?;
        let mut level = SortLevel { list: None, segments: 1, tiles: keys.len.div_ceil(tile) };
        let mut odd = true;
        while level.segments > 0 {
            let turn = usize::from(odd);
            queue.fill(room.counters, 0)?;
            queue.sort_pivots(kernels, keys, level, &room)?;
            queue.sort_count(kernels, keys, level, &room)?;
            queue.scan(kernels, room.counts, level.tiles.saturating_mul(BUCKETS), totals)?;
            queue.sort_lists(kernels, keys, level, &room, turn)?;
            // By turns: after an odd level the keys are in between, after an even one where they are wanted.
            let out = if odd { places.between.of(whole)? } else { places.out(result.elements, whole)? };
            let moved = Items { region: places.indices[turn].of(whole)?, bytes };
            let on_the_way = indices.map(|SortIndices { from, .. }| SortIndices { from, to: moved });
            queue.sort_scatter(kernels, keys, level, &room, out, on_the_way)?;
            keys = SortKeys { items: Items { region: out, ..items }, coding: codes::UNSIGNED, ..keys };
            indices = indices.map(|SortIndices { to, .. }| SortIndices { from: Some(moved), to });
            // To know how many blocks the next launches have: on a device that is many times as fast as a launch of as many as
            // there might be.
            let counters = room.counters.download::<u64>(queue, COUNTERS as usize)?;
            let [segments, tiles, leaves] = counters[..] else { return Err(Error::NoResult) };
            if leaves > 0 {
                queue.sort_leaves(kernels, keys, Some((room.leaves, leaves)), to, indices)?;
            }
            level = SortLevel { list: Some(turn), segments, tiles };
            odd = !odd;
        }
        Ok(())
    }
}

/// Bytes of the index of one of so many elements while they are sorted.
fn index_bytes(len: u64) -> usize {
    if u32::try_from(len).is_ok() { 4 } else { 8 }
}
