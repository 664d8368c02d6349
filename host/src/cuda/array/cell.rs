//! Accumulators in device memory, and the stream that writes them.

use std::sync::Arc;

use gpu_kernels::{Accumulator, Element, Op};

use crate::cuda::Cuda;
use crate::cuda::array::lens::Lens;
use crate::cuda::array::results;
use crate::cuda::array::turns::Turns;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Memory, Output, Queue, Region, StreamHandle};
use crate::error::Error;

/// Room for accumulators, which a recorded graph shares.
#[derive(Debug)]
pub(crate) struct Cell {
    memory: Arc<Memory>,
    /// The element counts of the stored accumulators, and the stream that writes them.
    turns: Turns<Lens>,
}

impl Cell {
    /// Allocates `count` accumulators.
    pub(crate) fn new<A: Accumulator>(executor: &Executor, count: usize) -> Result<Arc<Self>, Error> {
        Ok(Self::of(Memory::zeroed(executor.queue(), count.saturating_mul(size_of::<A>()))?))
    }

    /// Uses memory, with room for as many accumulators as the caller will write.
    pub(crate) fn of(memory: Arc<Memory>) -> Arc<Self> {
        Arc::new(Self { memory, turns: Turns::default() })
    }

    /// Waits for the stream that writes the cell, and returns the `count` accumulators with their common element count.
    /// Returns no accumulators if all are of empty inputs, or nothing was written yet.
    pub(crate) fn read<A: Accumulator>(&self, cuda: &Cuda, count: usize) -> Result<(Vec<A>, u64), Error> {
        self.settled(cuda, |lens| {
            if matches!(lens, Lens::Same(0)) {
                return Ok((Vec::new(), 0));
            }
            cuda.read(|queue| {
                lens.check(queue)?;
                if lens.is_nothing() {
                    return Ok((Vec::new(), 0));
                }
                Ok((self.memory.download::<A>(queue, 0, count)?, lens.for_launch()?.0))
            })
        })
    }

    /// Waits for the stream that writes the cell, and returns the `count` results.
    pub(crate) fn results<T: Element, O: Op<T>>(
        &self,
        cuda: &Cuda,
        count: usize,
    ) -> Result<Vec<O::Out>, Error> {
        self.settled(cuda, |lens| {
            if matches!(lens, Lens::Same(0)) {
                return results::of_none::<T, O>(count);
            }
            cuda.read(|queue| {
                lens.check(queue)?;
                if lens.is_nothing() {
                    return results::of_none::<T, O>(count);
                }
                results::read::<T, O>(queue, self.region(), count, lens)
            })
        })
    }

    /// Fails if the results are of segments whose offsets are wrong. The caller has waited for the stream that writes
    /// them.
    ///
    /// # Errors
    /// [`Error::Offset`].
    pub(crate) fn check(&self, queue: &Queue) -> Result<(), Error> {
        self.turns.content(|lens| lens.check(queue))
    }

    /// Returns whether the results are of segments, whose offsets a check may find wrong.
    pub(crate) fn is_of_segments(&self) -> bool {
        self.turns.content(|lens| matches!(lens, Lens::Between(_)))
    }

    /// Waits for the stream that writes the cell, and calls `call` with the element counts. The contents do not change
    /// until it returns.
    pub(crate) fn settled<R>(
        &self,
        cuda: &Cuda,
        call: impl FnOnce(&Lens) -> Result<R, Error>,
    ) -> Result<R, Error> {
        cuda.context().usable()?;
        self.turns.settled(call)
    }

    /// Returns the cell's address in device memory.
    pub(crate) fn address(&self) -> u64 {
        self.memory.address()
    }

    /// Returns at least `bytes` bytes of memory for launches over segments. Reuses the memory of the segments written
    /// last if it is large enough.
    pub(crate) fn room(&self, executor: &Executor, bytes: usize) -> Result<Arc<Memory>, Error> {
        let kept = self.turns.content(|lens| lens.memory().filter(|memory| memory.bytes() >= bytes).cloned());
        if let Some(memory) = kept {
            return Ok(memory);
        }
        Ok(Memory::of_work(executor.queue(), bytes)?)
    }

    /// Enqueues with `enqueue`, which writes results of `lens` elements on `writer`. Waits first for another stream
    /// that wrote before, so that results arrive in the order of the calls.
    pub(crate) fn write(
        &self,
        writer: &Arc<StreamHandle>,
        lens: impl Into<Lens>,
        enqueue: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.turns.write(writer, lens.into(), enqueue)
    }

    /// Calls `enqueue` with the element counts, to enqueue work on `reader` that reads the cell. Waits first for
    /// another stream that wrote before. Later writers wait for `reader` as for a writer, so nothing is written before
    /// it has read.
    pub(crate) fn lend(
        &self,
        reader: &Arc<StreamHandle>,
        enqueue: impl FnOnce(&Lens) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.turns.lend(reader, enqueue)
    }

    /// Returns the cell as a launch's output.
    pub(crate) fn output(&self) -> Output<'_> {
        Output::Device(self.region())
    }

    /// Returns the cell as memory.
    pub(crate) fn region(&self) -> Region<'_> {
        self.memory.whole()
    }
}
