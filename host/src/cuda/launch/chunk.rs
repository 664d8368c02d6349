//! The launch that folds a chunk of an input of which the device has only a part.

use std::sync::Arc;

use gpu_kernels::tree;

use crate::cuda::launch::fold::span_len;
use crate::cuda::launch::memory::{Memory, Region};
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::fold::FoldKernel;
use crate::{Element, Op, Plan};

impl Queue {
    /// Folds the first `len` elements of `chunk`, which begin at element `first` of the plan's input, to their places
    /// in `partials`. The chunk is whole spans, except at the end of the input.
    pub(in crate::cuda) fn fold_chunk<T: Element, O: Op<T>>(
        &self,
        kernel: FoldKernel<*const T, T, O>,
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
        let from = chunk.whole().array_of::<T>(len)?.cast_const();
        // SAFETY: `array_of` checked that the chunk begins with `len` elements.
        unsafe { self.launch_spans(kernel, kernels, plan, (chunk, from), (first, len), partials) }
    }
}
