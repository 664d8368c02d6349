//! Histograms on a device, and reductions by bin.

mod binned;
mod bins;

pub use self::bins::DeviceBins;

use gpu_kernels::histogram::shapes::OUTSIDE;

use crate::bins::{BinNumber, Bins, Histogram};
use crate::cuda::executor::Executor;
use crate::cuda::launch::{HistogramRoom, Region};
use crate::cuda::select::keys;
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::verb::order::Order;
use crate::verb::{self, Backend, WriteTo};

impl<D: DeviceElements<Element: BinNumber>> Backend<verb::Histogram<&Bins<D::Element>, D>> for Cuda {
    type Results = Histogram<DeviceArray<u64>>;

    fn run(
        &self,
        verb::Histogram { bins, x }: verb::Histogram<&Bins<D::Element>, D>,
    ) -> Result<Self::Results, Error> {
        self.run(verb::Histogram { bins: &self.bins(bins)?, x })
    }
}

impl<D: DeviceElements<Element: BinNumber>> Backend<verb::Histogram<&DeviceBins<D::Element>, D>> for Cuda {
    type Results = Histogram<DeviceArray<u64>>;

    fn run(
        &self,
        verb::Histogram { bins, x }: verb::Histogram<&DeviceBins<D::Element>, D>,
    ) -> Result<Self::Results, Error> {
        let (len, x) = (bins.len(), &x.device_slice());
        let (memory, outside) = self.lease(|executor| {
            let memory = executor.allocate(len + OUTSIDE as usize, size_of::<u64>())?;
            let counts = memory.whole().part(0, len as u64, size_of::<u64>())?;
            let outside = memory.whole().part(len as u64, OUTSIDE.into(), size_of::<u64>())?;
            executor.enqueue_histogram(self, bins, x, (counts, outside))?;
            let outside = outside.download::<u64>(executor.queue(), OUTSIDE as usize)?;
            Ok((memory, outside))
        })?;
        let [below, above, nan] = outside[..] else { return Err(Error::NoResult) };
        Ok(Histogram { counts: DeviceArray::of(self, memory, len), below, above, nan })
    }
}

/// Where a stream writes a histogram: the counts, and the numbers of elements below, above and NaN.
type Outputs<'a> = (&'a mut DeviceValues<u64>, &'a mut DeviceValues<u64>);

impl<D> Backend<WriteTo<verb::Histogram<&DeviceBins<D::Element>, D>, Outputs<'_>>> for Stream
where
    D: DeviceElements<Element: BinNumber>,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<verb::Histogram<&DeviceBins<D::Element>, D>, Outputs<'_>>,
    ) -> Result<(), Error> {
        let (verb::Histogram { bins, x }, (counts, outside)) = (request, out);
        check_results(bins.len(), counts.len())?;
        check_results(OUTSIDE as usize, outside.len())?;
        let (counts, outside) = (counts.cell(), outside.cell());
        self.write_values([counts, outside], || {
            let to = (counts.region(), outside.region());
            self.executor().enqueue_histogram(self.cuda(), bins, &x.device_slice(), to)
        })
    }
}

impl<T: BinNumber> DeviceSlice<'_, T> {
    /// Returns the histogram, with the counts in host memory.
    pub(crate) fn histogram(self, bins: &Bins<T>) -> Result<Histogram, Error> {
        let Histogram { counts, below, above, nan } = self.cuda().histogram(bins, self)?;
        Ok(Histogram { counts: counts.to_vec()?, below, above, nan })
    }
}

impl Executor {
    /// Enqueues the launch that writes the numbers of elements in each bin, and in none.
    fn enqueue_histogram<T: BinNumber>(
        &self,
        cuda: &Cuda,
        bins: &DeviceBins<T>,
        x: &DeviceSlice<'_, T>,
        to: (Region<'_>, Region<'_>),
    ) -> Result<(), Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let room = HistogramRoom {
            multiprocessors: cuda.multiprocessors(),
            shared_bytes: cuda.properties().shared_bytes,
        };
        queue.histogram(cuda.kernels(), keys(x, Order::Ascending)?, bins.places(), to, room)
    }
}
