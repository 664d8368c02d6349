//! A queue with the memory that reductions on it need, and the launches of a plan.

pub(crate) mod pool;
pub(crate) mod scratch;

use std::cell::RefCell;
use std::sync::Arc;

use gpu_kernels::addresses::Addresses;
use gpu_kernels::pack::axes::Axis;
use gpu_kernels::{Accumulator, Element, Op, tree};

use crate::cuda::Cuda;
use crate::cuda::executor::scratch::Scratch;
use crate::cuda::groups::plan::moves_of;
use crate::cuda::launch::{
    Context, Graph, Input, Items, Kernels, Memory, Output, Queue, Recording, Reduction, Region, Reply,
    belongs, gather_blocks, span_len,
};
use crate::cuda::tuning::Table;
use crate::error::Error;
use crate::kernel::entry::Entry;
use crate::kernel::family::FoldEntries;
use crate::kernel::fold::FoldKernel;
use crate::memory;
use crate::plan::{MAX_LAUNCH_BYTES, Passes, Plan};

/// A queue with scratch memory.
///
/// One thread uses it at a time, so nothing here is locked. A reduction allocates nothing.
#[derive(Debug)]
pub(crate) struct Executor {
    queue: Queue,
    /// Memory for partial results. While a graph is recorded this is the graph's own, which the graph keeps. There is none at first
    /// while another library records the queue.
    scratch: RefCell<Option<Arc<Scratch>>>,
    /// The memory that [`room`](Self::room) returned last.
    room: RefCell<Option<Arc<Memory>>>,
    /// The memory that [`accumulators`](Self::accumulators) returned last.
    accumulators: RefCell<Option<Arc<Memory>>>,
}

/// Number of executors kept. When more threads call at once, each of the others makes one for its call.
const KEPT: usize = 64;

/// Most bytes of room that an executor keeps. Freeing memory makes the driver wait for the device. This takes long compared
/// with the work that needs so little room.
const MOST_ROOM_BYTES: usize = 32 << 20;

impl Executor {
    /// Creates an executor with a stream of its own, 512 KiB of device memory, and a page of page-locked host memory.
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        let queue = Queue::new(context)?;
        let scratch = Scratch::new(&queue)?;
        Self::with(queue, scratch)
    }

    /// Creates an executor of `queue` and scratch memory that another queue has cleared.
    pub(crate) fn with(queue: Queue, scratch: Scratch) -> Result<Self, Error> {
        scratch.reside_in(&queue);
        // Allocates memory for replies now, because pinning memory makes the driver wait for the device.
        drop(queue.reply()?);
        Ok(Self { scratch: RefCell::new(Some(Arc::new(scratch))), ..Self::recorded(queue) })
    }

    /// Creates an executor of a queue that another library records.
    pub(crate) fn recorded(queue: Queue) -> Self {
        let (scratch, room, accumulators) = Default::default();
        Self { queue, scratch, room, accumulators }
    }

    /// Returns the queue.
    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Returns the plan by which `n` elements are folded on `cuda`, by its tuning and the registers of this queue's
    /// kernels.
    pub(crate) fn plan<I: Copy, T: Element, O: Op<T>>(
        &self,
        entries: &FoldEntries<I, T, O>,
        cuda: &Cuda,
        n: u64,
    ) -> Result<Plan, Error> {
        self.plan_by::<T>(&entries.untyped(), cuda, n)
    }

    /// Does [`plan`](Self::plan) for any operator: compiled once for each element.
    fn plan_by<T: Element>(&self, entries: &[Entry; 3], cuda: &Cuda, n: u64) -> Result<Plan, Error> {
        let most_threads = |entry| self.queue.most_threads(cuda.kernels(), entry);
        let resident = |entry| self.queue.resident(cuda.kernels(), entry);
        plan::<T>(entries, n, cuda.multiprocessors(), cuda.table(), most_threads, resident)
    }

    /// Makes room in the queue for the launches of one call, and returns the scratch memory for them.
    pub(crate) fn ready(&self) -> Result<Arc<Scratch>, Error> {
        self.queue.context().usable()?;
        self.queue.make_room()?;
        let mut scratch = self.scratch.borrow_mut();
        match &*scratch {
            Some(scratch) => Ok(scratch.clone()),
            None => Ok(scratch.insert(Arc::new(Scratch::lent(&self.queue)?)).clone()),
        }
    }

    /// Folds `input`, waits, and returns the accumulator.
    pub(crate) fn fold<I: Addresses<T>, T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<I, T, O>,
        kernels: &Kernels,
        plan: &Plan,
        input: Input<'_, T, I>,
    ) -> Result<O::Acc, Error> {
        if self.queue.is_recording() {
            return Err(Error::Capturing { during: "a reduction that waits for its result" });
        }
        match input.len() {
            0 => Ok(O::IDENTITY),
            _ => self.answer(&(kernel, input), kernels, plan),
        }
    }

    /// Enqueues the launches of a reduction of at least one element, waits, and returns the accumulator.
    fn answer<A: Accumulator>(
        &self,
        reduction: &dyn Reduction,
        kernels: &Kernels,
        plan: &Plan,
    ) -> Result<A, Error> {
        self.queue.answer(|reply| self.enqueue(reduction, kernels, plan, Output::Host(reply)))
    }

    /// Enqueues the launches of a reduction, and returns the reply that will hold the accumulator, or `None` for empty
    /// input.
    pub(crate) fn start(
        &self,
        reduction: &dyn Reduction,
        kernels: &Kernels,
        plan: &Plan,
    ) -> Result<Option<Reply>, Error> {
        if self.queue.is_recording() {
            return Err(Error::Capturing { during: "a reduction whose result goes to the host" });
        }
        if reduction.input().len == 0 {
            return Ok(None);
        }
        let reply = self.queue.reply()?;
        if let Err(error) = self.enqueue(reduction, kernels, plan, Output::Host(&reply)) {
            // Waits before it reports the error: some launches may run although a later one failed.
            let _waited = self.queue.wait();
            return Err(error);
        }
        Ok(Some(reply))
    }

    /// Enqueues the launches of a reduction of at least one element, to `out`.
    pub(crate) fn enqueue(
        &self,
        reduction: &dyn Reduction,
        kernels: &Kernels,
        plan: &Plan,
        out: Output<'_>,
    ) -> Result<(), Error> {
        let (queue, scratch) = (&self.queue, self.ready()?);
        match plan.passes() {
            Passes::Block => queue.fold_block(reduction, kernels, plan, out),
            Passes::Grid => {
                queue.fold_grid(reduction, kernels, plan, (scratch.front()?, scratch.ticket()?), out)
            }
            Passes::Recursive { fan_in } => {
                let (mut from, mut to) = (scratch.front()?, scratch.back()?);
                belongs(plan, reduction)?;
                self.enqueue_spans(reduction, kernels, plan, from)?;
                let mut count = plan.partials();
                while count > u64::from(fan_in) {
                    queue.fold_partials(
                        reduction.partials(),
                        kernels,
                        (from, count),
                        fan_in,
                        Output::Device(to),
                    )?;
                    count = count.div_ceil(u64::from(fan_in));
                    (from, to) = (to, from);
                }
                queue.fold_partials(reduction.partials(), kernels, (from, count), fan_in, out)
            }
        }
    }

    /// Folds each tile of `input`, waits, and returns the totals. `input` is a part of an array; `plan` is for the whole
    /// array. Only the last tile may be short.
    pub(crate) fn fold_tiles<I: Addresses<T>, T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<I, T, O>,
        kernels: &Kernels,
        plan: &Plan,
        input: Input<'_, T, I>,
    ) -> Result<Vec<O::Acc>, Error> {
        let (queue, scratch) = (&self.queue, self.ready()?);
        let totals = scratch.front()?;
        if let Err(error) = self.enqueue_spans(&(kernel, input), kernels, plan, totals) {
            // Waits before it reports the error: some launches may run although a later one failed.
            let _waited = queue.wait();
            return Err(error);
        }
        let count = input.len().div_ceil(span_len(plan)) as usize;
        let mut accs = memory::with_room(count)?;
        queue.collect(totals, None, count, |arrived: &[O::Acc], _| accs.extend(arrived.iter().copied()))?;
        Ok(accs)
    }

    /// Enqueues the launches that fold the spans of an input to partial results.
    pub(crate) fn enqueue_spans(
        &self,
        reduction: &dyn Reduction,
        kernels: &Kernels,
        plan: &Plan,
        partials: Region<'_>,
    ) -> Result<(), Error> {
        let input = reduction.input();
        for (first, len) in parts(plan, input.len, input.element_bytes) {
            let at = first / span_len(plan);
            self.queue.fold_spans(reduction, kernels, plan, (first, len), (partials, at))?;
        }
        Ok(())
    }

    /// Enqueues the launch that copies the elements of `input` along `axes`, starting at element `first`, to `out`.
    pub(crate) fn enqueue_pack<T: Element>(
        &self,
        kernels: &Kernels,
        multiprocessors: u32,
        (input, first): (Input<'_, T>, usize),
        axes: &[Axis],
        out: Region<'_>,
    ) -> Result<(), Error> {
        let queue = &self.queue;
        queue.context().usable()?;
        queue.make_room()?;
        queue.pack(kernels, multiprocessors, (input, first), axes, out)
    }

    /// [`enqueue_pack`](Self::enqueue_pack) for words anywhere in `memory`. `first` counts from its beginning.
    pub(crate) fn enqueue_pack_of<W: Element>(
        &self,
        cuda: &Cuda,
        memory: &Arc<Memory>,
        first: usize,
        axes: &[Axis],
        out: Region<'_>,
    ) -> Result<(), Error> {
        let words = Input::<W>::new(memory, 0, memory.bytes() / size_of::<W>())?;
        self.enqueue_pack(cuda.kernels(), cuda.multiprocessors(), (words, first), axes, out)
    }

    /// Enqueues the launch that copies the elements of `x` at `count` positions to `out`. `x.1` is the number of elements.
    pub(crate) fn enqueue_gather(
        &self,
        cuda: &Cuda,
        x: (Items<'_>, u64),
        (positions, count): (Items<'_>, u64),
        out: Region<'_>,
    ) -> Result<(), Error> {
        let words = moves_of(x.0.region.address(), x.0.bytes)?;
        let blocks = gather_blocks(count, cuda.multiprocessors());
        self.queue.gather(cuda.kernels(), words, x, positions, out, (count, blocks))
    }

    /// Returns at least `bytes` bytes of device memory for data that one launch leaves for the next. All calls share
    /// it, because their launches follow each other. A graph gets memory of its own.
    pub(crate) fn room(&self, bytes: usize) -> Result<Arc<Memory>, Error> {
        self.kept(&self.room, bytes)
    }

    /// Does [`room`](Self::room) for accumulators that the same call finishes.
    pub(crate) fn accumulators(&self, bytes: usize) -> Result<Arc<Memory>, Error> {
        self.kept(&self.accumulators, bytes)
    }

    fn kept(&self, room: &RefCell<Option<Arc<Memory>>>, bytes: usize) -> Result<Arc<Memory>, Error> {
        if self.queue.is_recording() {
            return Ok(Memory::of_work(&self.queue, bytes)?);
        }
        let mut room = room.borrow_mut();
        if let Some(room) = room.as_ref().filter(|room| room.bytes() >= bytes) {
            return Ok(room.clone());
        }
        let memory = Memory::of_work(&self.queue, bytes)?;
        if bytes <= MOST_ROOM_BYTES {
            *room = Some(memory.clone());
        }
        Ok(memory)
    }

    /// Records what `calls` enqueues, with scratch memory for this graph alone.
    pub(crate) fn record(&self, calls: impl FnOnce() -> Result<(), Error>) -> Result<Graph, Error> {
        if self.queue.is_recording() {
            return Err(Error::Capturing { during: "recording a graph" });
        }
        let own = self.scratch.replace(Some(Arc::new(Scratch::new(&self.queue)?)));
        // Restores the scratch even if `calls` panics.
        let _own = PutBack { cell: &self.scratch, own };
        let recording = Recording::start(&self.queue)?;
        calls()?;
        Ok(recording.end()?)
    }
}

/// Restores an executor's scratch when dropped.
struct PutBack<'a> {
    cell: &'a RefCell<Option<Arc<Scratch>>>,
    own: Option<Arc<Scratch>>,
}

impl Drop for PutBack<'_> {
    fn drop(&mut self) {
        self.cell.replace(self.own.take());
    }
}

/// Returns the plan for `n` elements: the table's if it has one, otherwise one limited by the kernel's registers, which
/// determine threads per block and resident blocks of 256 threads on a multiprocessor.
pub(crate) fn plan<T: Element>(
    entries: &[Entry; 3],
    n: u64,
    multiprocessors: u32,
    table: &Table,
    most_threads: impl Fn(Entry) -> Result<u32, Error>,
    resident: impl FnOnce(Entry) -> Result<u32, Error>,
) -> Result<Plan, Error> {
    if let Some(plan) = table.plan::<T>(entries, n, multiprocessors, &most_threads)? {
        return Ok(plan);
    }
    let &[block, grid, _] = entries;
    let plan = Plan::new::<T>(n, multiprocessors);
    match plan.passes() {
        _ if plan.is_empty() => Ok(plan),
        Passes::Block if plan.threads() == tree::THREADS as u32 => Ok(plan),
        Passes::Block => Ok(plan.limited_to(most_threads(block)?)),
        _ => Ok(Plan::for_residents::<T>(n, multiprocessors, resident(grid)?)),
    }
}

/// Returns the launches of a first pass, as (first element, number): whole spans, few enough that no launch runs long.
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
                let plan = Plan::with_config::<f32>(n, Passes::Recursive { fan_in: 32 }, threads, 7)
                    .expect("a plan");
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
