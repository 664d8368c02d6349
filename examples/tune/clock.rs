//! The time of a call by two clocks. **Graph**, calls recorded in a graph and replayed, is the device's own
//! time. **Stream**, calls one after another, is the time of most programs, which includes the host's launches.

use warpfold::{Cuda, DeviceArray, DeviceScalar, Error, Graph, Stream, Sum};

use crate::failure::Failure;

/// A clock with its own stream.
pub(crate) struct Clock {
    pub(crate) stream: Stream,
    flush: DeviceArray<i32>,
    flushed: DeviceScalar<i32, Sum>,
}

impl Clock {
    /// A clock that reads `flush` bytes before each trial.
    pub(crate) fn new(cuda: &Cuda, flush: u64) -> Result<Self, Failure> {
        let elements = usize::try_from(flush / 4).map_err(|_| Failure::Usage("--flush is too large"))?;
        Ok(Self {
            stream: cuda.stream()?,
            flush: cuda.zeroed(elements)?,
            flushed: cuda.scalar::<i32, Sum>()?,
        })
    }

    /// Microseconds per call of a replay of `graph`, which has `calls`.
    pub(crate) fn by_graph(&mut self, graph: &mut Graph, calls: usize) -> Result<f64, Failure> {
        // The replay is enqueued while the flush runs, so that the host's time does not count.
        self.empty_cache()?;
        let start = self.stream.record()?;
        graph.launch(&self.stream)?;
        Ok(start.elapsed_ms(&self.stream.record()?)? * 1e3 / calls as f64)
    }

    /// Microseconds per call of the `calls` that `enqueue` makes.
    pub(crate) fn by_stream(
        &mut self,
        calls: usize,
        enqueue: impl FnOnce(&Stream) -> Result<(), Error>,
    ) -> Result<f64, Failure> {
        self.empty_cache()?;
        self.stream.synchronize()?;
        let start = self.stream.record()?;
        enqueue(&self.stream)?;
        Ok(start.elapsed_ms(&self.stream.record()?)? * 1e3 / calls as f64)
    }

    /// Reads memory other than the inputs.
    fn empty_cache(&mut self) -> Result<(), Failure> {
        // A stream that is never waited for would at some point wait by itself, perhaps during a trial.
        self.stream.synchronize()?;
        Ok(self.stream.reduce_into(Sum, &self.flush, &mut self.flushed)?)
    }
}
