//! A reduction's result that stays on the device until it is asked for.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Cuda;
use super::driver::{Handle, Memory, Output, Region};
use super::lane::Lane;
use crate::error::Error;
use crate::float_environment;
use crate::{Accumulator, Element, Kernel};

/// Room on a device for the result of [`Stream::reduce_into`](super::Stream::reduce_into), made by
/// [`Cuda::scalar`].
pub struct DeviceScalar<T, O> {
    cuda: Cuda,
    cell: Arc<Cell>,
    operator: PhantomData<fn(T) -> O>,
}

/// The part of a scalar that a recorded graph shares.
#[derive(Debug)]
pub(super) struct Cell {
    memory: Arc<Memory>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Elements reduced to what is there, or is to be.
    len: u64,
    /// The stream that writes it.
    writer: Option<Arc<Handle>>,
}

impl Cell {
    /// Room for `count` accumulators.
    pub(super) fn new<A: Accumulator>(lane: &Lane, count: usize) -> Result<Arc<Self>, Error> {
        let memory = Memory::zeroed(lane.queue(), count.saturating_mul(size_of::<A>()))?;
        Ok(Arc::new(Self { memory, state: Mutex::default() }))
    }

    /// Waits for the stream that writes it, and gives the `count` accumulators, and of how many elements each is: none if
    /// those are none, or nothing was written yet.
    pub(super) fn read<A: Accumulator>(&self, cuda: &Cuda, count: usize) -> Result<(Vec<A>, u64), Error> {
        cuda.context().usable()?;
        // Held while waiting: a graph that is launched by another thread writes after this, or before.
        let state = self.state();
        if let Some(writer) = &state.writer {
            writer.wait()?;
        }
        if state.len == 0 {
            return Ok((Vec::new(), 0));
        }
        Ok((cuda.lease(|lane| self.memory.download::<A>(lane.queue(), 0, count))?, state.len))
    }

    /// Where it is in device memory.
    pub(super) fn address(&self) -> u64 {
        self.memory.address()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has `writer` write the result of `len` elements by `enqueue`. If another stream wrote before, that is waited
    /// for first, so that results arrive in the order of the calls.
    pub(super) fn write(
        &self,
        writer: &Arc<Handle>,
        len: u64,
        enqueue: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut state = self.state();
        match &state.writer {
            Some(before) if Arc::ptr_eq(before, writer) => {}
            Some(before) => {
                before.wait()?;
                state.writer = Some(writer.clone());
            }
            None => state.writer = Some(writer.clone()),
        }
        enqueue()?;
        state.len = len;
        Ok(())
    }

    /// Where kernels write it.
    pub(super) fn output(&self) -> Output<'_> {
        Output::Device(self.region())
    }

    /// The same, as memory.
    pub(super) fn region(&self) -> Region<'_> {
        self.memory.whole()
    }
}

impl<T: Element, O: Kernel<T>> DeviceScalar<T, O> {
    pub(super) fn new(cuda: &Cuda, lane: &Lane) -> Result<Self, Error> {
        Ok(Self { cuda: cuda.clone(), cell: Cell::new::<O::Acc>(lane, 1)?, operator: PhantomData })
    }

    /// Waits for the stream that writes it, and gives the result: of no elements, if none was written yet.
    ///
    /// # Errors
    /// [`Error::Capturing`] while that stream records a graph; [`Error::Poisoned`], [`Error::Driver`].
    pub fn get(&self) -> Result<O::Out, Error> {
        let (accs, len) = self.cell.read::<O::Acc>(&self.cuda, 1)?;
        float_environment::finish::<T, O>(accs.first().copied().unwrap_or(O::IDENTITY), len)
    }

    /// Where its accumulator is in device memory (`CUdeviceptr`), for other libraries: see
    /// [`DeviceArray::as_device_ptr`](super::DeviceArray::as_device_ptr).
    #[must_use]
    pub fn as_device_ptr(&self) -> u64 {
        self.cell.address()
    }

    /// The part that graphs share.
    pub(super) fn cell(&self) -> &Arc<Cell> {
        &self.cell
    }
}

impl<T, O> fmt::Debug for DeviceScalar<T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceScalar").field("cuda", &self.cuda).field("cell", &self.cell).finish()
    }
}
