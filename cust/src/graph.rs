//! Launches recorded once and replayed with one call: the device's own time, without the host's per launch.

use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::stream::{Kept, Stream};
use crate::sys;

/// A stream whose calls are being recorded. Dropped without [`end`](Recording::end), what was recorded is dropped.
#[derive(Debug)]
pub struct Recording<'a> {
    stream: &'a Stream,
    /// What the stream kept before.
    before: Option<Vec<Kept>>,
}

/// An executable graph, which keeps what its launches use.
#[derive(Debug)]
pub struct Graph {
    context: Arc<Context>,
    executable: sys::Handle,
    _kept: Vec<Kept>,
}

// SAFETY: the driver takes a graph from any thread, by one at a time: `launch` says so.
unsafe impl Send for Graph {}
// SAFETY: as above; nothing else is called through a shared graph.
unsafe impl Sync for Graph {}

impl<'a> Recording<'a> {
    /// Starts to record calls instead of running them.
    ///
    /// # Errors
    /// [`CudaError::Capturing`] while the stream records already; [`CudaError::Driver`].
    pub fn start(stream: &'a Stream) -> CudaResult<Self> {
        if stream.is_recording() {
            return Err(CudaError::Capturing { during: "recording a graph" });
        }
        stream.handle().start_recording(|| {
            stream.enqueue("starting to record a graph", |stream| {
                // SAFETY: the stream is the stream's.
                unsafe { sys::cuStreamBeginCapture_v2(stream, sys::STREAM_CAPTURE_MODE_RELAXED) }
            })
        })?;
        Ok(Self { stream, before: Some(stream.set_recording(true, Vec::new())) })
    }

    /// Ends the recording and makes it ready to run.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if what was recorded cannot be run.
    pub fn end(mut self) -> CudaResult<Arc<Graph>> {
        let context = self.stream.context();
        let (kept, graph) = self.stop();
        let graph = graph?;
        let _bound = context.bind()?;
        let mut executable = ptr::null_mut();
        // SAFETY: `graph` is what the capture gave, and not null; writes one handle to a local.
        let code = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0) };
        // SAFETY: the executable graph does not need the recorded one.
        context.release(|| unsafe { sys::cuGraphDestroy(graph) });
        context.check(code, "making a graph ready (needs a driver for CUDA 11.4 or later)")?;
        Ok(Arc::new(Graph { context: context.clone(), executable, _kept: kept }))
    }

    /// Ends the capture: what was kept meanwhile, and the driver's graph.
    fn stop(&mut self) -> (Vec<Kept>, CudaResult<sys::Handle>) {
        let Some(before) = self.before.take() else {
            return (Vec::new(), Err(CudaError::Capturing { during: "ending a recording twice" }));
        };
        let mut graph = ptr::null_mut();
        let ended = self.stream.enqueue("ending the recording of a graph", |stream| {
            // SAFETY: the stream is the stream's and captures since `start`; writes one handle to a local.
            unsafe { sys::cuStreamEndCapture(stream, &raw mut graph) }
        });
        (self.stream.set_recording(false, before), ended.map(|()| graph))
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if self.before.is_some() {
            let (_kept, graph) = self.stop();
            if let Ok(graph) = graph {
                // SAFETY: `graph` is what the capture gave, used by nobody.
                self.stream.context().release(|| unsafe { sys::cuGraphDestroy(graph) });
            }
        }
    }
}

impl Graph {
    /// Enqueues the recorded launches. One thread at a time launches a graph; the driver runs its launches one after
    /// the other, also on different streams.
    ///
    /// # Errors
    /// [`CudaError::Capturing`] while the stream records a graph; [`CudaError::Driver`].
    pub fn launch(self: &Arc<Self>, stream: &Stream) -> CudaResult<()> {
        if stream.is_recording() {
            return Err(CudaError::Capturing { during: "launching a graph" });
        }
        stream.keep(self);
        stream.enqueue("launching a graph", |stream| {
            // SAFETY: the stream keeps the graph, and the graph what its launches use, until they have ended.
            unsafe { sys::cuGraphLaunch(self.executable, stream) }
        })
    }

    /// Whose it is.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: made in this context and destroyed here alone, when no stream keeps it.
        self.context.release(|| unsafe { sys::cuGraphExecDestroy(self.executable) });
    }
}
