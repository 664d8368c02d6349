//! The launches that find runs of equal keys. They check that their arguments are memory the kernels may touch, as
//! [`enqueue`](crate::cuda::launch::enqueue) does for one input.

use gpu_kernels::arguments::{CountRuns, WriteRuns};
use gpu_kernels::groups::shapes::SCAN_THREADS;

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::{Items, Portions};
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::moves::Moves;

impl Queue {
    /// Counts the runs of equal keys that begin in each block's portion.
    pub(crate) fn count_runs(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        keys: Items<'_>,
        portions: Portions,
        counts: Region<'_>,
    ) -> Result<(), Error> {
        let Portions { len, portion, blocks } = portions;
        let keys = Items { bytes: moves.bytes, ..keys }.open(self, len, moves.bytes)?;
        let arguments = CountRuns { keys, len, portion, counts: self.opened(counts, blocks.into())? };
        // SAFETY: `open_words` and `opened` checked that the keys are readable and that there is room for a number per
        // block. The queue keeps both.
        unsafe { self.launch(kernels, moves.count_runs, blocks, SCAN_THREADS, arguments) }
    }

    /// Writes the start of each of `count` runs, the end of the last one, and the keys. `before` was counted by
    /// [`count_runs`](Self::count_runs) from the same keys and portions, and [summed](Self::scan).
    pub(crate) fn write_runs(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        keys: Items<'_>,
        portions: Portions,
        before: Region<'_>,
        (offsets, of_runs, count): (Region<'_>, Items<'_>, u64),
    ) -> Result<(), Error> {
        let Portions { len, portion, blocks } = portions;
        let arguments = WriteRuns {
            keys: Items { bytes: moves.bytes, ..keys }.open(self, len, moves.bytes)?,
            len,
            portion,
            before: self.opened(before, u64::from(blocks) + 1)?,
            offsets: self.opened(offsets, count.saturating_add(1))?,
            of_runs: Items { bytes: moves.bytes, ..of_runs }.open(self, count, moves.bytes)?,
            count,
        };
        // SAFETY: `open_words` and `opened` checked that the keys, and a sum for each block and one more, are readable,
        // and that there is room for the offsets and keys of `count` runs; the kernel writes no more. The queue keeps
        // all memory.
        unsafe { self.launch(kernels, moves.write_runs, blocks, SCAN_THREADS, arguments) }
    }
}
