//! The launches that fold one input. They check that their arguments are memory the kernels may touch.

use std::alloc::Layout;
use std::ffi::c_void;

use cuda_std::memory::{Atomic, Optional, Writable};
use gpu_kernels::addresses::Addresses;
use gpu_kernels::arguments::{Block, Grid, Partials};
use gpu_kernels::shapes::MAX_FAN_IN;
use gpu_kernels::{Element, Op, tree};

use crate::cuda::launch::enqueue::{self, AnyInput, Input, NO_TAG, Output, layout_of, within};
use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::entry::Entry;
use crate::kernel::fold::FoldKernel;
use crate::plan::{Passes, Plan};

/// What the launches of a reduction need: an operator with its kernels, and an input. It hides their types. So the code that
/// checks and enqueues is compiled once; only the code for the arguments is compiled for each operator and element.
pub(crate) trait Reduction {
    /// The input.
    fn input(&self) -> AnyInput<'_>;

    /// The elements of a tile.
    fn tile_len(&self) -> u64;

    /// The kernel that folds partial results.
    fn partials(&self) -> &dyn Pass;

    /// Enqueues a launch of the kernel that folds in one block, to `out`.
    ///
    /// # Safety
    /// As for [`Queue::launch`] with these arguments.
    unsafe fn launch_block(&self, at: Launch<'_>, out: (Writable<c_void>, u32)) -> Result<(), Error>;

    /// Enqueues a launch of the kernel that folds in a grid, for `len` elements from `first` on. `to` has the addresses of the
    /// partial results and of the ticket.
    ///
    /// # Safety
    /// As for [`Queue::launch`] with these arguments.
    unsafe fn launch_grid(
        &self,
        at: Launch<'_>,
        elements: (u64, u64),
        log2_tile: u32,
        to: (Writable<c_void>, Optional<Atomic<u32>>),
        out: Option<(Writable<c_void>, u32)>,
    ) -> Result<(), Error>;
}

/// A kernel that folds partial results.
pub(crate) trait Pass {
    /// The layout of an accumulator.
    fn acc(&self) -> Layout;

    /// Enqueues a launch for `count` accumulators at an address, to `out`.
    ///
    /// # Safety
    /// As for [`Queue::launch`] with these arguments.
    unsafe fn launch(
        &self,
        at: Launch<'_>,
        accs: (Writable<c_void>, u64),
        fan_in: u32,
        out: (Writable<c_void>, u32),
    ) -> Result<(), Error>;
}

/// Where a launch goes, and its blocks and their threads.
#[derive(Clone, Copy)]
pub(crate) struct Launch<'a> {
    queue: &'a Queue,
    kernels: &'a Kernels,
    blocks: u32,
    threads: u32,
}

impl<I: Addresses<T>, T: Element, O: Op<T>> Reduction for (FoldKernel<I, T, O>, Input<'_, T, I>) {
    fn input(&self) -> AnyInput<'_> {
        self.1.any()
    }

    fn tile_len(&self) -> u64 {
        tree::tile_len::<T>(self.1.len())
    }

    fn partials(&self) -> &dyn Pass {
        &self.0.entries.partials
    }

    unsafe fn launch_block(&self, at: Launch<'_>, (out, tag): (Writable<c_void>, u32)) -> Result<(), Error> {
        let (kernel, input) = self;
        let (len, base) = (input.len(), input.base());
        let arguments = Block { input: input.addresses(), len, base, out: out.cast(), tag, op: kernel.op };
        // SAFETY: guaranteed by the caller.
        unsafe { at.queue.launch(at.kernels, kernel.entries.block, at.blocks, at.threads, arguments) }
    }

    unsafe fn launch_grid(
        &self,
        at: Launch<'_>,
        (first, len): (u64, u64),
        log2_tile: u32,
        (partials, ticket): (Writable<c_void>, Optional<Atomic<u32>>),
        out: Option<(Writable<c_void>, u32)>,
    ) -> Result<(), Error> {
        let (kernel, input) = self;
        let arguments = Grid {
            input: input.addresses().starting_at(first),
            len,
            base: input.base() + first,
            log2_tile,
            partials: partials.cast(),
            ticket,
            out: out.map(|(out, _)| out.cast()).into(),
            tag: out.map_or(NO_TAG, |(_, tag)| tag),
            op: kernel.op,
        };
        // SAFETY: guaranteed by the caller.
        unsafe { at.queue.launch(at.kernels, kernel.entries.grid, at.blocks, at.threads, arguments) }
    }
}

impl<T: Element, O: Op<T>> Pass for Entry<Partials<T, O>> {
    fn acc(&self) -> Layout {
        layout_of::<O::Acc>()
    }

    unsafe fn launch(
        &self,
        at: Launch<'_>,
        (input, count): (Writable<c_void>, u64),
        fan_in: u32,
        (out, tag): (Writable<c_void>, u32),
    ) -> Result<(), Error> {
        let arguments = Partials { input: input.cast(), count, fan_in, out: out.cast(), tag };
        // SAFETY: guaranteed by the caller.
        unsafe { at.queue.launch(at.kernels, *self, at.blocks, at.threads, arguments) }
    }
}

impl Queue {
    /// Folds all of an input in one block to `out`.
    pub(crate) fn fold_block(
        &self,
        reduction: &dyn Reduction,
        kernels: &Kernels,
        plan: &Plan,
        out: Output<'_>,
    ) -> Result<(), Error> {
        belongs(plan, reduction)?;
        if plan.passes() != Passes::Block {
            return Err(Error::Plan { why: "one block is for plans of one block" });
        }
        let (input, acc) = (reduction.input(), reduction.partials().acc());
        self.keep_beside(input)?;
        let out = out.start_of(acc, self, input.memory, 1)?;
        let at = Launch { queue: self, kernels, blocks: 1, threads: plan.threads() };
        // SAFETY: all elements of an input are readable; a plan of one block, checked above, has at most 16 tiles.
        // `start_of` checked that one accumulator fits, in tagged words if there is a tag. The queue keeps both.
        unsafe { reduction.launch_block(at, out) }
    }

    /// Folds all of an input to `out` in one launch, by way of `partials` and a `ticket` that is 0.
    pub(crate) fn fold_grid(
        &self,
        reduction: &dyn Reduction,
        kernels: &Kernels,
        plan: &Plan,
        (partials, ticket): (Region<'_>, Region<'_>),
        out: Output<'_>,
    ) -> Result<(), Error> {
        belongs(plan, reduction)?;
        let (input, acc) = (reduction.input(), reduction.partials().acc());
        let between = partials.array(acc, plan.partials())?;
        let ticket = self.opened_if(Some(ticket), 1)?;
        self.keep_memory(partials.memory())?;
        self.keep_beside(input)?;
        let out = out.start_of(acc, self, input.memory, 1)?;
        let at = Launch { queue: self, kernels, blocks: plan.blocks(), threads: plan.threads() };
        // SAFETY: all elements of an input are readable. `array` checked the room for one accumulator per span, at most
        // 4096 (no plan has more), and `opened_if` for the ticket; `start_of` checked the room for the result, in tagged
        // words if there is a tag. The queue keeps all memory, and runs its work in order, so no other launch uses the
        // partials and the ticket.
        unsafe {
            reduction.launch_grid(at, (0, input.len), plan.tile_len().ilog2(), (between, ticket), Some(out))
        }
    }

    /// Folds the `len` elements of an input from `first` on by spans of a plan, to one accumulator for each span from
    /// index `at` of `partials` on. They must be whole spans, except at the end of the input.
    pub(crate) fn fold_spans(
        &self,
        reduction: &dyn Reduction,
        kernels: &Kernels,
        plan: &Plan,
        (first, len): (u64, u64),
        (partials, at): (Region<'_>, u64),
    ) -> Result<(), Error> {
        let (input, acc) = (reduction.input(), reduction.partials().acc());
        let span_len = span_len(plan);
        within(first, len, input.len)?;
        let are_whole = len.is_multiple_of(span_len) || first + len == input.len;
        if len == 0 || !first.is_multiple_of(span_len) || !are_whole {
            return Err(Error::Plan { why: "a part of the input is whole spans of its plan" });
        }
        let spans = len.div_ceil(span_len);
        let between = partials.part(at, spans, acc.size())?.array(acc, spans)?;
        self.keep_memory(input.memory)?;
        self.keep_memory(partials.memory())?;
        self.keep_beside(input)?;
        let blocks = u64::from(plan.blocks()).min(spans) as u32;
        let to = (between, Optional::none());
        let at = Launch { queue: self, kernels, blocks, threads: plan.threads() };
        // SAFETY: there is no ticket. `within` checked that `len` elements are readable, and `array` the room for one
        // accumulator per span. The queue keeps all memory, and no other launch under way writes the accumulators
        // of these spans.
        unsafe { reduction.launch_grid(at, (first, len), plan.tile_len().ilog2(), to, None) }
    }

    /// Folds `count` partial results in portions of `fan_in`, each to one accumulator in `out`.
    pub(crate) fn fold_partials(
        &self,
        pass: &dyn Pass,
        kernels: &Kernels,
        (partials, count): (Region<'_>, u64),
        fan_in: u32,
        out: Output<'_>,
    ) -> Result<(), Error> {
        if !fan_in.is_power_of_two() || u64::from(fan_in) > MAX_FAN_IN {
            return Err(Error::Plan { why: "the fan-in of a pass is a power of two from 2 to 4096" });
        }
        let portions = count.div_ceil(u64::from(fan_in));
        let blocks = enqueue::blocks(portions)?;
        let input = partials.array(pass.acc(), count)?;
        let out = out.start_of(pass.acc(), self, partials.memory(), portions)?;
        let at = Launch { queue: self, kernels, blocks, threads: tree::THREADS as u32 };
        // SAFETY: `array` checked that `count` accumulators are readable, and `start_of` that one per block fits, in
        // tagged words if there is a tag. The queue keeps both.
        unsafe { pass.launch(at, (input, count), fan_in, out) }
    }
}

/// Returns the number of elements that one block folds to one partial result: a tile for each 256 of its threads.
pub(crate) fn span_len(plan: &Plan) -> u64 {
    plan.tile_len() * (u64::from(plan.threads()) / tree::THREADS as u64)
}

/// Fails unless the plan is for as many elements of the same type.
pub(crate) fn belongs(plan: &Plan, reduction: &dyn Reduction) -> Result<(), Error> {
    if plan.len() == reduction.input().len && plan.tile_len() == reduction.tile_len() {
        return Ok(());
    }
    Err(Error::Plan { why: "it must be made for as many elements of the same type as are reduced" })
}
