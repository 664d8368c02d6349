//! The launch that computes results from accumulators. It checks that its arguments are memory the kernel may touch.

use gpu_kernels::arguments::Finish;
use gpu_kernels::{Element, tree};

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::RowsKernel;

impl Queue {
    /// Finishes `count` accumulators, at least one, to `out`. Each is of `len` elements or, with offsets, of the
    /// elements from its own offset to the next one.
    pub(crate) fn finish<T: Element, O: RowsKernel<T>>(
        &self,
        kernels: &Kernels,
        blocks: u32,
        (accs, offsets): (Region<'_>, Option<Region<'_>>),
        (count, len): (u64, u64),
        out: Region<'_>,
    ) -> Result<(), Error> {
        let arguments = Finish {
            accs: self.opened(accs, count)?,
            count,
            len,
            offsets: self.opened_if(offsets, count.saturating_add(1))?,
            out: self.opened(out, count)?,
        };
        // SAFETY: `opened` checked that there are `count` readable accumulators and writable results and, with
        // offsets, `count + 1` of these. The queue keeps all memory.
        unsafe { self.launch(kernels, O::ROWS.finish, blocks, tree::THREADS as u32, arguments) }
    }
}
