//! Scans on a device.

use std::sync::Arc;

use gpu_kernels::Storable;
use gpu_kernels::scan::shape::state_words;

use super::lane::Lane;
use super::launch::{Memory, Region};
use super::lens::Lens;
use super::{Cuda, DeviceArray, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_outputs};
use crate::scan::Scan;
use crate::{Accumulator, Element, ScanKernel, StoredOf};

impl Cuda {
    /// Scans `x`, waits, and gives the outputs as an array on the device, with the bits of
    /// [`Cpu::scan`](crate::Cpu::scan): each is there what [`stored`](crate::stored) says. Each element is read once and each
    /// output written once.
    ///
    /// # Errors
    /// [`Error::NoInitialValue`] if the scan is exclusive and the operator has no result of no elements ([`Scan::exclusive`]); [`Error::OutOfMemory`];
    /// [`Error::OtherDevice`] if the elements are on another device; [`Error::PtxTooNew`] and [`Error::Kernel`] from the first
    /// call of each operator, [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Scan, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 3.0, 2.0, 6.0])?;
    /// let sums = cuda.scan::<f32, Sum>(&x.as_slice(), Scan::inclusive())?;
    /// assert_eq!(sums.download()?, [1.0, 4.0, 6.0, 12.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scan<T: Element, O: ScanKernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
        scan: Scan<O::Acc>,
    ) -> Result<DeviceArray<StoredOf<T, O>>, Error> {
        self.scan_by(O::default(), x, scan)
    }

    /// [`scan`](Self::scan) with an operator that is a value.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn scan_by<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        scan: Scan<O::Acc>,
    ) -> Result<DeviceArray<StoredOf<T, O>>, Error> {
        self.lease(|lane| {
            let bytes = x.len().saturating_mul(size_of::<StoredOf<T, O>>());
            let out = Arc::new(Memory::allocate(lane.queue().context(), bytes)?);
            let input = x.input()?;
            let scanned = lane.enqueue_scan(op, self, scan, (input.region(), input.len()), out.whole());
            // First the wait, then the report.
            let waited = lane.queue().wait().map_err(Error::from);
            scanned.and(waited)?;
            Ok(DeviceArray::of(self, out, x.len()))
        })
    }

    /// Scans elements in host memory on the device, which has to have room for all of them and their outputs: see
    /// [`scan`](Self::scan).
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn scan_host<T: Element, O: ScanKernel<T> + Default>(
        &self,
        x: &[T],
        scan: Scan<O::Acc>,
    ) -> Result<Vec<StoredOf<T, O>>, Error> {
        self.scan::<T, O>(&self.upload(x)?.as_slice(), scan)?.download()
    }

    /// Loads the kernel that scans now: see [`prepare`](Self::prepare).
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_scan<T: Element, O: ScanKernel<T>>(&self) -> Result<(), Error> {
        self.kernels().prepare(O::SCAN.untyped())
    }
}

impl Stream {
    /// Enqueues a scan of `x` to `out`, which has as many places, and returns without waiting for it: [`Cuda::scan`]. A graph
    /// replays it.
    ///
    /// # Errors
    /// [`Error::Outputs`] if `out` has not as many; [`Error::NoInitialValue`] as of [`Cuda::scan`]; [`Error::OtherDevice`] if one of them is on another device;
    /// [`Error::OutOfMemory`], [`Error::PtxTooNew`] and [`Error::Kernel`] from the first call of each operator,
    /// [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Scan, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let x = cuda.upload(&[1.0f32, 3.0, 2.0, 6.0])?;
    /// let mut sums = cuda.values::<f32>(4)?;
    /// stream.scan_into::<f32, Sum>(&x.as_slice(), &mut sums, Scan::exclusive())?;
    /// stream.scan_in_place::<f32, Sum>(&mut sums, Scan::inclusive())?;
    /// assert_eq!(sums.get()?, [0.0, 1.0, 5.0, 11.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scan_into<T: Element, O: ScanKernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
        out: &mut DeviceValues<StoredOf<T, O>>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        self.scan_into_by(O::default(), x, out, scan)
    }

    /// [`scan_into`](Self::scan_into) with an operator that is a value.
    ///
    /// # Errors
    /// As [`scan_into`](Self::scan_into).
    pub fn scan_into_by<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        out: &mut DeviceValues<StoredOf<T, O>>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        let input = x.input()?;
        self.scan_region(op, (input.region(), x.len()), out, scan)
    }

    /// Enqueues a scan of values that a stream made, each output to its element's place, and returns without waiting for it.
    /// Values that were not made yet are zeros.
    ///
    /// # Errors
    /// As [`scan_into`](Self::scan_into).
    pub fn scan_in_place<T: Element + Accumulator, O: ScanKernel<T> + Default>(
        &self,
        values: &mut DeviceValues<T>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error>
    where
        O::Out: Storable<Stored = T>,
    {
        self.scan_in_place_by(O::default(), values, scan)
    }

    /// [`scan_in_place`](Self::scan_in_place) with an operator that is a value.
    ///
    /// # Errors
    /// As [`scan_into`](Self::scan_into).
    pub fn scan_in_place_by<T: Element + Accumulator, O: ScanKernel<T>>(
        &self,
        op: O,
        values: &mut DeviceValues<T>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error>
    where
        O::Out: Storable<Stored = T>,
    {
        let (cell, len) = (values.cell().clone(), values.len());
        self.scan_region(op, (cell.region(), len), values, scan)
    }

    fn scan_region<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        (input, len): (Region<'_>, usize),
        out: &DeviceValues<StoredOf<T, O>>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        check_outputs(len, out.len())?;
        let to = out.cell();
        self.write(to, Lens::WRITTEN, || {
            self.lane().enqueue_scan(op, self.cuda(), scan, (input, len as u64), to.region())
        })
    }
}

impl Lane {
    /// Enqueues the launch that scans so many elements: none for none.
    fn enqueue_scan<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        scan: Scan<O::Acc>,
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
