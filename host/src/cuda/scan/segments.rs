//! Scans of segments.

use std::sync::Arc;

use gpu_kernels::{Accumulator, Element, Storable, StoredOf};

use crate::cuda::array::lens::{Lens, Offered};
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Given, Memory, Offsets, Region, ScanSegmentsRoom};
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::index_type::{IndexType, longest_segment};
use crate::input::Segments;
use crate::kernel::ScanKernel;
use crate::verb::{Backend, Scan, WriteTo};

impl<D, I, O, A> Backend<Scan<O, Segments<D, I>, A>> for Cuda
where
    D: DeviceElements,
    I: DeviceElements<Element: IndexType>,
    O: ScanKernel<D::Element, Acc = A>,
{
    type Results = DeviceArray<StoredOf<D::Element, O>>;

    fn run(&self, Scan { op, input, scan }: Scan<O, Segments<D, I>, A>) -> Result<Self::Results, Error> {
        let (x, offsets) = (input.x.device_slice(), input.offsets.device_slice());
        let bytes = x.len().saturating_mul(size_of::<StoredOf<D::Element, O>>());
        if offsets.len() < 2 {
            let _longest = longest_segment(&offsets.to_vec()?, x.len())?;
            return self.lease(|executor| {
                let zeros = Memory::zeroed(executor.queue(), bytes)?;
                executor.queue().wait()?;
                Ok(DeviceArray::of(self, zeros, x.len()))
            });
        }
        self.lease(|executor| {
            let out = Arc::new(Memory::allocate(executor.queue().context(), bytes)?);
            let (of_x, offsets) = (x.input()?, offsets.input()?);
            let room = ScanSegmentsRoom::new::<D::Element, O>(offsets.len(), of_x.len());
            let work = executor.room(room.bytes())?;
            let offered = Offered::new(work, room, Given::new(offsets), of_x.len());
            let scanned = executor.enqueue_scan_segments(
                op,
                self,
                scan,
                (of_x.region(), of_x.len()),
                Offsets::new(offsets),
                &offered,
                (out.whole(), true),
            );
            // Waits before it reports an error.
            let waited = executor.queue().wait().map_err(Error::from);
            scanned.and(waited)?;
            offered.check(executor.queue())?;
            Ok(DeviceArray::of(self, out, x.len()))
        })
    }
}

impl<D, I, O, A> Backend<WriteTo<Scan<O, Segments<D, I>, A>, &mut DeviceValues<StoredOf<D::Element, O>>>>
    for Stream
where
    D: DeviceElements,
    I: DeviceElements<Element: IndexType>,
    O: ScanKernel<D::Element, Acc = A>,
{
    type Results = ();

    fn run(
        &self,
        WriteTo { request, out }: WriteTo<
            Scan<O, Segments<D, I>, A>,
            &mut DeviceValues<StoredOf<D::Element, O>>,
        >,
    ) -> Result<(), Error> {
        let Scan { op, input, scan } = request;
        let (x, offsets) = (input.x.device_slice(), input.offsets.device_slice());
        let of_x = (x.input()?.region(), x.len());
        self.scan_segments::<D::Element, O, I::Element>(op, of_x, &offsets, out, scan)
    }
}

impl<T, I, O, A> Backend<Scan<O, Segments<&mut DeviceValues<T>, I>, A>> for Stream
where
    T: Element + Accumulator,
    I: DeviceElements<Element: IndexType>,
    O: ScanKernel<T, Acc = A>,
    O::Out: Storable<Stored = T>,
{
    type Results = ();

    fn run(
        &self,
        Scan { op, input, scan }: Scan<O, Segments<&mut DeviceValues<T>, I>, A>,
    ) -> Result<(), Error> {
        let (cell, len, offsets) = (input.x.cell().clone(), input.x.len(), input.offsets.device_slice());
        self.scan_segments::<T, O, I::Element>(op, (cell.region(), len), &offsets, input.x, scan)
    }
}

impl Stream {
    /// Enqueues a scan of segments in `len` elements to `out`.
    fn scan_segments<T: Element, O: ScanKernel<T>, I: IndexType>(
        &self,
        op: O,
        (input, len): (Region<'_>, usize),
        offsets: &DeviceSlice<'_, I>,
        out: &DeviceValues<StoredOf<T, O>>,
        scan: crate::scan::Scan<O::Acc>,
    ) -> Result<(), Error> {
        // Checked before any lock is taken, because a forked child could wait for the lock for ever.
        self.cuda().context().usable()?;
        check_results(len, out.len())?;
        if offsets.len() < 2 {
            return Ok(());
        }
        let (len, offsets, to) = (len as u64, offsets.input()?, out.cell());
        let room = ScanSegmentsRoom::new::<T, O>(offsets.len(), len);
        let work = to.room(self.executor(), room.bytes())?;
        let offered = Arc::new(Offered::new(work, room, Given::new(offsets), len));
        let enqueue = || {
            let (offsets, to) = (Offsets::new(offsets), (to.region(), false));
            self.executor().enqueue_scan_segments(op, self.cuda(), scan, (input, len), offsets, &offered, to)
        };
        self.write(to, Lens::Scanned(offered.clone()), enqueue)
    }
}

impl Executor {
    /// Enqueues the launches that scan the segments of `input` between `offsets`.
    pub(super) fn enqueue_scan_segments<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        scan: crate::scan::Scan<O::Acc>,
        input: (Region<'_>, u64),
        offsets: Offsets<'_>,
        offered: &Offered,
        out: (Region<'_>, bool),
    ) -> Result<(), Error> {
        scan.check_first::<T, O>()?;
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let kernels = (cuda.kernels(), cuda.multiprocessors());
        queue.scan_segments::<T, O>(op, kernels, scan, input, offsets, offered.work(), out)
    }
}
