//! A reduction's result that stays on the device until it is asked for.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Cuda;
use super::driver::{Handle, Memory, Output};
use super::lane::Lane;
use crate::error::Error;
use crate::float_environment;
use crate::{Element, Kernel};

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
        Output::Device(self.memory.whole())
    }
}

impl<T: Element, O: Kernel<T>> DeviceScalar<T, O> {
    pub(super) fn new(cuda: &Cuda, lane: &Lane) -> Result<Self, Error> {
        let memory = Memory::zeroed(lane.queue(), size_of::<O::Acc>())?;
        let cell = Arc::new(Cell { memory, state: Mutex::default() });
        Ok(Self { cuda: cuda.clone(), cell, operator: PhantomData })
    }

    /// Waits for the stream that writes it, and gives the result: of no elements, if none was written yet.
    ///
    /// # Errors
    /// [`Error::Capturing`] while that stream records a graph; [`Error::Poisoned`], [`Error::Driver`].
    pub fn get(&self) -> Result<O::Out, Error> {
        self.cuda.context().usable()?;
        // Held while waiting: a graph that is launched by another thread writes after this, or before.
        let state = self.cell.state();
        if let Some(writer) = &state.writer {
            writer.wait()?;
        }
        if state.len == 0 {
            return float_environment::finish::<T, O>(O::IDENTITY, 0);
        }
        let accs = self.cuda.lease(|lane| self.cell.memory.download::<O::Acc>(lane.queue(), 0, 1))?;
        float_environment::finish::<T, O>(accs.first().copied().unwrap_or(O::IDENTITY), state.len)
    }

    /// Where its accumulator is in device memory (`CUdeviceptr`), for other libraries: see
    /// [`DeviceArray::as_device_ptr`](super::DeviceArray::as_device_ptr).
    #[must_use]
    pub fn as_device_ptr(&self) -> u64 {
        self.cell.memory.address()
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
