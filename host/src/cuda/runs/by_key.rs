//! Reductions by key: elements are sorted by key, and the runs of equal keys folded. Selections take these runs as segments.

use crate::cuda::groups::Sorted;
use crate::cuda::input::DeviceElements;
use crate::cuda::segments::entries;
use crate::cuda::{Cuda, DeviceArray, DeviceResults, KeyType};
use crate::error::Error;
use crate::input::{ByKey, Runs};
use crate::kernel::RowsKernel;
use crate::sort_key::SortKey;
use crate::verb::order::Order;
use crate::verb::{Backend, Reduce, SortPairs};

impl<K, I, D, O> Backend<Reduce<O, ByKey<I, D>>> for Cuda
where
    K: KeyType + SortKey,
    I: DeviceElements<Element = K>,
    D: DeviceElements,
    O: RowsKernel<D::Element>,
{
    type Results = (DeviceArray<K>, DeviceResults<D::Element, O>);

    fn run(&self, Reduce { op, input }: Reduce<O, ByKey<I, D>>) -> Result<Self::Results, Error> {
        // The sort is stable, so each run has its elements in the order of the array.
        let (keys, x) = self.run(SortPairs { keys: input.keys, values: input.x, order: Order::Ascending })?;
        self.run(Reduce { op, input: Runs { keys: &keys, x: &x } })
    }

    fn prepare(&self, _: &Reduce<O, ByKey<I, D>>) -> Result<(), Error> {
        entries::<D::Element, O>().into_iter().try_for_each(|entry| self.kernels().prepare(entry))
    }
}

impl<K: KeyType + SortKey, I: DeviceElements<Element = K>, D: DeviceElements> ByKey<I, D> {
    /// Sorts the elements by key to segments, and waits. Returns the distinct keys too.
    pub(crate) fn segments(self, cuda: &Cuda) -> Result<(DeviceArray<K>, Sorted<D::Element>), Error> {
        let (keys, x) = cuda.run(SortPairs { keys: self.keys, values: self.x, order: Order::Ascending })?;
        cuda.lease(|executor| {
            if x.is_empty() {
                let offsets = DeviceArray::zeroed(cuda, executor, 1)?;
                return Ok((keys, Sorted { x, offsets, first: 0 }));
            }
            let runs = executor.count_runs(cuda, keys.as_slice().input()?)?;
            let found = executor.enqueue_runs(cuda, &runs)?;
            executor.queue().wait()?;
            let (count, (memory, first)) = (runs.count as usize, found.into_keys());
            let offsets = DeviceArray::of(cuda, memory.clone(), first + count + 1);
            Ok((DeviceArray::of(cuda, memory, count), Sorted { x, offsets, first }))
        })
    }
}
