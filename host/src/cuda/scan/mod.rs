//! Scans on a device.

pub(in crate::cuda) mod segments;

use std::sync::Arc;

use gpu_kernels::Storable;
use gpu_kernels::scan::shapes::state_words;

use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Memory, Region};
use crate::cuda::{Cuda, DeviceArray, DeviceElements as _, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::scan::Scan;
use crate::{Accumulator, AsElements, Element, ScanKernel, StoredOf};

/// An input that operator `O` can scan on a device: `&x` of a [`DeviceArray`] or a
/// [`DeviceSlice`](crate::cuda::DeviceSlice), or [`segments(&x, &offsets)`](crate::segments()) of one, which scans each
/// segment on its own. A [`Cuda`] takes `&x` in host memory too, and returns the outputs there. The device must have
/// room for all elements and outputs.
///
/// The device checks offsets when it comes to the work. Lengths may be mixed freely: long segments are scanned tile by
/// tile, by all available blocks, and short ones side by side.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that `{O}` can scan on a device",
    label = "neither `&x` of an array nor `segments(&x, &offsets)`",
    note = "an operator without kernels for these elements scans on the CPU: `Cpu::new().scan(op, &x, Scan::inclusive())`"
)]
pub trait DeviceScanInput<O>: Sized {
    /// The type of an initial value.
    type Acc;
    /// The outputs of [`Cuda::scan`].
    type Outs;

    /// Scans, and waits.
    #[doc(hidden)]
    fn scan_on(self, cuda: &Cuda, op: O, scan: Scan<Self::Acc>) -> Result<Self::Outs, Error>;
}

/// An input that a [`Stream`] can scan: a [`DeviceScanInput`] in device memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that `{O}` can scan on a stream",
    label = "neither `&x` of an array in device memory nor `segments(&x, &offsets)`"
)]
pub trait StreamScanInput<O>: DeviceScanInput<O> {
    /// The type of an output.
    type Out: Accumulator;

    /// Enqueues a scan to `out`.
    #[doc(hidden)]
    fn scan_into(
        self,
        stream: &Stream,
        op: O,
        out: &mut DeviceValues<Self::Out>,
        scan: Scan<Self::Acc>,
    ) -> Result<(), Error>;
}

/// An input that operator `O` can scan in place on a device: `&mut values` of [`DeviceValues`], or [`segments(&mut
/// values, &offsets)`](crate::segments()). Each output replaces its element.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that `{O}` can scan in place on a device",
    label = "neither `&mut values` nor `segments(&mut values, &offsets)`",
    note = "outputs replace the elements only if both have one type"
)]
pub trait DeviceScanInPlace<O>: Sized {
    /// The type of an initial value.
    type Acc;

    /// Enqueues a scan.
    #[doc(hidden)]
    fn scan_in_place(self, stream: &Stream, op: O, scan: Scan<Self::Acc>) -> Result<(), Error>;
}

impl Cuda {
    /// Scans `input` with `op` and waits. Returns the outputs as an array on the device, with the bits of
    /// [`Cpu::scan`](crate::Cpu::scan), in the form that [`stored`](crate::stored) defines. Each element is read once,
    /// and each output written once. Outputs before the first offset of segments and after the last are zeros.
    ///
    /// # Errors
    /// [`Error::NoInitialValue`] if the scan is exclusive and the operator has no result for empty input
    /// ([`Scan::exclusive`]); [`Error::Offset`] if an offset is less than the one before it, negative, or more than the
    /// number of elements; [`Error::Missing`] if an element of an array in host memory is missing;
    /// [`Error::OutOfMemory`]; [`Error::OtherDevice`] if the elements are on another device; [`Error::PtxTooNew`] and [`Error::Kernel`] from the first call of each operator, [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Scan, Sum, segments};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (x, offsets) = (cuda.upload(&[1.0f32, 3.0, 2.0, 6.0])?, cuda.upload(&[0u32, 2, 4])?);
    /// assert_eq!(cuda.scan(Sum, &x, Scan::inclusive())?.to_vec()?, [1.0, 4.0, 6.0, 12.0]);
    /// assert_eq!(cuda.scan(Sum, segments(&x, &offsets), Scan::inclusive())?.to_vec()?, [1.0, 4.0, 2.0, 8.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scan<O, I: DeviceScanInput<O>>(
        &self,
        op: O,
        input: I,
        scan: Scan<I::Acc>,
    ) -> Result<I::Outs, Error> {
        input.scan_on(self, op, scan)
    }

    fn scan_slice<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        scan: Scan<O::Acc>,
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
    /// Enqueues a scan of `input` to `out`, which has the same length, and returns without waiting for it. Otherwise
    /// like [`Cuda::scan`], except that outputs outside all segments are left as they are. A graph replays the scan.
    /// Writing values again needs no new memory if there are no more segments and elements than before. Fewer than two
    /// offsets describe no segment, and are not checked.
    ///
    /// # Errors
    /// [`Error::Results`] if `out` has another length; [`Error::NoInitialValue`] as for [`Cuda::scan`];
    /// [`Error::OtherDevice`] if any of the memory is on another device; [`Error::OutOfMemory`], [`Error::PtxTooNew`]
    /// and [`Error::Kernel`] from the first call of each operator, [`Error::Driver`]. If offsets are wrong, nothing is
    /// scanned, and [`DeviceValues::to_vec`] reports the error unless something else was written to `out` since. After
    /// an error of the driver, which may come between two launches, the contents of `out` are not defined.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Scan, Sum, segments};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let (x, offsets) = (cuda.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?, cuda.upload(&[1i64, 3, 5])?);
    /// let mut sums = cuda.values::<f32>(5)?;
    /// stream.scan_into(Sum, segments(&x, &offsets), &mut sums, Scan::inclusive())?;
    /// stream.scan_in_place(Sum, &mut sums, Scan::exclusive())?;
    /// assert_eq!(sums.to_vec()?, [0.0, 0.0, 2.0, 7.0, 11.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scan_into<O, I: StreamScanInput<O>>(
        &self,
        op: O,
        input: I,
        out: &mut DeviceValues<I::Out>,
        scan: Scan<I::Acc>,
    ) -> Result<(), Error> {
        input.scan_into(self, op, out, scan)
    }

    /// Enqueues a scan of values that a stream wrote, and returns without waiting for it. Each output replaces its
    /// element. Otherwise like [`scan_into`](Self::scan_into). Values that were not written yet are zeros.
    ///
    /// # Errors
    /// As [`scan_into`](Self::scan_into).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Scan, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let mut values = cuda.values::<f32>(3)?;
    /// stream.scan_in_place(Sum, &mut values, Scan::inclusive())?;
    /// assert_eq!(values.to_vec()?, [0.0; 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scan_in_place<O, I: DeviceScanInPlace<O>>(
        &self,
        op: O,
        values: I,
        scan: Scan<I::Acc>,
    ) -> Result<(), Error> {
        values.scan_in_place(self, op, scan)
    }

    fn scan_region<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        (input, len): (Region<'_>, usize),
        out: &DeviceValues<StoredOf<T, O>>,
        scan: Scan<O::Acc>,
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
        impl<T: Element, O: ScanKernel<T>> DeviceScanInput<O> for $flat {
            type Acc = O::Acc;
            type Outs = DeviceArray<StoredOf<T, O>>;

            fn scan_on(self, cuda: &Cuda, op: O, scan: Scan<O::Acc>) -> Result<Self::Outs, Error> {
                cuda.scan_slice(op, &self.device_slice(), scan)
            }
        }

        impl<T: Element, O: ScanKernel<T>> StreamScanInput<O> for $flat {
            type Out = StoredOf<T, O>;

            fn scan_into(
                self,
                stream: &Stream,
                op: O,
                out: &mut DeviceValues<Self::Out>,
                scan: Scan<O::Acc>,
            ) -> Result<(), Error> {
                let x = self.device_slice();
                let input = x.input()?;
                stream.scan_region::<T, O>(op, (input.region(), x.len()), out, scan)
            }
        }
    )* };
}
flat!(&DeviceArray<T>, DeviceSlice<'_, T>, &DeviceSlice<'_, T>);

impl<X: AsElements + ?Sized, O: ScanKernel<X::Element>> DeviceScanInput<O> for &X {
    type Acc = O::Acc;
    type Outs = Vec<StoredOf<X::Element, O>>;

    fn scan_on(self, cuda: &Cuda, op: O, scan: Scan<O::Acc>) -> Result<Self::Outs, Error> {
        let x = self.try_elements()?;
        let x = cuda
            .upload(x.whole("a GPU scans whole arrays: scan this one by Cpu, or replace what is missing")?)?;
        cuda.scan_slice(op, &x.as_slice(), scan)?.to_vec()
    }
}

impl<T: Element + Accumulator, O: ScanKernel<T>> DeviceScanInPlace<O> for &mut DeviceValues<T>
where
    O::Out: Storable<Stored = T>,
{
    type Acc = O::Acc;

    fn scan_in_place(self, stream: &Stream, op: O, scan: Scan<O::Acc>) -> Result<(), Error> {
        let (cell, len) = (self.cell().clone(), self.len());
        stream.scan_region::<T, O>(op, (cell.region(), len), self, scan)
    }
}

impl Executor {
    /// Enqueues the launch that scans `len` elements. Does nothing for empty input.
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
