//! The launches of the canary, which turn rows of operands into rows of results.

use gpu_kernels::arguments;
use gpu_kernels::canary::Row;

use crate::cuda::launch::memory::Memory;
use crate::cuda::launch::{Kernels, Queue, enqueue};
use crate::error::Error;
use crate::kernel::entry::{Entry, emulated};
use crate::kernel::ship::KERNELS;

/// One of the canary's kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Canary {
    /// Computes [`Row::arithmetic`].
    Arithmetic,
    /// Computes [`Row::roots`].
    Roots,
}

/// Threads per block.
const THREADS: u32 = 256;

impl Canary {
    fn entry(self) -> Entry<arguments::Canary> {
        const ARITHMETIC: Entry<arguments::Canary> = emulated!(
            Entry::among(KERNELS, "float_canary").expect("a kernel of this name"),
            gpu_kernels::entry::raw::arithmetic
        );
        const ROOTS: Entry<arguments::Canary> = emulated!(
            Entry::among(KERNELS, "float_canary_roots").expect("a kernel of this name"),
            gpu_kernels::entry::raw::roots
        );
        match self {
            Self::Arithmetic => ARITHMETIC,
            Self::Roots => ROOTS,
        }
    }

    /// Has the device compute each row, and waits.
    pub(crate) fn compute(
        self,
        queue: &Queue,
        kernels: &Kernels,
        operands: &[Row],
    ) -> Result<Vec<Row>, Error> {
        let blocks = enqueue::blocks(operands.len().div_ceil(THREADS as usize).max(1) as u64)?;
        let input = Memory::uploaded(queue, operands)?;
        let out = Memory::zeroed(queue, size_of_val(operands))?;
        let arguments = arguments::Canary {
            input: queue.opened(input.whole(), operands.len() as u64)?,
            len: operands.len() as u64,
            out: queue.opened(out.whole(), operands.len() as u64)?,
        };
        // SAFETY: `opened` checked that `input` and `out` have `len` rows each, and the queue keeps both. `blocks` has
        // a thread for each row.
        unsafe { queue.launch(kernels, self.entry(), blocks, THREADS, arguments) }?;
        Ok(out.download(queue, 0, operands.len())?)
    }
}
