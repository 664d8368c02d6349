//! Streams: work on a device in order, with and without waiting for results.

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::Arc;

use gpu_kernels::addresses::Readable;
use gpu_kernels::{Element, Op};

use crate::cuda::array::cell::Cell;
use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::graph::Written;
use crate::cuda::launch::Queue;
use crate::cuda::{Cuda, DeviceElements, DeviceScalar, DeviceSlice, Event, Graph, Pending};
use crate::error::Error;
use crate::float_environment;
use crate::kernel::Kernel;
use crate::kernel::family::FoldEntries;
use crate::kernel::fold::FoldKernel;
use crate::plan::Plan;

/// A stream of work on one device, made by [`Cuda::stream`]. Work on one stream runs in order; work on several streams
/// may run side by side.
///
/// A stream may move to another thread, but one thread uses it at a time. Dropping it waits for its work.
///
/// ```no_run
/// use warpfold::{Cuda, Max, Sum};
///
/// let cuda = Cuda::open(0)?;
/// let stream = cuda.stream()?;
/// let x = cuda.upload(&[3u32, 1, 4, 1, 5])?;
/// let (mut sum, mut max) = (cuda.scalar::<u32, Sum>()?, cuda.scalar::<u32, Max>()?);
/// stream.reduce_into(Sum, &x, &mut sum)?;
/// stream.reduce_into(Max, &x, &mut max)?;
/// // Other things to do, while the device reduces.
/// assert_eq!((sum.get()?, max.get()?), (14, Some(5)));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    cuda: Cuda,
    executor: Executor,
    /// The results that the graph being recorded writes.
    written: RefCell<Written>,
}

impl Stream {
    pub(crate) fn new(cuda: Cuda, executor: Executor) -> Self {
        Self { cuda, executor, written: RefCell::default() }
    }

    /// Returns the stream's device.
    #[must_use]
    pub fn cuda(&self) -> &Cuda {
        &self.cuda
    }

    /// Returns the driver's handle (`CUstream`), for other libraries. It is valid as long as the stream.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.queue().handle().as_raw()
    }

    /// Enqueues a reduction of all elements of `x`, and returns a handle to its result at once.
    ///
    /// The array may be dropped at once, and so may the [`Pending`], unread. Any number of them may be under way at a
    /// time, if there is enough memory.
    ///
    /// # Errors
    /// As a [reduction](crate::verb::Reduce). Errors of the device come from the [`Pending`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Max, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?);
    /// let (sum, max) = (stream.reduce_async(Sum, &x)?, stream.reduce_async(Max, &x)?);
    /// assert_eq!((sum.wait()?, max.wait()?), (3.0, Some(2.0)));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_async<X: DeviceElements, O: Kernel<X::Element>>(
        &self,
        op: O,
        x: X,
    ) -> Result<Pending<X::Element, O>, Error> {
        let slice = x.device_slice();
        let kernel = FoldKernel::new(op);
        let plan = self.plan_for(&kernel.entries, &slice, x.plan())?;
        let reply = self.executor.start(&(kernel, slice.input()?), self.cuda.kernels(), &plan)?;
        Ok(Pending::new(reply, slice.len() as u64))
    }

    /// Reduces a slice, by `plan` if there is one, and waits.
    pub(crate) fn reduce_slice<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        plan: Option<Plan>,
    ) -> Result<O::Out, Error> {
        let kernel = FoldKernel::new(op);
        let plan = self.plan_for(&kernel.entries, x, plan)?;
        let acc = self.executor.fold(kernel, self.cuda.kernels(), &plan, x.input()?)?;
        float_environment::finish::<T, O>(acc, x.len() as u64)
    }

    /// Enqueues a reduction of a slice, by `plan` if there is one.
    pub(crate) fn reduce_slice_into<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        plan: Option<Plan>,
        out: &mut DeviceScalar<T, O>,
    ) -> Result<(), Error> {
        let kernel = FoldKernel::new(op);
        let plan = self.plan_for(&kernel.entries, x, plan)?;
        let (len, cell) = (x.len() as u64, out.cell());
        self.write(cell, len, || match len {
            0 => Ok(()),
            _ => self.executor.enqueue(&(kernel, x.input()?), self.cuda.kernels(), &plan, cell.output()),
        })
    }

    /// Waits until all work has ended.
    ///
    /// # Errors
    /// [`Error::Driver`] with what the device reports of the work, and [`Error::Poisoned`] from then on if the device
    /// does not survive that error; [`Error::Capturing`] while a graph is recorded.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?);
    /// let mut sum = cuda.scalar::<f32, Sum>()?;
    /// stream.reduce_into(Sum, &x, &mut sum)?;
    /// stream.synchronize()?;
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn synchronize(&self) -> Result<(), Error> {
        Ok(self.queue().wait()?)
    }

    /// Records the moment when the work enqueued so far has ended.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::Capturing`] while a graph is recorded.
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// let stream = cuda.stream()?;
    /// let start = stream.record()?;
    /// println!("{} ms", start.elapsed_ms(&stream.record()?)?);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn record(&self) -> Result<Event, Error> {
        Event::record(self.queue())
    }

    /// Records the work that `calls` enqueues on this stream to a graph, instead of running it: reductions, scans and
    /// compactions whose results stay on the device, and `World`'s `all_reduce_on` and `reduce_scatter_on`. Sorts and groups
    /// cannot be recorded. The graph has 512 KiB of device memory of its own, and keeps the arrays and results that it uses.
    ///
    /// Load the kernels first, with [`Cuda::prepare`] or by using them.
    ///
    /// # Errors
    /// The errors of `calls`; [`Error::Capturing`] from calls inside it that would wait, including `capture`
    /// itself; [`Error::OutOfMemory`], [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?);
    /// let mut sum = cuda.scalar::<f32, Sum>()?;
    /// cuda.prepare(Sum, &x)?;
    /// let mut graph = stream.capture(|stream| stream.reduce_into(Sum, &x, &mut sum))?;
    /// graph.launch(&stream)?;
    /// assert_eq!(sum.get()?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn capture(&self, calls: impl FnOnce(&Self) -> Result<(), Error>) -> Result<Graph, Error> {
        if self.queue().is_recording() {
            return Err(Error::Capturing { during: "recording a graph" });
        }
        self.written.borrow_mut().clear();
        let graph = self.executor.record(|| calls(self))?;
        Ok(Graph::new(graph, self.written.take()))
    }

    /// Returns the caller's plan, or else this device's.
    fn plan_for<T: Element, O: Op<T>>(
        &self,
        entries: &FoldEntries<Readable<T>, T, O>,
        x: &DeviceSlice<'_, T>,
        plan: Option<Plan>,
    ) -> Result<Plan, Error> {
        plan.map_or_else(|| self.executor.plan(entries, &self.cuda, x.len() as u64), Ok)
    }

    pub(crate) fn queue(&self) -> &Queue {
        self.executor.queue()
    }

    pub(crate) fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Enqueues with `enqueue`, and registers its results of `lens` elements as the contents of `cell`: at once, or at
    /// each launch of the graph if one is being recorded.
    pub(crate) fn write(
        &self,
        cell: &Arc<Cell>,
        lens: impl Into<Lens>,
        enqueue: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        // Checked before any lock is taken, because a forked child could wait for the lock for ever.
        self.cuda.context().usable()?;
        if !self.queue().is_recording() {
            return cell.write(self.queue().handle(), lens, enqueue);
        }
        enqueue()?;
        self.written.borrow_mut().push((cell.clone(), lens.into()));
        Ok(())
    }

    /// [`write`](Self::write) of two cells of values at once.
    pub(crate) fn write_values(
        &self,
        cells: [&Arc<Cell>; 2],
        enqueue: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        // Locks are taken in the order that graphs use, so that threads cannot deadlock.
        let [first, second] = if Arc::as_ptr(cells[0]) < Arc::as_ptr(cells[1]) {
            cells
        } else {
            let [second, first] = cells;
            [first, second]
        };
        let written = Lens::WRITTEN;
        self.write(first, written, || self.write(second, written, enqueue))
    }

    /// Returns the element counts of what the graph being recorded has written to `cell`, or `None` if it has not
    /// written it.
    pub(crate) fn has_written(&self, cell: &Arc<Cell>) -> Option<Lens> {
        let written = self.written.borrow();
        written.iter().rev().find(|(known, _)| Arc::ptr_eq(known, cell)).map(|(_, lens)| lens.clone())
    }
}

impl Graph {
    /// Enqueues the recorded reductions on `stream`. Their results arrive as if each reduction had been enqueued there.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Capturing`] while `stream` records a graph, [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0])?);
    /// let mut sum = cuda.scalar::<f32, Sum>()?;
    /// cuda.prepare(Sum, &x)?;
    /// let mut graph = stream.capture(|stream| stream.reduce_into(Sum, &x, &mut sum))?;
    /// graph.launch(&stream)?;
    /// assert_eq!(sum.get()?, 3.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn launch(&mut self, stream: &Stream) -> Result<(), Error> {
        self.launch_on(stream.queue(), stream.cuda.context())
    }
}
