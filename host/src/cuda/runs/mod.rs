//! Reductions of runs of equal keys: the device finds the runs, and folds them as segments.

mod by_key;
pub(crate) mod find;
pub(crate) mod key_type;

use gpu_kernels::Element;

use crate::cuda::input::{DeviceElements, Work};
use crate::cuda::segments::entries;
use crate::cuda::{Cuda, DeviceArray, DeviceResults, KeyType};
use crate::error::{Error, check_lengths};
use crate::input::Runs;
use crate::kernel::RowsKernel;
use crate::verb::{Backend, Reduce};

impl<K: KeyType + Element, I: DeviceElements<Element = K>, D: DeviceElements, O: RowsKernel<D::Element>>
    Backend<Reduce<O, Runs<I, D>>> for Cuda
{
    type Results = (DeviceArray<K>, DeviceResults<D::Element, O>);

    fn run(&self, Reduce { op, input }: Reduce<O, Runs<I, D>>) -> Result<Self::Results, Error> {
        let (keys, x) = (input.keys.device_slice(), input.x.device_slice());
        check_lengths(keys.len(), x.len())?;
        let (of_keys, of_x) = (keys.input()?, x.input()?);
        self.lease(|executor| {
            if x.is_empty() {
                return Ok((
                    DeviceArray::upload(self, executor, &[])?,
                    DeviceResults::new(self, executor, 0)?,
                ));
            }
            let runs = executor.count_runs(self, of_keys)?;
            // There are at most as many runs as elements.
            let count = runs.count as usize;
            let found = executor.enqueue_runs(self, &runs)?;
            let out = DeviceResults::new(self, executor, count)?;
            Work::of_call(self, executor).between(op, of_x, found.offsets()?, &out)?;
            executor.queue().wait()?;
            Ok((DeviceArray::of(self, found.into_keys().0, count), out))
        })
    }

    fn prepare(&self, _: &Reduce<O, Runs<I, D>>) -> Result<(), Error> {
        entries::<D::Element, O>().into_iter().try_for_each(|entry| self.kernels().prepare(entry))
    }
}
