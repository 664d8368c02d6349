//! Accumulators in device memory, and which stream writes them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cuda::Cuda;
use crate::cuda::array::lens::Lens;
use crate::cuda::array::results;
use crate::cuda::lane::Lane;
use crate::cuda::launch::{Memory, Output, Region, StreamHandle};
use crate::error::Error;
use crate::{Accumulator, Element, Op};

/// Room for accumulators, which a recorded graph shares.
#[derive(Debug)]
pub(in crate::cuda) struct Cell {
    memory: Arc<Memory>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Of how many elements is what is there, or is to be.
    lens: Lens,
    /// The stream that writes it, or has read it since.
    writer: Option<Arc<StreamHandle>>,
}

impl State {
    /// Has `user` be the stream whose work the next one waits for, after the one before.
    fn hand_to(&mut self, user: &Arc<StreamHandle>) -> Result<(), Error> {
        if let Some(before) = self.writer.as_ref().filter(|before| !Arc::ptr_eq(before, user)) {
            before.wait()?;
        }
        self.writer = Some(user.clone());
        Ok(())
    }
}

impl Cell {
    /// Room for `count` accumulators.
    pub(in crate::cuda) fn new<A: Accumulator>(lane: &Lane, count: usize) -> Result<Arc<Self>, Error> {
        let memory = Memory::zeroed(lane.queue(), count.saturating_mul(size_of::<A>()))?;
        Ok(Arc::new(Self { memory, state: Mutex::default() }))
    }

    /// Waits for the stream that writes it, and gives the `count` accumulators, and of how many elements each is, if all are of
    /// as many: no accumulators if of none, or nothing was written yet.
    pub(in crate::cuda) fn read<A: Accumulator>(
        &self,
        cuda: &Cuda,
        count: usize,
    ) -> Result<(Vec<A>, u64), Error> {
        self.settled(cuda, |lens| {
            if matches!(lens, Lens::Same(0)) {
                return Ok((Vec::new(), 0));
            }
            cuda.lease(|lane| {
                lens.check(lane)?;
                Ok((self.memory.download::<A>(lane.queue(), 0, count)?, lens.for_launch()?.0))
            })
        })
    }

    /// Waits for the stream that writes it, and gives the `count` results.
    pub(in crate::cuda) fn results<T: Element, O: Op<T>>(
        &self,
        cuda: &Cuda,
        count: usize,
    ) -> Result<Vec<O::Out>, Error> {
        self.settled(cuda, |lens| {
            if matches!(lens, Lens::Same(0)) {
                return results::of_none::<T, O>(count);
            }
            cuda.lease(|lane| {
                lens.check(lane)?;
                if lens.is_nothing() {
                    return results::of_none::<T, O>(count);
                }
                results::read::<T, O>(lane.queue(), self.region(), count, lens)
            })
        })
    }

    /// Fails if the results are of segments whose offsets are wrong. What writes them has been waited for.
    ///
    /// # Errors
    /// [`Error::Offset`].
    pub(in crate::cuda) fn check(&self, lane: &Lane) -> Result<(), Error> {
        self.state().lens.check(lane)
    }

    /// Waits for the stream that writes it, and has `call` use what is there until it returns: it is told of how many
    /// elements that is.
    pub(in crate::cuda) fn settled<R>(
        &self,
        cuda: &Cuda,
        call: impl FnOnce(&Lens) -> Result<R, Error>,
    ) -> Result<R, Error> {
        cuda.context().usable()?;
        // Held while waiting: a graph that is launched by another thread writes after this, or before.
        let state = self.state();
        if let Some(writer) = &state.writer {
            writer.wait()?;
        }
        call(&state.lens)
    }

    /// Where it is in device memory.
    pub(in crate::cuda) fn address(&self) -> u64 {
        self.memory.address()
    }

    /// Memory of at least so many bytes for the launches over segments: that of the segments written last, if it is enough.
    pub(in crate::cuda) fn room(&self, lane: &Lane, bytes: usize) -> Result<Arc<Memory>, Error> {
        if let Some(memory) = self.state().lens.memory().filter(|memory| memory.bytes() >= bytes) {
            return Ok(memory.clone());
        }
        Ok(Arc::new(Memory::allocate(lane.queue().context(), bytes)?))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has `writer` write results of so many elements by `enqueue`. If another stream wrote before, that is waited
    /// for first, so that results arrive in the order of the calls.
    pub(in crate::cuda) fn write(
        &self,
        writer: &Arc<StreamHandle>,
        lens: impl Into<Lens>,
        enqueue: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut state = self.state();
        state.hand_to(writer)?;
        enqueue()?;
        state.lens = lens.into();
        Ok(())
    }

    /// Has `reader` use what is there by `enqueue`, which is told of how many elements that is. The stream that wrote it is
    /// waited for if it is another, and `reader` is waited for as if it had written: nothing is written before it has read.
    pub(in crate::cuda) fn lend(
        &self,
        reader: &Arc<StreamHandle>,
        enqueue: impl FnOnce(&Lens) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut state = self.state();
        state.hand_to(reader)?;
        enqueue(&state.lens)
    }

    /// Where kernels write it.
    pub(in crate::cuda) fn output(&self) -> Output<'_> {
        Output::Device(self.region())
    }

    /// The same, as memory.
    pub(in crate::cuda) fn region(&self) -> Region<'_> {
        self.memory.whole()
    }
}
