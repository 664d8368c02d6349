//! The launches that find runs of equal keys, with arguments that are checked to be what the kernels may touch: as
//! [`launch`](super::launch) does for one input.

use gpu_kernels::moves::groups::shape::SCAN_THREADS;

use super::launch::erase;
use super::memory::Region;
use super::portions::{Items, Portions};
use super::{Kernels, Queue};
use crate::error::Error;
use crate::moves::Moves;

impl Queue {
    /// Counts the runs of equal keys that begin in each block's portion.
    pub(in crate::cuda) fn count_runs(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        keys: Items<'_>,
        portions: Portions,
        counts: Region<'_>,
    ) -> Result<(), Error> {
        let Portions { mut len, mut portion, blocks } = portions;
        let mut from = Items { bytes: moves.bytes, ..keys }.open(self, len, moves.bytes)?;
        let mut to = counts.array_of::<u64>(u64::from(blocks))?;
        self.keep_memory(counts.memory())?;
        let arguments = [erase(&mut from), erase(&mut len), erase(&mut portion), erase(&mut to)];
        // SAFETY: the arguments of `raw::count_runs`: as many readable keys and room for a number per block, checked above;
        // the queue keeps both.
        unsafe { self.launch_erased(kernels, moves.count_runs, blocks, SCAN_THREADS, arguments) }
    }

    /// Writes where each of `count` runs begins and the last one ends, and their keys. `before` was counted by
    /// [`count_runs`](Self::count_runs) from the same keys and portions, and [summed up](Self::scan).
    pub(in crate::cuda) fn write_runs(
        &self,
        kernels: &Kernels,
        moves: &Moves,
        keys: Items<'_>,
        portions: Portions,
        before: Region<'_>,
        (offsets, of_runs, mut count): (Region<'_>, Items<'_>, u64),
    ) -> Result<(), Error> {
        let Portions { mut len, mut portion, blocks } = portions;
        let mut from = Items { bytes: moves.bytes, ..keys }.open(self, len, moves.bytes)?;
        let mut sums = before.array_of::<u64>(u64::from(blocks) + 1)?;
        let mut to = offsets.array_of::<u64>(count.saturating_add(1))?;
        let mut keys_to = Items { bytes: moves.bytes, ..of_runs }.open(self, count, moves.bytes)?;
        self.keep_memory(before.memory())?;
        self.keep_memory(offsets.memory())?;
        let arguments = [
            erase(&mut from),
            erase(&mut len),
            erase(&mut portion),
            erase(&mut sums),
            erase(&mut to),
            erase(&mut keys_to),
            erase(&mut count),
        ];
        // SAFETY: the arguments of `raw::write_runs`: as many readable keys, sums of each block and one, and room for as many
        // offsets and keys as are said, checked above and by the kernel; the queue keeps all.
        unsafe { self.launch_erased(kernels, moves.write_runs, blocks, SCAN_THREADS, arguments) }
    }
}
