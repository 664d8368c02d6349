//! The launch that packs elements. It checks that its arguments are memory the kernel may touch, as
//! [`fold`](crate::cuda::launch::fold) does for folds.

use gpu_kernels::Element;
use gpu_kernels::arguments::Pack;
use gpu_kernels::pack::axes::Axis;
use gpu_kernels::pack::boxes::BOX_THREADS;
use gpu_kernels::pack::packing::Packing;

use crate::cuda::launch::enqueue::Input;
use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::moves::MOVES;

impl Queue {
    /// Copies the elements of `input` along `axes`, starting at element `first`, to `out` in row-major order, on
    /// `multiprocessors`.
    pub(crate) fn pack<T: Element>(
        &self,
        kernels: &Kernels,
        multiprocessors: u32,
        (input, first): (Input<'_, T>, usize),
        axes: &[Axis],
        out: Region<'_>,
    ) -> Result<(), Error> {
        let bytes = size_of::<T>() as u64;
        let (start, end) = (input.address(), input.address() + input.len() * bytes);
        let first = start.wrapping_add((first as u64).wrapping_mul(bytes));
        let to = out.address();
        let refused =
            Error::Plan { why: "what is packed at once is at least one element, and at most 2^31 boxes" };
        let packing = Packing::new(axes.iter().copied(), size_of::<T>(), first | to).ok_or(refused)?;
        let Packing { word_bytes, before, span, words, boxes, .. } = packing;
        let in_bytes = |words: u64| words.saturating_mul(word_bytes as u64);
        let from = first.wrapping_sub(in_bytes(before));
        if from < start || first > end || in_bytes(span) > end - from {
            return Err(Error::Plan { why: "what is packed lies in the input" });
        }
        out.array_of::<*mut u8>(in_bytes(words))?;
        if from < to.saturating_add(in_bytes(words)) && to < from.saturating_add(in_bytes(span)) {
            return Err(Error::Plan { why: "what is packed does not lie where it goes" });
        }
        self.keep_memory(input.memory())?;
        self.keep_memory(out.memory())?;
        let entry = MOVES.iter().find(|moves| moves.bytes == word_bytes).map(|moves| moves.pack);
        let entry = entry.ok_or(Error::Plan { why: "a word has 1, 2, 4, 8 or 16 bytes" })?;
        let blocks = multiprocessors.max(1).saturating_mul(self.resident(kernels, entry.untyped())?.max(1));
        let arguments = Pack {
            input: input.region().part(from - start, in_bytes(span), 1)?.array_of(0)?,
            len: span,
            out: out.array_of(0)?,
            boxes,
        };
        // SAFETY: `span` words are within the input, and the view's words within the output, both checked above. The
        // packing chose words of a size that divides both addresses and every stride. Input and output do not overlap,
        // checked above. Nothing else writes them: the queue's work is in order, and the caller has exclusive access to
        // the output. The queue keeps both.
        unsafe { self.launch(kernels, entry, blocks.min(boxes.count), BOX_THREADS as u32, arguments) }
    }
}
