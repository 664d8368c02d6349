//! Work for a device in order: reductions that wait for their result, and reductions that do not.

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::Arc;

use super::graph::Written;
use super::lane::Lane;
use super::launch::{Input, Queue};
use super::lens::Lens;
use super::scalar::Cell;
use super::{Cuda, DeviceScalar, DeviceSlice, Event, Graph, Pending};
use crate::error::Error;
use crate::float_environment;
use crate::fold::Fold;
use crate::{Element, Kernel, Plan};

/// A stream of work on one device, made by [`Cuda::stream`]. Work on one stream runs in order; work on several may
/// run side by side.
///
/// It may move to another thread, and is used by one at a time. Dropping it waits for its work.
///
/// ```no_run
/// use warpfold::{Cuda, Max, Sum};
///
/// let cuda = Cuda::open(0)?;
/// let stream = cuda.stream()?;
/// let x = cuda.upload(&[3u32, 1, 4, 1, 5])?;
/// let (mut sum, mut max) = (cuda.scalar::<u32, Sum>()?, cuda.scalar::<u32, Max>()?);
/// stream.reduce_into(&x.as_slice(), &mut sum)?;
/// stream.reduce_into(&x.as_slice(), &mut max)?;
/// // Other things to do, while the device reduces.
/// assert_eq!((sum.get()?, max.get()?), (14, Some(5)));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    cuda: Cuda,
    lane: Lane,
    /// The scalars that the graph being recorded writes.
    written: RefCell<Written>,
}

impl Stream {
    pub(super) fn new(cuda: Cuda, lane: Lane) -> Self {
        Self { cuda, lane, written: RefCell::default() }
    }

    /// The device that it is on.
    #[must_use]
    pub fn cuda(&self) -> &Cuda {
        &self.cuda
    }

    /// The driver's handle (`CUstream`), for other libraries. It is valid as long as the stream.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.queue().handle().as_raw()
    }

    /// Reduces `x` after the work enqueued so far, and waits for the result.
    ///
    /// # Errors
    /// As [`Cuda::reduce`], and [`Error::Capturing`] while a graph is recorded.
    pub fn reduce<T: Element, O: Kernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
    ) -> Result<O::Out, Error> {
        self.reduce_by(O::default(), x)
    }

    /// [`reduce`](Self::reduce) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    pub fn reduce_by<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
    ) -> Result<O::Out, Error> {
        self.reduce_by_with_plan(op, &self.plan::<T, O>(x)?, x)
    }

    /// [`reduce`](Self::reduce) by a plan of the caller's.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce), and [`Error::Plan`] if the plan is for another length or type.
    pub fn reduce_with_plan<T: Element, O: Kernel<T> + Default>(
        &self,
        plan: &Plan,
        x: &DeviceSlice<'_, T>,
    ) -> Result<O::Out, Error> {
        self.reduce_by_with_plan(O::default(), plan, x)
    }

    fn reduce_by_with_plan<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        plan: &Plan,
        x: &DeviceSlice<'_, T>,
    ) -> Result<O::Out, Error> {
        let acc = self.lane.fold(op, self.cuda.kernels(), plan, x.input()?)?;
        float_environment::finish::<T, O>(acc, x.len() as u64)
    }

    /// Enqueues a reduction of `x`, and returns at once what its result will be got from.
    ///
    /// The array may be dropped at once, and so may the answer, unread. As many of them as memory allows may be under
    /// way at once.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce). Errors of the device's own come from the [`Pending`].
    pub fn reduce_async<T: Element, O: Kernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
    ) -> Result<Pending<T, O>, Error> {
        self.reduce_async_by(O::default(), x)
    }

    /// [`reduce_async`](Self::reduce_async) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_async`](Self::reduce_async).
    pub fn reduce_async_by<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
    ) -> Result<Pending<T, O>, Error> {
        self.reduce_async_by_with_plan(op, &self.plan::<T, O>(x)?, x)
    }

    /// [`reduce_async`](Self::reduce_async) by a plan of the caller's.
    ///
    /// # Errors
    /// As [`reduce_async`](Self::reduce_async), and [`Error::Plan`] if the plan is for another length or type.
    pub fn reduce_async_with_plan<T: Element, O: Kernel<T> + Default>(
        &self,
        plan: &Plan,
        x: &DeviceSlice<'_, T>,
    ) -> Result<Pending<T, O>, Error> {
        self.reduce_async_by_with_plan(O::default(), plan, x)
    }

    fn reduce_async_by_with_plan<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        plan: &Plan,
        x: &DeviceSlice<'_, T>,
    ) -> Result<Pending<T, O>, Error> {
        let reply = self.lane.start(op, self.cuda.kernels(), plan, x.input()?)?;
        Ok(Pending::new(reply, x.len() as u64))
    }

    /// Enqueues a reduction of `x` whose result goes to `out`, and returns without waiting for it.
    ///
    /// The array may be dropped at once: its memory is freed when this stream has been waited for. After 64
    /// different arrays, results and kernels without a wait, the stream waits of itself.
    ///
    /// # Errors
    /// [`Error::OtherDevice`] if `x` or `out` is on another device, and those of [`Cuda::reduce`]. Errors of the
    /// device's own come from the call that waits. After an error `out` is what it was before, unless a later wait
    /// fails too.
    pub fn reduce_into<T: Element, O: Kernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
        out: &mut DeviceScalar<T, O>,
    ) -> Result<(), Error> {
        self.reduce_into_by(O::default(), x, out)
    }

    /// [`reduce_into`](Self::reduce_into) with an operator that is a value, such as one with parameters: a recorded graph
    /// keeps them.
    ///
    /// # Errors
    /// As [`reduce_into`](Self::reduce_into).
    pub fn reduce_into_by<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        out: &mut DeviceScalar<T, O>,
    ) -> Result<(), Error> {
        self.reduce_into_by_with_plan(op, &self.plan::<T, O>(x)?, x, out)
    }

    /// [`reduce_into`](Self::reduce_into) by a plan of the caller's.
    ///
    /// # Errors
    /// As [`reduce_into`](Self::reduce_into), and [`Error::Plan`] if the plan is for another length or type.
    pub fn reduce_into_with_plan<T: Element, O: Kernel<T> + Default>(
        &self,
        plan: &Plan,
        x: &DeviceSlice<'_, T>,
        out: &mut DeviceScalar<T, O>,
    ) -> Result<(), Error> {
        self.reduce_into_by_with_plan(O::default(), plan, x, out)
    }

    fn reduce_into_by_with_plan<T: Element, O: Kernel<T>>(
        &self,
        op: O,
        plan: &Plan,
        x: &DeviceSlice<'_, T>,
        out: &mut DeviceScalar<T, O>,
    ) -> Result<(), Error> {
        let (len, cell) = (x.len() as u64, out.cell());
        self.write(cell, len, || match len {
            0 => Ok(()),
            _ => self.lane.enqueue(op, self.cuda.kernels(), plan, x.input()?, cell.output()),
        })
    }

    /// Waits until all work has ended.
    ///
    /// # Errors
    /// [`Error::Driver`] with what the device reports of the work, [`Error::Poisoned`] from then on if it is one
    /// that the device does not survive; [`Error::Capturing`] while a graph is recorded.
    pub fn synchronize(&self) -> Result<(), Error> {
        Ok(self.queue().wait()?)
    }

    /// Records the moment when the work enqueued so far has ended.
    ///
    /// # Errors
    /// [`Error::Driver`], [`Error::Capturing`] while a graph is recorded.
    pub fn record(&self) -> Result<Event, Error> {
        Event::record(self.queue())
    }

    /// Records the [`reduce_into`](Self::reduce_into) calls that `calls` makes on this stream to a graph, instead of
    /// running them. The graph has 512 KiB of device memory of its own, and keeps the arrays and results that it uses.
    ///
    /// Load the kernels before, by [`Cuda::prepare`] or by use.
    ///
    /// # Errors
    /// Those of `calls`; [`Error::Capturing`] from calls in it that would wait, this one included;
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    pub fn capture(&self, calls: impl FnOnce(&Self) -> Result<(), Error>) -> Result<Graph, Error> {
        if self.queue().is_recording() {
            return Err(Error::Capturing { during: "recording a graph" });
        }
        self.written.borrow_mut().clear();
        let graph = self.lane.record(|| calls(self))?;
        Ok(Graph::new(graph, self.written.take()))
    }

    /// Folds `input` after the work enqueued so far, and waits.
    pub(super) fn fold_input<T: Element, O: Fold<T>>(
        &self,
        op: O,
        input: Input<'_, T, O::Input>,
    ) -> Result<O::Acc, Error> {
        let plan = self.lane.plan::<T, O>(&self.cuda, input.len())?;
        self.lane.fold(op, self.cuda.kernels(), &plan, input)
    }

    fn plan<T: Element, O: Kernel<T>>(&self, x: &DeviceSlice<'_, T>) -> Result<Plan, Error> {
        self.lane.plan::<T, O>(&self.cuda, x.len() as u64)
    }

    pub(super) fn queue(&self) -> &Queue {
        self.lane.queue()
    }

    pub(super) fn lane(&self) -> &Lane {
        &self.lane
    }

    /// Has `cell` hold results of so many elements, by what `enqueue` enqueues here: once that has run, or whenever the graph
    /// has that is being recorded.
    pub(super) fn write(
        &self,
        cell: &Arc<Cell>,
        lens: impl Into<Lens>,
        enqueue: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        // Before any lock, which a forked child would wait for in vain.
        self.cuda.context().usable()?;
        if !self.queue().is_recording() {
            return cell.write(self.queue().handle(), lens, enqueue);
        }
        enqueue()?;
        self.written.borrow_mut().push((cell.clone(), lens.into()));
        Ok(())
    }

    /// [`write`](Self::write) of two cells of values at once.
    pub(super) fn write_values(
        &self,
        cells: [&Arc<Cell>; 2],
        enqueue: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        // In one order, which is that of graphs: threads must not wait for each other.
        let [first, second] = if Arc::as_ptr(cells[0]) < Arc::as_ptr(cells[1]) {
            cells
        } else {
            let [second, first] = cells;
            [first, second]
        };
        let written = Lens::WRITTEN;
        self.write(first, written, || self.write(second, written, enqueue))
    }

    /// Of how many elements what the graph being recorded has written to `cell` is: `None` if it has not.
    pub(super) fn has_written(&self, cell: &Arc<Cell>) -> Option<Lens> {
        let written = self.written.borrow();
        written.iter().rev().find(|(known, _)| Arc::ptr_eq(known, cell)).map(|(_, lens)| lens.clone())
    }
}

impl Graph {
    /// Enqueues the recorded reductions on `stream`. Their results arrive as if each had been enqueued there.
    ///
    /// # Errors
    /// [`Error::OtherDevice`], [`Error::Capturing`] while `stream` records a graph, [`Error::Driver`].
    pub fn launch(&mut self, stream: &Stream) -> Result<(), Error> {
        self.launch_on(stream.queue(), stream.cuda.context())
    }
}
