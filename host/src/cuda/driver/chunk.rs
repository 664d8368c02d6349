//! The launch that folds a chunk of an input that is not on the device as a whole.

use std::sync::Arc;

use gpu_kernels::tree;

use super::launch::{erase, span_len};
use super::memory::{Memory, Region};
use super::{Kernels, Queue, raw};
use crate::error::Error;
use crate::{Element, Kernel, Plan};

impl Queue {
    /// Folds the `len` elements at the beginning of `chunk`, which stand in the plan's input from element `first` on,
    /// to their partial results, which lie at their places in `partials`. The chunk is whole spans, but for the
    /// input's last.
    pub(in crate::cuda) fn fold_chunk<T: Element, O: Kernel<T>>(
        &self,
        kernels: &Kernels,
        plan: &Plan,
        (chunk, first, len): (&Arc<Memory>, u64, u64),
        partials: Region<'_>,
    ) -> Result<(), Error> {
        let span_len = span_len(plan);
        let end = first.saturating_add(len);
        let whole = first.is_multiple_of(span_len) && (len.is_multiple_of(span_len) || end == plan.len());
        if len == 0 || end > plan.len() || !whole || plan.tile_len() != tree::tile_len::<T>(plan.len()) {
            return Err(Error::Plan { why: "a chunk of the input is whole spans of its plan" });
        }
        let (skipped, spans) = (first / span_len, len.div_ceil(span_len));
        let mut from = chunk.whole().array_of::<T>(len)?;
        let (mut len, mut base) = (len, first);
        let mut log2_tile = plan.tile_len().ilog2();
        let mut between =
            partials.array_of::<O::Acc>(skipped + spans)? + skipped * size_of::<O::Acc>() as u64;
        let (mut no_ticket, mut no_out): (raw::Address, raw::Address) = (0, 0);
        self.keep_memory(chunk)?;
        self.keep_memory(partials.memory())?;
        let arguments = [
            erase(&mut from),
            erase(&mut len),
            erase(&mut base),
            erase(&mut log2_tile),
            erase(&mut between),
            erase(&mut no_ticket),
            erase(&mut no_out),
        ];
        let blocks = u64::from(plan.blocks()).min(spans) as u32;
        // SAFETY: the arguments of `raw::grid` without a ticket: `len` readable elements and room for one accumulator
        // per span; the queue keeps both. No other launch writes these spans' places.
        unsafe { self.launch(kernels, O::GRID, blocks, plan.threads(), arguments) }
    }
}
