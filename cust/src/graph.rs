//! Launches that are recorded once and replayed with one call. This saves the host's time per launch.

use std::ffi::c_uint;
use std::ptr;
use std::sync::Arc;

use crate::context::Context;
use crate::error::{CudaError, CudaResult};
use crate::nccl::Communicator;
use crate::stream::{Kept, Lender, Stream};
use crate::sys;

/// A stream whose calls are being recorded. If it is dropped without [`end`](Recording::end), the recording is
/// discarded.
#[derive(Debug)]
pub struct Recording<'a> {
    stream: &'a Stream,
    /// What the stream kept before the recording.
    before: Option<Vec<Kept>>,
}

/// An executable graph, which keeps everything that its launches use. A launch borrows it mutably, because the driver takes a
/// graph from one thread at a time.
#[derive(Debug)]
pub struct Graph {
    executable: Arc<Executable>,
    /// The communicators of launches that move memory between ranks.
    communicators: Vec<Arc<Communicator>>,
}

/// The driver's graph, which streams keep while they launch it.
#[derive(Debug)]
struct Executable {
    context: Arc<Context>,
    raw: sys::Handle,
    _kept: Vec<Kept>,
}

// SAFETY: the driver takes a graph from any thread, one at a time: `Graph::launch` borrows the one `Graph` that has it mutably.
unsafe impl Send for Executable {}
// SAFETY: as above; a shared one has no calls.
unsafe impl Sync for Executable {}

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
                // SAFETY: `enqueue` passes this stream's handle.
                unsafe { sys::cuStreamBeginCapture_v2(stream, sys::STREAM_CAPTURE_MODE_RELAXED) }
            })
        })?;
        Ok(Self { stream, before: Some(stream.set_recording(true, Vec::new())) })
    }

    /// Ends the recording and makes the graph executable.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the recorded calls cannot be run.
    pub fn end(mut self) -> CudaResult<Graph> {
        let context = self.stream.context();
        let (kept, graph) = self.stop();
        let graph = graph?;
        let _bound = context.bind()?;
        let mut executable = ptr::null_mut();
        // SAFETY: the capture returned `graph`, which is not null; writes one handle to a local.
        let code = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0) };
        // SAFETY: the executable graph does not need the recorded one.
        context.release(|| unsafe { sys::cuGraphDestroy(graph) });
        context.check(code, "making a graph ready (needs a driver for CUDA 11.4 or later)")?;
        let communicators = kept.iter().filter_map(|kept| kept.clone().downcast().ok()).collect();
        let executable = Executable { context: context.clone(), raw: executable, _kept: kept };
        Ok(Graph { executable: Arc::new(executable), communicators })
    }

    /// Ends the capture, and returns what was kept meanwhile and the driver's graph.
    fn stop(&mut self) -> (Vec<Kept>, CudaResult<sys::Handle>) {
        let Some(before) = self.before.take() else {
            return (Vec::new(), Err(CudaError::Capturing { during: "ending a recording twice" }));
        };
        let mut graph = ptr::null_mut();
        let ended = self.stream.enqueue("ending the recording of a graph", |stream| {
            // SAFETY: `enqueue` passes this stream's handle, which captures since `start`; writes one handle to a
            // local.
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
                // SAFETY: the capture returned `graph`, and nothing uses it.
                self.stream.context().release(|| unsafe { sys::cuGraphDestroy(graph) });
            }
        }
    }
}

/// A stream whose owner, another library, records it. Until this is dropped, calls go to that library's graph.
#[derive(Debug)]
pub struct Joined<'a> {
    stream: &'a Stream,
    before: Vec<Kept>,
    /// The thread's mode of captures.
    mode: c_uint,
}

impl<'a> Joined<'a> {
    /// Begins to record calls with the stream's owner. Memory that work needs is what `lend` returns. The graph keeps nothing.
    ///
    /// # Safety
    /// As long as the graph may be launched, all memory that the calls use exists, also what `lend` returned, and the context is open. Nobody
    /// else uses the memory that `lend` returned while the graph runs, and each address has the bytes that it was asked for, on this device.
    ///
    /// # Errors
    /// [`CudaError::Foreign`] unless the owner records the stream; [`CudaError::Driver`].
    pub unsafe fn start(stream: &'a Stream, lend: Lender) -> CudaResult<Self> {
        const DURING: &str = "recording with the stream's owner";
        let _bound = stream.context().bind()?;
        if stream.is_recording() || !stream.handle().is_captured(DURING)? {
            let address = stream.handle().as_raw().addr() as u64;
            return Err(CudaError::Foreign { address, why: "its owner does not record the stream" });
        }
        // Kernels are loaded meanwhile, which the owner's mode may forbid.
        let mut mode = sys::STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: exchanges a number with a local.
        let code = unsafe { sys::cuThreadExchangeStreamCaptureMode(&raw mut mode) };
        stream.context().check(code, DURING)?;
        stream.set_lender(Some(lend));
        Ok(Self { stream, before: stream.set_recording(true, Vec::new()), mode })
    }
}

impl Drop for Joined<'_> {
    fn drop(&mut self) {
        // Memory that was not lent would be freed here: the caller promised to keep it.
        drop(self.stream.set_recording(false, std::mem::take(&mut self.before)));
        self.stream.set_lender(None);
        // SAFETY: as in `start`.
        self.stream
            .context()
            .release(|| unsafe { sys::cuThreadExchangeStreamCaptureMode(&raw mut self.mode) });
    }
}

impl Graph {
    /// Enqueues the recorded launches. The driver runs a graph's launches one after the other, also on different streams.
    ///
    /// # Errors
    /// [`CudaError::Capturing`] while the stream records a graph; [`CudaError::Driver`].
    pub fn launch(&mut self, stream: &Stream) -> CudaResult<()> {
        if stream.is_recording() {
            return Err(CudaError::Capturing { during: "launching a graph" });
        }
        stream.keep(&self.executable);
        stream.handle().guard_by_all(&self.communicators);
        stream.enqueue("launching a graph", |stream| {
            // SAFETY: the stream keeps the graph until its work has ended, and the graph keeps what its launches use. No other
            // thread launches it, as `self` is borrowed mutably.
            unsafe { sys::cuGraphLaunch(self.executable.raw, stream) }
        })
    }

    /// Returns the context of the graph.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.executable.context
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: created in this context and destroyed only here, when no stream keeps it.
        self.context.release(|| unsafe { sys::cuGraphExecDestroy(self.raw) });
    }
}
