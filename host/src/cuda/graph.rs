//! Recorded reductions, replayed with one call.

use std::sync::Arc;

use crate::cuda::array::cell::Cell;
use crate::cuda::array::lens::Lens;
use crate::cuda::launch::{self, Context, Queue};
use crate::error::Error;

/// The results that a graph writes, and their element counts.
pub(crate) type Written = Vec<(Arc<Cell>, Lens)>;

/// Work recorded by [`Stream::capture`](crate::cuda::Stream::capture). Replaying it saves the host's time for
/// each launch (2 to 3 microseconds).
///
/// ```no_run
/// # use warpfold::{Cuda, Sum};
/// # let cuda = Cuda::open(0)?;
/// # let x = cuda.upload(&[1.0f32; 1000])?;
/// # let mut sum = cuda.scalar::<f32, Sum>()?;
/// # let stream = cuda.stream()?;
/// cuda.prepare(Sum, &x)?;
/// let mut graph = stream.capture(|stream| stream.reduce_into(Sum, &x, &mut sum))?;
/// graph.launch(&stream)?;
/// assert_eq!(sum.get()?, 1000.0);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub struct Graph {
    graph: launch::Graph,
    written: Written,
}

impl Graph {
    #[expect(clippy::disallowed_methods, reason = "a few words for each call that was recorded")]
    pub(crate) fn new(graph: launch::Graph, mut written: Written) -> Self {
        // Keeps the last entry of each cell, sorted by address: launches lock all cells in this order, so that threads
        // cannot deadlock.
        written.reverse();
        written.sort_by_key(|(cell, _)| Arc::as_ptr(cell));
        written.dedup_by_key(|(cell, _)| Arc::as_ptr(cell));
        Self { graph, written }
    }

    /// Enqueues the recorded launches, and registers `queue` as the writer of every result.
    pub(crate) fn launch_on(&mut self, queue: &Queue, context: &Context) -> Result<(), Error> {
        // Checked before any lock is taken, because a forked child could wait for the lock for ever.
        context.usable()?;
        let ours = self.graph.context();
        if !ours.is(context) {
            return Err(Error::OtherDevice { array: ours.ordinal(), stream: context.ordinal() });
        }
        queue.make_room()?;
        write_all(&self.written, queue, &mut self.graph)
    }
}

/// Locks every cell of `written`, and launches.
fn write_all(written: &[(Arc<Cell>, Lens)], queue: &Queue, graph: &mut launch::Graph) -> Result<(), Error> {
    match written.split_first() {
        None => Ok(graph.launch(queue)?),
        Some(((cell, lens), rest)) => {
            cell.write(queue.handle(), lens.clone(), || write_all(rest, queue, graph))
        }
    }
}
