//! Reductions by bin: a launch finds the place of each key, by which elements are folded as groups are.

use gpu_kernels::histogram::shapes::OUTSIDE;

use crate::bins::{BinNumber, Bins};
use crate::cuda::groups::grouped;
use crate::cuda::input::{Parts, Work, parts};
use crate::cuda::launch::{Input, Memory};
use crate::cuda::select::keys;
use crate::cuda::{Cuda, DeviceBins, DeviceElements, DeviceResults};
use crate::error::{Error, check_lengths};
use crate::input::Binned;
use crate::kernel::RowsKernel;
use crate::kernel::entry::Entry;
use crate::verb::order::Order;
use crate::verb::{Backend, Reduce};

impl<K, D, O> Parts<O> for Binned<&DeviceBins<K::Element>, K, D>
where
    K: DeviceElements<Element: BinNumber>,
    D: DeviceElements,
    O: RowsKernel<D::Element>,
{
    type Element = D::Element;

    fn count(&self) -> Result<usize, Error> {
        check_lengths(self.keys.device_slice().len(), self.x.device_slice().len())?;
        Ok(self.bins.len())
    }

    fn enqueue(&self, work: Work<'_>, op: O, out: &DeviceResults<D::Element, O>) -> Result<(), Error> {
        let (of_keys, x) = (self.keys.device_slice(), self.x.device_slice());
        let (cuda, executor) = (work.cuda, work.executor);
        let queue = executor.queue();
        if queue.is_recording() {
            return Err(Error::Capturing { during: "a reduction by bin, whose memory is its call's own" });
        }
        if x.is_empty() {
            return work.write(out.cell(), 0, || Ok(()));
        }
        queue.context().usable()?;
        queue.make_room()?;
        let places = Memory::scratch(queue, x.len().saturating_mul(size_of::<u32>()))?;
        let (bins, keys) = (self.bins.places(), keys(&of_keys, Order::Ascending)?);
        // The last groups are outside the bins.
        let groups = u64::from(bins.bins) + u64::from(OUTSIDE);
        queue.places(cuda.kernels(), keys, bins, places.whole(), cuda.multiprocessors())?;
        let places = Input::<u32>::new(&places, 0, x.len())?;
        let grouped = work.grouped::<_, _, O>(op, (places, x.input()?), groups)?;
        work.of_groups(op, &grouped, out)
    }

    fn kernels() -> Vec<Entry> {
        grouped::entries::<D::Element, O>()
    }
}
parts!([K: DeviceElements<Element: BinNumber>, D: DeviceElements] D::Element, Binned<&DeviceBins<K::Element>, K, D>);

impl<K, D, O> Backend<Reduce<O, Binned<&Bins<K::Element>, K, D>>> for Cuda
where
    K: DeviceElements<Element: BinNumber>,
    D: DeviceElements,
    O: RowsKernel<D::Element>,
{
    type Results = DeviceResults<D::Element, O>;

    fn run(
        &self,
        Reduce { op, input }: Reduce<O, Binned<&Bins<K::Element>, K, D>>,
    ) -> Result<Self::Results, Error> {
        let bins = &self.bins(input.bins)?;
        self.run(Reduce { op, input: Binned { bins, keys: input.keys, x: input.x } })
    }
}
