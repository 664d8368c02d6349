//! A queue with what reductions on it need: a plan becomes launches here.

use std::cell::RefCell;
use std::sync::Arc;

use super::driver::{Context, Graph, Input, Kernels, Output, Pinned, Queue, Recording, span_len};
use super::scratch::Scratch;
use crate::error::Error;
use crate::plan::MAX_LAUNCH_BYTES;
use crate::{Element, Kernel, Passes, Plan};

/// A queue, scratch memory, and a place in host memory where a blocking reduction's result arrives.
///
/// Used by one thread at a time: nothing here is locked, and a reduction allocates nothing.
#[derive(Debug)]
pub(super) struct Lane {
    queue: Queue,
    /// Another one while a graph is recorded: the graph keeps it.
    scratch: RefCell<Arc<Scratch>>,
    result: Arc<Pinned>,
}

impl Lane {
    /// A stream of its own, 128 KiB of device memory, and 64 bytes of page-locked host memory.
    pub(super) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let queue = Queue::new(context)?;
        let scratch = RefCell::new(Arc::new(Scratch::new(&queue)?));
        let result = Pinned::new(context)?;
        Ok(Self { queue, scratch, result })
    }

    /// Its queue.
    pub(super) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Folds `input`, waits, and gives the accumulator.
    pub(super) fn fold<T: Element, O: Kernel<T>>(
        &self,
        kernels: &Kernels,
        plan: &Plan,
        input: Input<'_, T>,
    ) -> Result<O::Acc, Error> {
        if self.queue.is_recording() {
            return Err(Error::Capturing { during: "a reduction that waits for its result" });
        }
        if input.len() == 0 {
            return Ok(O::IDENTITY);
        }
        let enqueued = self.enqueue::<T, O>(kernels, plan, input, Output::Host(&self.result));
        // First the wait, then the report: some of the launches may run although a later one failed.
        let waited = self.queue.wait();
        enqueued.and(waited)?;
        Ok(self.result.read())
    }

    /// Enqueues the launches that fold `input`, of at least one element, to `out`.
    pub(super) fn enqueue<T: Element, O: Kernel<T>>(
        &self,
        kernels: &Kernels,
        plan: &Plan,
        input: Input<'_, T>,
        out: Output<'_>,
    ) -> Result<(), Error> {
        let queue = &self.queue;
        queue.context().usable()?;
        queue.make_room()?;
        let scratch = self.scratch.borrow().clone();
        match plan.passes() {
            Passes::Block => queue.fold_block::<T, O>(kernels, plan, input, out),
            Passes::Grid => {
                queue.fold_grid::<T, O>(kernels, plan, input, (scratch.front()?, scratch.ticket()?), out)
            }
            Passes::Recursive { fan_in } => {
                let (mut from, mut to) = (scratch.front()?, scratch.back()?);
                for part in parts(plan, input.len(), size_of::<T>() as u64) {
                    queue.fold_spans::<T, O>(kernels, plan, input, part, from)?;
                }
                let mut count = plan.partials();
                while count > u64::from(fan_in) {
                    queue.fold_partials::<T, O>(kernels, (from, count), fan_in, Output::Device(to))?;
                    count = count.div_ceil(u64::from(fan_in));
                    (from, to) = (to, from);
                }
                queue.fold_partials::<T, O>(kernels, (from, count), fan_in, out)
            }
        }
    }

    /// Records what `calls` enqueues, with scratch memory that is the graph's alone.
    pub(super) fn record(&self, calls: impl FnOnce() -> Result<(), Error>) -> Result<Arc<Graph>, Error> {
        if self.queue.is_recording() {
            return Err(Error::Capturing { during: "recording a graph" });
        }
        let own = self.scratch.replace(Arc::new(Scratch::new(&self.queue)?));
        // Put back even if `calls` panics.
        let _own = PutBack { place: &self.scratch, own: Some(own) };
        let recording = Recording::start(&self.queue)?;
        calls()?;
        recording.end()
    }
}

/// Restores a lane's scratch when dropped.
struct PutBack<'a> {
    place: &'a RefCell<Arc<Scratch>>,
    own: Option<Arc<Scratch>>,
}

impl Drop for PutBack<'_> {
    fn drop(&mut self) {
        if let Some(own) = self.own.take() {
            self.place.replace(own);
        }
    }
}

/// The launches of a first pass, as (first element, number): whole spans, few enough that no launch runs long.
fn parts(plan: &Plan, len: u64, element_bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let span_len = span_len(plan);
    let spans = (MAX_LAUNCH_BYTES / element_bytes.saturating_mul(span_len).max(1)).max(1);
    let step = spans.saturating_mul(span_len);
    (0..len.div_ceil(step)).map(move |part| (part * step, step.min(len - part * step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_first_pass_are_the_input() {
        for n in [1, 4096, 4097, (1 << 32) + 7, (64 << 30) / 4 + 1, 1 << 38, (1 << 40) + 12345] {
            for threads in [256, 512, 1024] {
                let plan =
                    Plan::with_shape::<f32>(n, Passes::Recursive { fan_in: 32 }, threads, 7).expect("a plan");
                let mut next = 0;
                for (first, len) in parts(&plan, n, 4) {
                    assert_eq!((first, first % span_len(&plan)), (next, 0));
                    assert!(
                        len > 0 && (len * 4 <= MAX_LAUNCH_BYTES || len == span_len(&plan)),
                        "{plan}: {len}"
                    );
                    next += len;
                }
                assert_eq!(next, n);
            }
        }
    }
}
