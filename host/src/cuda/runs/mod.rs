//! Reductions of runs of equal keys: the device finds the runs, and folds them as segments.

pub(in crate::cuda) mod find;
pub(in crate::cuda) mod key_type;

use crate::cuda::input::{DeviceElements, DeviceInput, Work};
use crate::cuda::segments::entries;
use crate::cuda::{Cuda, DeviceArray, DeviceResults, KeyType};
use crate::error::{Error, check_lengths};
use crate::{Element, RowsKernel, Runs};

impl<K: KeyType + Element, I: DeviceElements<Element = K>, D: DeviceElements, O: RowsKernel<D::Element>>
    DeviceInput<O> for Runs<I, D>
{
    type Results = (DeviceArray<K>, DeviceResults<D::Element, O>);

    fn reduce_on(self, cuda: &Cuda, op: O) -> Result<Self::Results, Error> {
        let (keys, x) = (self.keys.device_slice(), self.x.device_slice());
        check_lengths(keys.len(), x.len())?;
        let (of_keys, of_x) = (keys.input()?, x.input()?);
        cuda.lease(|executor| {
            if x.is_empty() {
                return Ok((
                    DeviceArray::upload(cuda, executor, &[])?,
                    DeviceResults::new(cuda, executor, 0)?,
                ));
            }
            let runs = executor.count_runs(cuda, of_keys)?;
            // There are at most as many as elements.
            let count = runs.count as usize;
            let found = executor.enqueue_runs(cuda, &runs)?;
            let out = DeviceResults::new(cuda, executor, count)?;
            Work::of_call(cuda, executor).between(op, of_x, found.offsets()?, &out)?;
            executor.queue().wait()?;
            Ok((DeviceArray::of(cuda, found.into_keys(), count), out))
        })
    }

    fn prepare_on(&self, cuda: &Cuda) -> Result<(), Error> {
        entries::<D::Element, O>().into_iter().try_for_each(|entry| cuda.kernels().prepare(entry))
    }
}
