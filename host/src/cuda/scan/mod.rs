//! Scans on a device.

mod along;
mod equal;
pub(crate) mod segments;

use std::sync::Arc;

use gpu_kernels::scan::shapes::state_words;
use gpu_kernels::{Accumulator, Element, Storable, StoredOf};

use crate::arrays::AsElements;
use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Memory, Region};
use crate::cuda::{Cuda, DeviceArray, DeviceElements as _, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::kernel::ScanKernel;
use crate::verb::{Backend, Scan, WriteTo};

impl Cuda {
    fn scan_slice<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        scan: crate::scan::Scan<O::Acc>,
    ) -> Result<DeviceArray<StoredOf<T, O>>, Error> {
        self.lease(|executor| {
            let bytes = x.len().saturating_mul(size_of::<StoredOf<T, O>>());
            let out = Arc::new(Memory::allocate(executor.queue().context(), bytes)?);
            let input = x.input()?;
            let scanned = executor.enqueue_scan(op, self, scan, (input.region(), input.len()), out.whole());
            // Waits before it reports an error.
            let waited = executor.queue().wait().map_err(Error::from);
            scanned.and(waited)?;
            Ok(DeviceArray::of(self, out, x.len()))
        })
    }
}

impl Stream {
    fn scan_region<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        (input, len): (Region<'_>, usize),
        out: &DeviceValues<StoredOf<T, O>>,
        scan: crate::scan::Scan<O::Acc>,
    ) -> Result<(), Error> {
        check_results(len, out.len())?;
        let to = out.cell();
        self.write(to, Lens::WRITTEN, || {
            self.executor().enqueue_scan(op, self.cuda(), scan, (input, len as u64), to.region())
        })
    }
}

/// Inputs that are one array.
macro_rules! flat {
    ($($flat:ty),*) => { $(
        impl<T: Element, O: ScanKernel<T, Acc = A>, A> Backend<Scan<O, $flat, A>> for Cuda {
            type Results = DeviceArray<StoredOf<T, O>>;

            fn run(&self, Scan { op, input, scan }: Scan<O, $flat, A>) -> Result<Self::Results, Error> {
                self.scan_slice(op, &input.device_slice(), scan)
            }
        }

        impl<T, O, A> Backend<WriteTo<Scan<O, $flat, A>, &mut DeviceValues<StoredOf<T, O>>>> for Stream
        where
            T: Element,
            O: ScanKernel<T, Acc = A>,
        {
            type Results = ();

            fn run(
                &self,
                WriteTo { request, out }: WriteTo<Scan<O, $flat, A>, &mut DeviceValues<StoredOf<T, O>>>,
            ) -> Result<(), Error> {
                let Scan { op, input, scan } = request;
                let x = input.device_slice();
                let input = x.input()?;
                self.scan_region::<T, O>(op, (input.region(), x.len()), out, scan)
            }
        }
    )* };
}
flat!(&DeviceArray<T>, DeviceSlice<'_, T>, &DeviceSlice<'_, T>);

impl<X, O, A> Backend<Scan<O, &X, A>> for Cuda
where
    X: AsElements + ?Sized,
    O: ScanKernel<X::Element, Acc = A>,
{
    type Results = Vec<StoredOf<X::Element, O>>;

    fn run(&self, Scan { op, input, scan }: Scan<O, &X, A>) -> Result<Self::Results, Error> {
        let x = input.try_elements()?;
        let x = self
            .upload(x.whole("a GPU scans whole arrays: scan this one by Cpu, or replace what is missing")?)?;
        self.scan_slice(op, &x.as_slice(), scan)?.to_vec()
    }
}

impl<T, O, A> Backend<Scan<O, &mut DeviceValues<T>, A>> for Stream
where
    T: Element + Accumulator,
    O: ScanKernel<T, Acc = A>,
    O::Out: Storable<Stored = T>,
{
    type Results = ();

    fn run(&self, Scan { op, input, scan }: Scan<O, &mut DeviceValues<T>, A>) -> Result<(), Error> {
        let (cell, len) = (input.cell().clone(), input.len());
        self.scan_region::<T, O>(op, (cell.region(), len), input, scan)
    }
}

impl Executor {
    /// Enqueues the launch that scans `len` elements. Does nothing for empty input.
    fn enqueue_scan<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        scan: crate::scan::Scan<O::Acc>,
        (input, len): (Region<'_>, u64),
        out: Region<'_>,
    ) -> Result<(), Error> {
        scan.check_first::<T, O>()?;
        if len == 0 {
            return Ok(());
        }
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let words = usize::try_from(state_words::<T, O::Acc>(len)).unwrap_or(usize::MAX);
        let state = self.room(words.saturating_mul(size_of::<u64>()))?;
        queue.scan_tiles::<T, O>(op, cuda.kernels(), scan, (input, len), state.whole(), out)
    }
}
