//! Segments of any lengths on a device.

use std::sync::Arc;

use super::lane::Lane;
use super::launch::{Given, Input, Offsets, Region, SEGMENTS_LIST, SegmentsRoom, SegmentsWork};
use super::lens::{Checked, Lens};
use super::scalar::Cell;
use super::{Cuda, DeviceResults, DeviceSlice, Stream, results};
use crate::error::{Error, check_lengths};
use crate::index_type::{IndexType, longest_segment};
use crate::{Element, RowsKernel};

impl Cuda {
    /// Reduces segments of any lengths, and waits for the results: segment `s` is `x[offsets[s]..offsets[s + 1]]`, so there is
    /// one segment less than offsets. Elements before the first offset and after the last are left out. Each result has the
    /// bits of [`reduce`](Self::reduce) of that segment alone; an index counts from the segment's first element.
    ///
    /// The offsets are checked once, on the device. Lengths may be mixed as they like: long segments are folded a tile at a
    /// time, by as many warps as there are.
    ///
    /// # Errors
    /// [`Error::Offset`] if an offset is less than the one before it, negative, or more than the number of elements;
    /// [`Error::OtherDevice`]; and those of [`reduce`](Self::reduce).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (x, offsets) = (cuda.upload(&[1, 2, 3, 4, 5])?, cuda.upload(&[0u32, 3, 3, 5])?);
    /// assert_eq!(cuda.reduce_segments::<i32, Sum, u32>(&x.as_slice(), &offsets.as_slice())?, [6, 0, 9]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_segments<T: Element, O: RowsKernel<T> + Default, I: IndexType>(
        &self,
        x: &DeviceSlice<'_, T>,
        offsets: &DeviceSlice<'_, I>,
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_segments_by(O::default(), x, offsets)
    }

    /// [`reduce_segments`](Self::reduce_segments) with an operator that is a value.
    ///
    /// # Errors
    /// As [`reduce_segments`](Self::reduce_segments).
    pub fn reduce_segments_by<T: Element, O: RowsKernel<T>, I: IndexType>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        offsets: &DeviceSlice<'_, I>,
    ) -> Result<Vec<O::Out>, Error> {
        if offsets.len() < 2 {
            return longest_segment(&offsets.download()?, x.len()).map(|_| Vec::new());
        }
        let count = offsets.len() - 1;
        self.lease(|lane| {
            let cell = Cell::new::<O::Acc>(lane, count)?;
            let (input, offsets) = (x.input()?, offsets.input()?);
            let checked = lane.checked::<T, O, I>(input.len(), offsets, &cell)?;
            let enqueue = || lane.enqueue_segments(op, self, input, offsets, &checked, &cell);
            cell.write(lane.queue().handle(), Lens::Between(checked.clone()), enqueue)?;
            cell.results::<T, O>(self, count)
        })
    }

    /// Reduces each `len` elements of `x`, and at its end what is left, and waits for the results: those of the chunks of
    /// [`slice::chunks`], each with the bits of [`reduce`](Self::reduce) of that chunk alone.
    ///
    /// # Errors
    /// [`Error::ChunkLength`] if `len` is 0, and those of [`reduce`](Self::reduce).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1, 2, 3, 4, 5])?;
    /// assert_eq!(cuda.reduce_chunks::<i32, Sum>(&x.as_slice(), 2)?, [3, 7, 5]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_chunks<T: Element, O: RowsKernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
        len: usize,
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_chunks_by(O::default(), x, len)
    }

    /// Loads the kernels over segments now, and the one that [finishes](Stream::finish_into) their results: see
    /// [`prepare`](Self::prepare).
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_segments<T: Element, O: RowsKernel<T>>(&self) -> Result<(), Error> {
        [SEGMENTS_LIST.untyped(), O::SEGMENTS.untyped(), O::SEGMENTS_JOIN.untyped(), O::FINISH.untyped()]
            .into_iter()
            .try_for_each(|entry| self.kernels().prepare(entry))
    }

    /// [`reduce_chunks`](Self::reduce_chunks) with an operator that is a value.
    ///
    /// # Errors
    /// As [`reduce_chunks`](Self::reduce_chunks).
    pub fn reduce_chunks_by<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        len: usize,
    ) -> Result<Vec<O::Out>, Error> {
        if len == 0 {
            return Err(Error::ChunkLength);
        }
        let (count, whole) = (x.len() / len, x.len() - x.len() % len);
        let mut results = self.reduce_rows_by(op, &x.slice(..whole)?, [count, len])?;
        if whole < x.len() {
            results.push(self.reduce_by(op, &x.slice(whole..)?)?);
        }
        Ok(results)
    }
}

impl Stream {
    /// Enqueues a reduction of segments whose results go to `out`, which has as many, and returns without waiting for them:
    /// [`Cuda::reduce_segments`] as [`reduce_into`](Self::reduce_into) does it. The offsets are looked at when the work comes
    /// to them.
    ///
    /// Results that are written again for no more segments and elements need no new memory.
    ///
    /// # Errors
    /// [`Error::Lengths`] if there are not as many segments as results; and those of [`reduce_into`](Self::reduce_into). That
    /// offsets are wrong is told by [`DeviceResults::get`].
    pub fn reduce_segments_into<T: Element, O: RowsKernel<T> + Default, I: IndexType>(
        &self,
        x: &DeviceSlice<'_, T>,
        offsets: &DeviceSlice<'_, I>,
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        self.reduce_segments_into_by(O::default(), x, offsets, out)
    }

    /// [`reduce_segments_into`](Self::reduce_segments_into) with an operator that is a value.
    ///
    /// # Errors
    /// As [`reduce_segments_into`](Self::reduce_segments_into).
    pub fn reduce_segments_into_by<T: Element, O: RowsKernel<T>, I: IndexType>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        offsets: &DeviceSlice<'_, I>,
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        // Before any lock, which a forked child would wait for in vain.
        self.cuda().context().usable()?;
        check_lengths(offsets.len().saturating_sub(1), out.len())?;
        if offsets.len() < 2 {
            return Ok(());
        }
        let (input, offsets, cell) = (x.input()?, offsets.input()?, out.cell());
        let checked = self.lane().checked::<T, O, I>(input.len(), offsets, cell)?;
        let enqueue = || self.lane().enqueue_segments(op, self.cuda(), input, offsets, &checked, cell);
        self.write(cell, Lens::Between(checked.clone()), enqueue)
    }
}

impl Lane {
    /// Room for the launches over the segments between `offsets` into `len` elements.
    fn checked<T: Element, O: RowsKernel<T>, I: IndexType>(
        &self,
        len: u64,
        offsets: Input<'_, I>,
        cell: &Cell,
    ) -> Result<Arc<Checked>, Error> {
        let room = SegmentsRoom::new::<T, O>(offsets.len(), len);
        Ok(Arc::new(Checked::new(cell.room(self, room.bytes())?, room, Given::new(offsets), len)))
    }

    /// Enqueues the launches that fold the segments to `cell`.
    fn enqueue_segments<T: Element, O: RowsKernel<T>, I: IndexType>(
        &self,
        op: O,
        cuda: &Cuda,
        input: Input<'_, T>,
        offsets: Input<'_, I>,
        checked: &Checked,
        cell: &Cell,
    ) -> Result<(), Error> {
        self.enqueue_fold_segments(op, cuda, input, Offsets::new(offsets), checked.work()?, cell.region())
    }

    /// Enqueues the launches that fold segments to `out`.
    pub(super) fn enqueue_fold_segments<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        input: Input<'_, T>,
        offsets: Offsets<'_>,
        work: SegmentsWork<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        queue.fold_segments(op, (cuda.kernels(), cuda.multiprocessors()), input, offsets, work, out)
    }

    /// Folds `count` segments, at least one, between the first of `offsets`, which earlier launches wrote as u64 that ascend
    /// within `input`, and waits for the results.
    pub(super) fn fold_segments<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        input: Input<'_, T>,
        offsets: Region<'_>,
        count: usize,
    ) -> Result<Vec<O::Out>, Error> {
        let of_offsets = count.saturating_add(1);
        let room = SegmentsRoom::new::<T, O>(of_offsets as u64, input.len());
        // The accumulators behind it.
        let bytes = count.saturating_mul(size_of::<O::Acc>());
        let memory = self.room(room.bytes().saturating_add(bytes))?;
        let out = memory.region(room.bytes(), bytes)?;
        let given = Offsets::on_device(offsets, of_offsets as u64);
        self.enqueue_fold_segments(op, cuda, input, given, room.within(memory.whole())?, out)?;
        results::read::<T, O>(self.queue(), out, count, (0, Some(offsets)))
    }
}
