//! Feeders: they send a host slice through buffers to a device, and return its accumulator.

use std::ops::ControlFlow;
use std::sync::Arc;

use gpu_kernels::addresses::Readable;
use gpu_kernels::shapes::{MAX_FAN_IN, MOST_ACC_BYTES};
use gpu_kernels::tree::{self, MAX_TILES};
use gpu_kernels::{Element, Op};

use crate::cuda::Cuda;
use crate::cuda::executor::Executor;
use crate::cuda::feed::source::Source;
use crate::cuda::feed::{Feed, chunks};
use crate::cuda::launch::{
    Context, Input, Lent, LockedBuffer, Mark, Memory, Output, Queue, is_page_locked, span_len,
};
use crate::error::Error;
use crate::kernel::fold::FoldKernel;
use crate::plan::{Passes, Plan};
use cust::stream::Stream;

/// Bytes of the largest accumulator.
const ACC_BYTES: usize = MOST_ACC_BYTES;

/// Bytes of the partial results, one per tile. The result follows them.
const PARTIALS_BYTES: usize = MAX_TILES as usize * ACC_BYTES;

/// Buffers and what belongs to them. One call at a time uses them, and the next call again.
#[derive(Debug)]
pub(crate) struct Feeder {
    feed: Feed,
    /// One per buffer. Its queue copies a chunk and then folds it, so the next copy to the same buffer comes after
    /// both.
    executors: Vec<Executor>,
    buffers: Vec<Buffer>,
    /// Page-locked memory, filled in turn. Empty until an input has needed it.
    staging: Vec<LockedBuffer>,
    partials: Arc<Memory>,
}

/// A chunk's memory on the device.
#[derive(Debug)]
struct Buffer {
    memory: Arc<Memory>,
    bytes: usize,
    folded: Mark,
    /// Number of elements being copied there or folded.
    busy: u64,
}

/// Called after each chunk with the number of elements folded so far, and of all elements. Decides whether to go on.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>;

impl Feeder {
    /// Creates a feeder whose buffers are allocated when they are first needed.
    pub(crate) fn new(context: &Arc<Context>, feed: Feed) -> Result<Self, Error> {
        let executor = Executor::new(context)?;
        let partials = Arc::new(Memory::allocate(context, PARTIALS_BYTES + ACC_BYTES)?);
        Ok(Self { feed, executors: vec![executor], buffers: Vec::new(), staging: Vec::new(), partials })
    }

    /// Returns the feed.
    pub(crate) fn feed(&self) -> Feed {
        self.feed
    }

    /// Frees memory that was needed only for tiles longer than the feed's chunks.
    pub(crate) fn trim(&mut self) {
        self.buffers.retain(|buffer| buffer.bytes <= self.feed.chunk_bytes());
    }

    /// Folds `x`, of at least one element, and waits. No work is left afterwards, even after an error.
    pub(crate) fn fold<T: Element, O: Op<T>>(
        &mut self,
        kernel: FoldKernel<Readable<T>, T, O>,
        cuda: &Cuda,
        x: &[T],
        progress: Progress<'_>,
    ) -> Result<O::Acc, Error> {
        let n = x.len() as u64;
        let bytes: &[u8] = bytemuck::cast_slice(x);
        let chunk_len = self.feed.chunk_len::<T>(n, cuda.properties().memory_bytes);
        let chunk_bytes =
            usize::try_from(chunk_len.min(n)).unwrap_or(usize::MAX).saturating_mul(size_of::<T>());
        let locked = is_page_locked(cuda.context(), bytes)?;
        self.make_room(chunk_bytes, bytes.len(), locked)?;
        let plan = cuda.plan_of(&kernel.entries, n)?;

        let threads = self.feed.threads();
        let Self { executors, buffers, staging, partials, .. } = self;
        #[expect(clippy::disallowed_methods, reason = "as many as streams: a few")]
        let queues: Vec<&Queue> = executors.iter().map(Executor::queue).collect();
        #[expect(clippy::disallowed_methods, reason = "as many as streams: a few")]
        let streams: Vec<&Stream> = queues.iter().map(|queue| &***queue).collect();
        Lent::to(bytes, &streams, |lent| {
            let mut source = Source::new(lent, if locked { &mut [] } else { staging }, threads);
            if chunk_len < n {
                let plan = Plan::with_config::<T>(
                    n,
                    Passes::Recursive { fan_in: FAN_IN },
                    tree::THREADS as u32,
                    plan.blocks(),
                )?;
                let partials = (&*partials, queues[0]);
                return fold_chunks(
                    kernel,
                    cuda,
                    &plan,
                    chunk_len,
                    (source, &queues, buffers),
                    partials,
                    progress,
                );
            }
            let memory = &buffers[0].memory;
            source.send(0, queues[0], 0..bytes.len(), memory)?;
            let acc = executors[0].fold(kernel, cuda.kernels(), &plan, Input::new(memory, 0, x.len())?)?;
            report(progress, n, n)?;
            Ok(acc)
        })
    }

    /// Allocates buffers of at least `chunk_bytes` for an input of `bytes`: as many as are asked for and useful, or as
    /// there is memory for. Allocates page-locked memory too, unless the input itself is `locked`.
    fn make_room(&mut self, chunk_bytes: usize, bytes: usize, locked: bool) -> Result<(), Error> {
        let context = self.executors[0].queue().context().clone();
        let useful = bytes.div_ceil(chunk_bytes).clamp(1, self.feed.buffers());
        // Rounded up to a power of 2, so that inputs that grow do not reallocate it each time.
        let piece_bytes = self.feed.chunk_bytes().min(chunk_bytes.next_power_of_two());
        let buffer_bytes = chunk_bytes.max(piece_bytes);

        if self.buffers.iter().any(|buffer| buffer.bytes < chunk_bytes) {
            self.buffers.clear();
        }
        grow(&mut self.executors, useful, || Executor::new(&context))?;
        grow(&mut self.buffers, useful.min(self.executors.len()), || Buffer::new(&context, buffer_bytes))?;
        self.buffers.iter_mut().for_each(|buffer| buffer.busy = 0);
        if locked {
            return Ok(());
        }
        let useful = bytes.div_ceil(piece_bytes).clamp(1, self.feed.buffers());
        if self.staging.iter().any(|staging| staging.bytes() < piece_bytes) {
            self.staging.clear();
        }
        grow(&mut self.staging, useful, || Ok(LockedBuffer::new(&context, piece_bytes)?))
    }
}

impl Buffer {
    fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, Error> {
        let memory = Arc::new(Memory::allocate(context, bytes)?);
        Ok(Self { memory, bytes, folded: Mark::new(context)?, busy: 0 })
    }

    /// Waits for the buffer's chunk, and adds its elements to `done`. Returns whether there was a chunk.
    fn settle(&mut self, done: &mut u64) -> Result<bool, Error> {
        let busy = std::mem::take(&mut self.busy);
        if busy > 0 {
            self.folded.wait()?;
            *done += busy;
        }
        Ok(busy > 0)
    }
}

/// Adds elements to `some` until there are `wanted`. One is enough where there is no memory for more.
fn grow<X>(some: &mut Vec<X>, wanted: usize, make: impl Fn() -> Result<X, Error>) -> Result<(), Error> {
    while some.len() < wanted {
        match make() {
            Ok(one) => some.push(one),
            Err(error) if error.lacks_device_memory() && !some.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Folds chunk by chunk, each on the next queue, and then the partial results, on the queue `last`.
fn fold_chunks<T: Element, O: Op<T>>(
    kernel: FoldKernel<Readable<T>, T, O>,
    cuda: &Cuda,
    plan: &Plan,
    chunk_len: u64,
    (mut source, queues, buffers): (Source<'_>, &[&Queue], &mut [Buffer]),
    (partials, last): (&Arc<Memory>, &Queue),
    progress: Progress<'_>,
) -> Result<O::Acc, Error> {
    let (n, count) = (plan.len(), buffers.len());
    let (front, behind) = (partials.region(0, PARTIALS_BYTES)?, partials.region(PARTIALS_BYTES, ACC_BYTES)?);
    // Cannot overflow: the element is within the input.
    let at = |element: u64| element as usize * size_of::<T>();
    let mut done = 0;
    let mut settle = |buffer: &mut Buffer| match buffer.settle(&mut done)? {
        true => report(progress, done, n),
        false => Ok(()),
    };
    let mut next = 0;
    for (first, len) in chunks(n, chunk_len) {
        let (queue, buffer) = (queues[next], &mut buffers[next]);
        settle(buffer)?;
        source.send(next, queue, at(first)..at(first + len), &buffer.memory)?;
        let chunk = Input::new(&buffer.memory, 0, len as usize)?.beginning_at(first);
        let at = first / span_len(plan);
        queue.fold_spans(&(kernel, chunk), cuda.kernels(), plan, (0, len), (front, at))?;
        buffer.folded.set(queue)?;
        buffer.busy = len;
        next = (next + 1) % count;
    }
    // Starts with the oldest.
    let (newer, older) = buffers.split_at_mut(next);
    older.iter_mut().chain(newer).try_for_each(settle)?;
    last.fold_partials(
        &kernel.entries.partials,
        cuda.kernels(),
        (front, plan.partials()),
        FAN_IN,
        Output::Device(behind),
    )?;
    let acc = partials.download::<O::Acc>(last, PARTIALS_BYTES, 1)?;
    Ok(acc.first().copied().unwrap_or(O::IDENTITY))
}

/// Reports progress, and fails if `progress` breaks.
pub(crate) fn report(progress: Progress<'_>, done: u64, total: u64) -> Result<(), Error> {
    match progress(done, total) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Stopped { done, total }),
    }
}

/// Folds all partial results in one pass: no plan has more of them.
const FAN_IN: u32 = MAX_FAN_IN as u32;
