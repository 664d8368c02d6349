//! The launches that fold one input. They check that their arguments are memory the kernels may touch.

use std::ptr;

use gpu_kernels::addresses::Addresses;
use gpu_kernels::arguments::{Block, Grid, Partials};
use gpu_kernels::shapes::MAX_FAN_IN;
use gpu_kernels::{Element, Op, tree};

use crate::cuda::launch::enqueue::{self, Input, NO_TAG, Output};
use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::entry::Entry;
use crate::kernel::fold::FoldKernel;
use crate::plan::{Passes, Plan};

impl Queue {
    /// Folds all of `input` in one block to `out`.
    pub(crate) fn fold_block<I: Addresses<T>, T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<I, T, O>,
        kernels: &Kernels,
        plan: &Plan,
        input: Input<'_, T, I>,
        out: Output<'_>,
    ) -> Result<(), Error> {
        belongs::<T>(plan, input.len())?;
        if plan.passes() != Passes::Block {
            return Err(Error::Plan { why: "one block is for plans of one block" });
        }
        let (from, len) = (input.part(0, input.len())?, input.len());
        self.keep_beside(input)?;
        let (out, tag) = out.start::<O::Acc>(self, input.memory(), 1)?;
        let arguments = Block { input: from, len, base: input.base(), out, tag, op: kernel.op };
        // SAFETY: `part` checked that `len` elements are readable; a plan of one block, checked above, has at most 16
        // tiles. `start` checked that one accumulator fits, in tagged words if there is a tag. The queue keeps both.
        unsafe { self.launch(kernels, kernel.entries.block, 1, plan.threads(), arguments) }
    }

    /// Folds all of `input` to `out` in one launch, by way of `partials` and a `ticket` that is 0.
    pub(crate) fn fold_grid<I: Addresses<T>, T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<I, T, O>,
        kernels: &Kernels,
        plan: &Plan,
        input: Input<'_, T, I>,
        (partials, ticket): (Region<'_>, Region<'_>),
        out: Output<'_>,
    ) -> Result<(), Error> {
        belongs::<T>(plan, input.len())?;
        let (from, len) = (input.part(0, input.len())?, input.len());
        let between = partials.array_of::<O::Acc>(plan.partials())?;
        let number = ticket.array_of::<u32>(1)?;
        for memory in [partials.memory(), ticket.memory()] {
            self.keep_memory(memory)?;
        }
        self.keep_beside(input)?;
        let (out, tag) = out.start::<O::Acc>(self, input.memory(), 1)?;
        let arguments = Grid {
            input: from,
            len,
            base: input.base(),
            log2_tile: plan.tile_len().ilog2(),
            partials: between,
            ticket: number,
            out,
            tag,
            op: kernel.op,
        };
        // SAFETY: `part` checked that `len` elements are readable. `array_of` checked the room for one accumulator per
        // span, at most 4096 (no plan has more), and for the ticket; `start` checked the room for the result, in tagged
        // words if there is a tag. The queue keeps all memory, and runs its work in order, so no other launch uses the
        // partials and the ticket.
        unsafe { self.launch(kernels, kernel.entries.grid, plan.blocks(), plan.threads(), arguments) }
    }

    /// Folds the `len` elements of `input` from `first` on by spans of a plan, to one accumulator for each span from
    /// index `at` of `partials` on. They must be whole spans, except at the end of the input.
    pub(crate) fn fold_spans<I: Addresses<T>, T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<I, T, O>,
        kernels: &Kernels,
        plan: &Plan,
        input: Input<'_, T, I>,
        (first, len): (u64, u64),
        (partials, at): (Region<'_>, u64),
    ) -> Result<(), Error> {
        let span_len = span_len(plan);
        let from = input.part(first, len)?;
        let are_whole = len.is_multiple_of(span_len) || first + len == input.len();
        if len == 0 || !first.is_multiple_of(span_len) || !are_whole {
            return Err(Error::Plan { why: "a part of the input is whole spans of its plan" });
        }
        let spans = len.div_ceil(span_len);
        let between = partials.array_of::<O::Acc>(at.saturating_add(spans))?.wrapping_add(at as usize);
        self.keep_memory(input.memory())?;
        self.keep_memory(partials.memory())?;
        self.keep_beside(input)?;
        let arguments = Grid {
            input: from,
            len,
            base: input.base() + first,
            log2_tile: plan.tile_len().ilog2(),
            partials: between,
            ticket: ptr::null_mut(),
            out: ptr::null_mut(),
            tag: NO_TAG,
            op: kernel.op,
        };
        let blocks = u64::from(plan.blocks()).min(spans) as u32;
        // SAFETY: there is no ticket. `part` checked that `len` elements are readable, and `array_of` the room for one
        // accumulator per span. The queue keeps all memory, and no other launch under way writes the accumulators
        // of these spans.
        unsafe { self.launch(kernels, kernel.entries.grid, blocks, plan.threads(), arguments) }
    }

    /// Folds `count` partial results in portions of `fan_in`, each to one accumulator in `out`.
    pub(crate) fn fold_partials<T: Element, O: Op<T>>(
        &self,
        entry: Entry<Partials<T, O>>,
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
        let input = partials.array_of::<O::Acc>(count)?;
        let (out, tag) = out.start::<O::Acc>(self, partials.memory(), portions)?;
        let arguments = Partials { input, count, fan_in, out, tag };
        // SAFETY: `array_of` checked that `count` accumulators are readable, and `start` that one per block fits, in
        // tagged words if there is a tag. The queue keeps both.
        unsafe { self.launch(kernels, entry, blocks, tree::THREADS as u32, arguments) }
    }
}

/// Returns the number of elements that one block folds to one partial result: a tile for each 256 of its threads.
pub(crate) fn span_len(plan: &Plan) -> u64 {
    plan.tile_len() * (u64::from(plan.threads()) / tree::THREADS as u64)
}

/// Fails unless the plan is for `len` elements of type `T`.
pub(crate) fn belongs<T: Element>(plan: &Plan, len: u64) -> Result<(), Error> {
    if plan.len() == len && plan.tile_len() == tree::tile_len::<T>(len) {
        return Ok(());
    }
    Err(Error::Plan { why: "it must be made for as many elements of the same type as are reduced" })
}
