//! Reductions by key: elements are sorted by key, and the runs of equal keys folded.

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
