//! Scans of segments on a device.

use std::sync::Arc;

use gpu_kernels::Storable;

use super::lane::Lane;
use super::launch::{Given, Input, Memory, Offsets, Region, SCAN_SEGMENTS_LIST, ScanSegmentsRoom};
use super::lens::{Lens, Offered};
use super::{Cuda, DeviceArray, DeviceSlice, DeviceValues, Stream};
use crate::error::{Error, check_outputs};
use crate::index_type::{IndexType, longest_segment};
use crate::scan::Scan;
use crate::{Accumulator, Element, ScanKernel, StoredOf};

impl Cuda {
    /// Scans segments of any lengths, waits, and gives the outputs as an array on the device: segment `s` is
    /// `x[offsets[s]..offsets[s + 1]]`, and its outputs, which stand where its elements do, have the bits of
    /// [`scan`](Self::scan) of that segment alone; the initial value is before each, and an index counts from the segment's
    /// first element. In the places before the first offset and after the last are zeros.
    ///
    /// The offsets are checked once, on the device. Lengths may be mixed as they like: long segments are scanned a tile at a
    /// time, by as many blocks as there are, and short ones side by side.
    ///
    /// # Errors
    /// [`Error::Offset`] if an offset is less than the one before it, negative, or more than the number of elements;
    /// [`Error::OtherDevice`]; and those of [`scan`](Self::scan).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Scan, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (x, offsets) = (cuda.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?, cuda.upload(&[0u32, 3, 3, 5])?);
    /// let sums = cuda.scan_segments::<f32, Sum, u32>(&x.as_slice(), &offsets.as_slice(), Scan::inclusive())?;
    /// assert_eq!(sums.download()?, [1.0, 3.0, 6.0, 4.0, 9.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scan_segments<T: Element, O: ScanKernel<T> + Default, I: IndexType>(
        &self,
        x: &DeviceSlice<'_, T>,
        offsets: &DeviceSlice<'_, I>,
        scan: Scan<O::Acc>,
    ) -> Result<DeviceArray<StoredOf<T, O>>, Error> {
        self.scan_segments_by(O::default(), x, offsets, scan)
    }

    /// [`scan_segments`](Self::scan_segments) with an operator that is a value.
    ///
    /// # Errors
    /// As [`scan_segments`](Self::scan_segments).
    pub fn scan_segments_by<T: Element, O: ScanKernel<T>, I: IndexType>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        offsets: &DeviceSlice<'_, I>,
        scan: Scan<O::Acc>,
    ) -> Result<DeviceArray<StoredOf<T, O>>, Error> {
        let bytes = x.len().saturating_mul(size_of::<StoredOf<T, O>>());
        if offsets.len() < 2 {
            let _longest = longest_segment(&offsets.download()?, x.len())?;
            return self.lease(|lane| {
                let zeros = Memory::zeroed(lane.queue(), bytes)?;
                lane.queue().wait()?;
                Ok(DeviceArray::of(self, zeros, x.len()))
            });
        }
        self.lease(|lane| {
            let out = Arc::new(Memory::allocate(lane.queue().context(), bytes)?);
            let (input, offsets) = (x.input()?, offsets.input()?);
            let room = ScanSegmentsRoom::new::<T, O>(offsets.len(), input.len());
            let work = lane.room(room.bytes())?;
            let offered = Offered::new(work, room, Given::new(offsets), input.len());
            let scanned = lane.enqueue_scan_segments(
                op,
                self,
                scan,
                (input.region(), input.len()),
                offsets,
                &offered,
                (out.whole(), true),
            );
            // First the wait, then the report.
            let waited = lane.queue().wait().map_err(Error::from);
            scanned.and(waited)?;
            offered.check(lane)?;
            Ok(DeviceArray::of(self, out, x.len()))
        })
    }

    /// Loads the kernels that scan segments now: see [`prepare`](Self::prepare).
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_scan_segments<T: Element, O: ScanKernel<T>>(&self) -> Result<(), Error> {
        [SCAN_SEGMENTS_LIST.untyped(), O::SCAN_SEGMENTS.untyped(), O::SCAN_SHORT_SEGMENTS.untyped()]
            .into_iter()
            .try_for_each(|entry| self.kernels().prepare(entry))
    }
}

impl Stream {
    /// Enqueues a scan of the segments of `x` to `out`, which has as many places as `x`, and returns without waiting for it:
    /// [`Cuda::scan_segments`], but that the places before the first offset and after the last keep what they have. The
    /// offsets are looked at when the work comes to them. A graph replays it.
    ///
    /// Values that are written again for no more segments and elements need no new memory. Fewer than two offsets are of no
    /// segment: they are not looked at.
    ///
    /// # Errors
    /// [`Error::Outputs`] if `out` has not as many places; and those of [`scan_into`](Self::scan_into). That offsets are wrong,
    /// and so nothing was scanned, is told by [`DeviceValues::get`], unless something else was written there since. After an
    /// error of the driver, which may come between two launches, what `out` holds is not defined.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Scan, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let (x, offsets) = (cuda.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?, cuda.upload(&[1i64, 3, 5])?);
    /// let mut sums = cuda.values::<f32>(5)?;
    /// stream.scan_segments_into::<f32, Sum, i64>(
    ///     &x.as_slice(), &offsets.as_slice(), &mut sums, Scan::inclusive())?;
    /// assert_eq!(sums.get()?, [0.0, 2.0, 5.0, 4.0, 9.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scan_segments_into<T: Element, O: ScanKernel<T> + Default, I: IndexType>(
        &self,
        x: &DeviceSlice<'_, T>,
        offsets: &DeviceSlice<'_, I>,
        out: &mut DeviceValues<StoredOf<T, O>>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        self.scan_segments_into_by(O::default(), x, offsets, out, scan)
    }

    /// [`scan_segments_into`](Self::scan_segments_into) with an operator that is a value.
    ///
    /// # Errors
    /// As [`scan_segments_into`](Self::scan_segments_into).
    pub fn scan_segments_into_by<T: Element, O: ScanKernel<T>, I: IndexType>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        offsets: &DeviceSlice<'_, I>,
        out: &mut DeviceValues<StoredOf<T, O>>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        let input = x.input()?;
        self.scan_segments_region(op, (input.region(), x.len()), offsets, out, scan)
    }

    /// Enqueues a scan of the segments of values that a stream made, each output to its element's place, and returns without
    /// waiting for it: [`scan_segments_into`](Self::scan_segments_into). Values that were not made yet are zeros.
    ///
    /// # Errors
    /// As [`scan_segments_into`](Self::scan_segments_into).
    pub fn scan_segments_in_place<T: Element + Accumulator, O: ScanKernel<T> + Default, I: IndexType>(
        &self,
        values: &mut DeviceValues<T>,
        offsets: &DeviceSlice<'_, I>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error>
    where
        O::Out: Storable<Stored = T>,
    {
        self.scan_segments_in_place_by(O::default(), values, offsets, scan)
    }

    /// [`scan_segments_in_place`](Self::scan_segments_in_place) with an operator that is a value.
    ///
    /// # Errors
    /// As [`scan_segments_into`](Self::scan_segments_into).
    pub fn scan_segments_in_place_by<T: Element + Accumulator, O: ScanKernel<T>, I: IndexType>(
        &self,
        op: O,
        values: &mut DeviceValues<T>,
        offsets: &DeviceSlice<'_, I>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error>
    where
        O::Out: Storable<Stored = T>,
    {
        let (cell, len) = (values.cell().clone(), values.len());
        self.scan_segments_region(op, (cell.region(), len), offsets, values, scan)
    }

    fn scan_segments_region<T: Element, O: ScanKernel<T>, I: IndexType>(
        &self,
        op: O,
        (input, len): (Region<'_>, usize),
        offsets: &DeviceSlice<'_, I>,
        out: &DeviceValues<StoredOf<T, O>>,
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        // Before any lock, which a forked child would wait for in vain.
        self.cuda().context().usable()?;
        check_outputs(len, out.len())?;
        if offsets.len() < 2 {
            return Ok(());
        }
        let (len, offsets, to) = (len as u64, offsets.input()?, out.cell());
        let room = ScanSegmentsRoom::new::<T, O>(offsets.len(), len);
        let work = to.room(self.lane(), room.bytes())?;
        let offered = Arc::new(Offered::new(work, room, Given::new(offsets), len));
        let enqueue = || {
            let to = (to.region(), false);
            self.lane().enqueue_scan_segments(op, self.cuda(), scan, (input, len), offsets, &offered, to)
        };
        self.write(to, Lens::Scanned(offered.clone()), enqueue)
    }
}

impl Lane {
    /// Enqueues the launches that scan the segments between `offsets` in so many elements.
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
