//! Launches recorded once and replayed with one call: the device's own time, without the host's per launch.

use std::ptr;
use std::sync::Arc;

use super::queue::Kept;
use super::{Context, Queue, raw};
use crate::error::Error;

/// A queue whose calls are being recorded. Dropped without [`end`](Recording::end), what was recorded is dropped.
#[derive(Debug)]
pub(in crate::cuda) struct Recording<'a> {
    queue: &'a Queue,
    /// What the queue kept before.
    before: Option<Vec<Kept>>,
}

/// An executable graph, which keeps what its launches use.
#[derive(Debug)]
pub(in crate::cuda) struct Graph {
    context: Arc<Context>,
    executable: raw::Handle,
    _kept: Vec<Kept>,
}

// SAFETY: the driver takes a graph from any thread, by one at a time: `launch` says so.
unsafe impl Send for Graph {}
// SAFETY: as above; nothing else is called through a shared graph.
unsafe impl Sync for Graph {}

impl<'a> Recording<'a> {
    /// Starts to record instead of to run.
    pub(in crate::cuda) fn start(queue: &'a Queue) -> Result<Self, Error> {
        if queue.is_recording() {
            return Err(Error::Capturing { during: "recording a graph" });
        }
        queue.handle().start_recording(|| {
            queue.enqueue("starting to record a graph", |stream| {
                // SAFETY: the stream is the queue's.
                unsafe { raw::cuStreamBeginCapture_v2(stream, raw::STREAM_CAPTURE_MODE_RELAXED) }
            })
        })?;
        Ok(Self { queue, before: Some(queue.set_recording(true, Vec::new())) })
    }

    /// Ends the recording and makes it ready to run.
    pub(in crate::cuda) fn end(mut self) -> Result<Arc<Graph>, Error> {
        let context = self.queue.context();
        let (kept, graph) = self.stop();
        let graph = graph?;
        let _bound = context.bind()?;
        let mut executable = ptr::null_mut();
        // SAFETY: `graph` is what the capture gave, and not null; writes one handle to a local.
        let code = unsafe { raw::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0) };
        // SAFETY: the executable graph does not need the recorded one.
        context.release(|| unsafe { raw::cuGraphDestroy(graph) });
        context.check(code, "making a graph ready (needs a driver for CUDA 11.4 or later)")?;
        Ok(Arc::new(Graph { context: context.clone(), executable, _kept: kept }))
    }

    /// Ends the capture: what was kept meanwhile, and the driver's graph.
    fn stop(&mut self) -> (Vec<Kept>, Result<raw::Handle, Error>) {
        let Some(before) = self.before.take() else {
            return (Vec::new(), Err(Error::Capturing { during: "ending a recording twice" }));
        };
        let mut graph = ptr::null_mut();
        let ended = self.queue.enqueue("ending the recording of a graph", |stream| {
            // SAFETY: the stream is the queue's and captures since `start`; writes one handle to a local.
            unsafe { raw::cuStreamEndCapture(stream, &raw mut graph) }
        });
        (self.queue.set_recording(false, before), ended.map(|()| graph))
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if self.before.is_some() {
            let (_kept, graph) = self.stop();
            if let Ok(graph) = graph {
                // SAFETY: `graph` is what the capture gave, used by nobody.
                self.queue.context().release(|| unsafe { raw::cuGraphDestroy(graph) });
            }
        }
    }
}

impl Graph {
    /// Enqueues the recorded launches. A graph is launched by one thread at a time; the driver orders its launches
    /// one after the other, also on different streams.
    pub(in crate::cuda) fn launch(self: &Arc<Self>, queue: &Queue) -> Result<(), Error> {
        if queue.is_recording() {
            return Err(Error::Capturing { during: "launching a graph" });
        }
        queue.keep(self);
        queue.enqueue("launching a graph", |stream| {
            // SAFETY: the queue keeps the graph, and the graph what its launches use, until they have ended.
            unsafe { raw::cuGraphLaunch(self.executable, stream) }
        })
    }

    /// Whose it is.
    pub(in crate::cuda) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: made in this context and destroyed here alone, when no queue keeps it.
        self.context.release(|| unsafe { raw::cuGraphExecDestroy(self.executable) });
    }
}
