//! Scans of segments.

use std::sync::Arc;

use gpu_kernels::Storable;

use crate::cuda::array::lens::{Lens, Offered};
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Given, Input, Memory, Offsets, Region, ScanSegmentsRoom};
use crate::cuda::scan::{DeviceScanInPlace, DeviceScanInput, StreamScanInput};
use crate::cuda::{Cuda, DeviceArray, DeviceElements, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::index_type::{IndexType, longest_segment};
use crate::scan::Scan;
use crate::{Accumulator, Element, ScanKernel, Segments, StoredOf};

impl<D, I, O> DeviceScanInput<O> for Segments<D, I>
where
    D: DeviceElements,
    I: DeviceElements<Element: IndexType>,
    O: ScanKernel<D::Element>,
{
    type Acc = O::Acc;
    type Outs = DeviceArray<StoredOf<D::Element, O>>;

    fn scan_on(self, cuda: &Cuda, op: O, scan: Scan<O::Acc>) -> Result<Self::Outs, Error> {
        let (x, offsets) = (self.x.device_slice(), self.offsets.device_slice());
        let bytes = x.len().saturating_mul(size_of::<StoredOf<D::Element, O>>());
        if offsets.len() < 2 {
            let _longest = longest_segment(&offsets.to_vec()?, x.len())?;
            return cuda.lease(|executor| {
                let zeros = Memory::zeroed(executor.queue(), bytes)?;
                executor.queue().wait()?;
                Ok(DeviceArray::of(cuda, zeros, x.len()))
            });
        }
        cuda.lease(|executor| {
            let out = Arc::new(Memory::allocate(executor.queue().context(), bytes)?);
            let (input, offsets) = (x.input()?, offsets.input()?);
            let room = ScanSegmentsRoom::new::<D::Element, O>(offsets.len(), input.len());
            let work = executor.room(room.bytes())?;
            let offered = Offered::new(work, room, Given::new(offsets), input.len());
            let scanned = executor.enqueue_scan_segments(
                op,
                cuda,
                scan,
                (input.region(), input.len()),
                offsets,
                &offered,
                (out.whole(), true),
            );
            // Waits before it reports an error.
            let waited = executor.queue().wait().map_err(Error::from);
            scanned.and(waited)?;
            offered.check(executor.queue())?;
            Ok(DeviceArray::of(cuda, out, x.len()))
        })
    }
}

impl<D, I, O> StreamScanInput<O> for Segments<D, I>
where
    D: DeviceElements,
    I: DeviceElements<Element: IndexType>,
    O: ScanKernel<D::Element>,
{
    type Out = StoredOf<D::Element, O>;

    fn scan_into(
        self,
        stream: &Stream,
        op: O,
        out: &mut DeviceValues<Self::Out>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        let x = self.x.device_slice();
        let (input, offsets) = (x.input()?, self.offsets.device_slice());
        stream.scan_segments::<D::Element, O, I::Element>(op, (input.region(), x.len()), &offsets, out, scan)
    }
}

impl<T, I, O> DeviceScanInPlace<O> for Segments<&mut DeviceValues<T>, I>
where
    T: Element + Accumulator,
    I: DeviceElements<Element: IndexType>,
    O: ScanKernel<T>,
    O::Out: Storable<Stored = T>,
{
    type Acc = O::Acc;

    fn scan_in_place(self, stream: &Stream, op: O, scan: Scan<O::Acc>) -> Result<(), Error> {
        let (cell, len, offsets) = (self.x.cell().clone(), self.x.len(), self.offsets.device_slice());
        stream.scan_segments::<T, O, I::Element>(op, (cell.region(), len), &offsets, self.x, scan)
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
        scan: Scan<O::Acc>,
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
            let to = (to.region(), false);
            self.executor().enqueue_scan_segments(op, self.cuda(), scan, (input, len), offsets, &offered, to)
        };
        self.write(to, Lens::Scanned(offered.clone()), enqueue)
    }
}

impl Executor {
    /// Enqueues the launches that scan the segments of `input` between `offsets`.
    fn enqueue_scan_segments<T: Element, O: ScanKernel<T>, I: IndexType>(
        &self,
        op: O,
        cuda: &Cuda,
        scan: Scan<O::Acc>,
        input: (Region<'_>, u64),
        offsets: Input<'_, I>,
        offered: &Offered,
        out: (Region<'_>, bool),
    ) -> Result<(), Error> {
        scan.check_first::<T, O>()?;
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        let kernels = (cuda.kernels(), cuda.multiprocessors());
        queue.scan_segments::<T, O>(op, kernels, scan, input, Offsets::new(offsets), offered.work(), out)
    }
}
