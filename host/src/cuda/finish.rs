//! Results computed on the device from the accumulators that reductions leave there.

use std::sync::Arc;

use gpu_kernels::{Accumulator, Element, StoredOf, tree};

use crate::cuda::array::cell::Cell;
use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Memory, Region};
use crate::cuda::{Cuda, DeviceArray, DeviceResults, DeviceValues, Stream};
use crate::error::{Error, check_results};
use crate::kernel::RowsKernel;
use crate::verb::{Backend, Reduce, WriteTo};

impl Cuda {
    /// Allocates `count` values for [`Stream::finish_into`]. They are zeros until it has written them.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// assert_eq!(cuda.values::<f32>(2)?.to_vec()?, [0.0, 0.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn values<V: Accumulator>(&self, count: usize) -> Result<DeviceValues<V>, Error> {
        self.lease(|executor| DeviceValues::new(self, executor, count))
    }
}

impl<T: Element, O: RowsKernel<T>> DeviceResults<T, O> {
    /// Waits for the stream that writes the accumulators, and computes the results on the device, with the bits of
    /// [`to_vec`](Self::to_vec). Returns them as an array, for later reductions and other libraries.
    /// [`stored`](crate::stored) defines the values, including the one for a missing result.
    ///
    /// # Errors
    /// As [`to_vec`](Self::to_vec), [`Error::OutOfMemory`], and [`Error::PtxTooNew`] and [`Error::Kernel`] from the
    /// first call of each operator.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Max, Mean, rows};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 9.0])?;
    /// let mut results = cuda.results::<f32, Mean>(2)?;
    /// stream.reduce_into(Mean, rows(&x, [2, 3]), &mut results)?;
    /// let means = results.finished()?;
    /// assert_eq!(cuda.reduce(Max, &means)?, Some(6.0));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn finished(&self) -> Result<DeviceArray<StoredOf<T, O>>, Error> {
        let (cuda, cell, count) = (self.cuda(), self.cell(), self.len());
        cell.settled(cuda, |lens| {
            cuda.lease(|executor| {
                lens.check(executor.queue())?;
                let bytes = count.saturating_mul(size_of::<StoredOf<T, O>>());
                let memory = Memory::zeroed(executor.queue(), bytes)?;
                executor.enqueue_finish::<T, O>(cuda, (cell.region(), memory.whole()), count as u64, lens)?;
                executor.queue().wait()?;
                Ok(DeviceArray::of(cuda, memory, count))
            })
        })
    }
}

impl Stream {
    /// Enqueues a reduction of each part of `input`, as `reduce_into` does, and the kernel of [`finish_into`](Self::finish_into), to `out`. Their
    /// accumulators are in memory that all such calls of the stream share. Of segments it waits, to report wrong offsets.
    ///
    /// # Errors
    /// As both; [`Error::Offset`] of segments, unless a graph is recorded; [`Error::OutOfMemory`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Mean, rows};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 9.0])?);
    /// let mut means = cuda.values::<f32>(2)?;
    /// stream.reduce_finished_into(Mean, rows(&x, [2, 3]), &mut means)?;
    /// assert_eq!(means.to_vec()?, [2.0, 6.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_finished_into<T, O, I>(
        &self,
        op: O,
        input: I,
        out: &mut DeviceValues<StoredOf<T, O>>,
    ) -> Result<(), Error>
    where
        T: Element,
        O: RowsKernel<T>,
        Self: for<'a> Backend<WriteTo<Reduce<O, I>, &'a mut DeviceResults<T, O>>>,
    {
        let memory = self.executor().accumulators(out.len().saturating_mul(size_of::<O::Acc>()))?;
        let mut accs = DeviceResults::of(self.cuda(), Cell::of(memory), out.len());
        self.run(WriteTo { request: Reduce { op, input }, out: &mut accs })?;
        // Nobody could ask these accumulators later.
        if !self.queue().is_recording() && accs.cell().is_of_segments() {
            accs.check()?;
        }
        self.finish_into(&accs, out)
    }

    /// Enqueues a kernel that computes the results of `results` into `out`, which has the same length, and returns
    /// without waiting for it. The results have the bits of [`DeviceResults::to_vec`]. [`stored`](crate::stored)
    /// defines the values, including the one for a missing result. A `&DeviceScalar` counts as one result.
    ///
    /// A graph replays the kernel after the reductions that it finishes. If the offsets of segments were wrong, the
    /// values mean nothing, and [`DeviceResults::to_vec`] reports the error.
    ///
    /// # Errors
    /// [`Error::Results`] if `out` has another length; [`Error::OtherDevice`] if either is on another device;
    /// [`Error::Capturing`] if a graph is being recorded that does not reduce to `results`; [`Error::PtxTooNew`] and
    /// [`Error::Kernel`] from the first call of each operator, [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Mean, rows};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 9.0])?;
    /// let (mut results, mut means) = (cuda.results::<f32, Mean>(2)?, cuda.values::<f32>(2)?);
    /// cuda.prepare(Mean, rows(&x, [2, 3]))?;
    /// let mut graph = stream.capture(|stream| {
    ///     stream.reduce_into(Mean, rows(&x, [2, 3]), &mut results)?;
    ///     stream.finish_into(&results, &mut means)
    /// })?;
    /// graph.launch(&stream)?;
    /// assert_eq!(means.to_vec()?, [2.0, 6.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn finish_into<T: Element, O: RowsKernel<T>>(
        &self,
        results: &DeviceResults<T, O>,
        out: &mut DeviceValues<StoredOf<T, O>>,
    ) -> Result<(), Error> {
        // Checked before any lock is taken, because a forked child could wait for the lock for ever.
        self.cuda().context().usable()?;
        let (from, count) = (results.cell(), results.len());
        check_results(count, out.len())?;
        let (to, handle) = (out.cell(), self.queue().handle());
        let written = Lens::WRITTEN;
        let enqueue = |lens: &Lens| {
            let regions = (from.region(), to.region());
            self.executor().enqueue_finish::<T, O>(self.cuda(), regions, count as u64, lens)
        };
        let write = |lens: &Lens| self.write(to, written, || enqueue(lens));
        if self.queue().is_recording() {
            let during = "making results of what was reduced outside the graph";
            return write(&self.has_written(from).ok_or(Error::Capturing { during })?);
        }
        // Locks are taken in the order that graphs use, so that threads cannot deadlock.
        if Arc::as_ptr(from) < Arc::as_ptr(to) {
            from.lend(handle, write)
        } else {
            self.write(to, written, || from.lend(handle, enqueue))
        }
    }
}

impl Executor {
    /// Enqueues the launch that finishes `count` accumulators with the element counts `lens`. Does nothing if `count`
    /// is 0.
    pub(crate) fn enqueue_finish<T: Element, O: RowsKernel<T>>(
        &self,
        cuda: &Cuda,
        (from, to): (Region<'_>, Region<'_>),
        count: u64,
        lens: &Lens,
    ) -> Result<(), Error> {
        if count == 0 {
            return Ok(());
        }
        let queue = self.queue();
        queue.context().usable()?;
        queue.make_room()?;
        // As many blocks as the device holds at once. [Not measured yet: 2^24 means of f32, for which a copy of their
        // bytes is the bound.]
        let resident =
            u64::from(cuda.kernels().resident(O::ROWS.finish.untyped())?) * u64::from(cuda.multiprocessors());
        let blocks = count.div_ceil(tree::THREADS as u64).min(resident.max(1)) as u32;
        let (len, offsets) = lens.for_launch()?;
        let Some(last) = lens.last() else {
            return queue.finish::<T, O>(cuda.kernels(), blocks, (from, offsets), (count, len), to);
        };
        let (acc, stored) = (size_of::<O::Acc>(), size_of::<StoredOf<T, O>>());
        let part =
            |first, count| Ok::<_, Error>((from.part(first, count, acc)?, to.part(first, count, stored)?));
        if count > 1 {
            let (from, to) = part(0, count - 1)?;
            queue.finish::<T, O>(cuda.kernels(), blocks, (from, None), (count - 1, len), to)?;
        }
        let (from, to) = part(count - 1, 1)?;
        queue.finish::<T, O>(cuda.kernels(), 1, (from, None), (1, last), to)
    }
}
