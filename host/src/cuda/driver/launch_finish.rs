//! The launch that makes results of accumulators, with arguments that are checked to be what the kernel may touch.

use gpu_kernels::tree;

use super::launch::erase;
use super::memory::Region;
use super::{Kernels, Queue};
use crate::error::Error;
use crate::{Element, RowsKernel, StoredOf};

impl Queue {
    /// Finishes `count` accumulators, at least one, to `out`: each of `len` elements or, with offsets, of those from its own
    /// to the next one.
    pub(in crate::cuda) fn finish<T: Element, O: RowsKernel<T>>(
        &self,
        kernels: &Kernels,
        blocks: u32,
        (accs, offsets): (Region<'_>, Option<Region<'_>>),
        (mut count, mut len): (u64, u64),
        out: Region<'_>,
    ) -> Result<(), Error> {
        let mut from = accs.array_of::<O::Acc>(count)?;
        let mut to = out.array_of::<StoredOf<T, O>>(count)?;
        let mut between = match offsets {
            Some(offsets) => offsets.array_of::<u64>(count.saturating_add(1))?,
            None => 0,
        };
        for region in [Some(accs), offsets, Some(out)].into_iter().flatten() {
            self.keep_memory(region.memory())?;
        }
        let arguments =
            [erase(&mut from), erase(&mut count), erase(&mut len), erase(&mut between), erase(&mut to)];
        // SAFETY: the arguments of `raw::finish`: as many readable accumulators and writable results as `count`, and one
        // offset more if there are any, as `array_of` has checked; the queue keeps all.
        unsafe { self.launch_erased(kernels, O::FINISH, blocks, tree::THREADS as u32, arguments) }
    }
}
