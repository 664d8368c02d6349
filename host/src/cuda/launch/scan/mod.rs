//! The launch that scans. It checks that its arguments are memory the kernel may touch, as
//! [`enqueue`](crate::cuda::launch::enqueue) does for folds.

pub(in crate::cuda::launch) mod segments;

use gpu_kernels::scan::Kind;
use gpu_kernels::scan::shapes::{SCAN_THREADS, state_words, tiles};
use gpu_kernels::{Element, arguments};

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::ScanKernel;
use crate::scan::Scan;

impl Queue {
    /// Scans `len` elements, at least one, to `out`, which is other memory, or the elements' own if outputs have their
    /// size. `state` must have room for [`state_words`] words.
    pub(crate) fn scan_tiles<T: Element, O: ScanKernel<T>>(
        &self,
        op: O,
        kernels: &Kernels,
        scan: Scan<O::Acc>,
        (input, len): (Region<'_>, u64),
        state: Region<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let (from, to) = (self.opened(input, len)?, self.opened(out, len)?);
        let words = state_words::<T, O::Acc>(len);
        let board = state.array_of(words)?;
        let blocks = u32::try_from(tiles::<T>(len)).ok().filter(|&blocks| blocks <= i32::MAX as u32);
        let Some(blocks) = blocks.filter(|&blocks| blocks > 0) else {
            return Err(Error::Plan {
                why: "a launch scans at least one element, and at most 2^31 - 1 tiles",
            });
        };
        self.fill(state.part(0, words, size_of::<u64>())?, 0)?;
        let (init, before) = scan.init(O::IDENTITY);
        let arguments = arguments::Scan {
            input: from,
            len,
            is_inclusive: u32::from(scan.kind() == Kind::Inclusive),
            init,
            before,
            state: board,
            out: to,
            op,
        };
        // SAFETY: `opened` and `array_of` checked that there are `len` readable elements and writable outputs, and room for the
        // words, which the work enqueued before has cleared. There is a block for each tile. The queue keeps all
        // memory. Nothing else uses the words, which belong to this queue or this graph, or the outputs, which their
        // cell lends to one queue at a time.
        unsafe { self.launch(kernels, O::SCAN.array, blocks, SCAN_THREADS, arguments) }
    }
}
