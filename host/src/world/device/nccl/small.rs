//! Small arrays: every rank gets the arrays of all ranks, and folds them.

use std::sync::Arc;

use gpu_kernels::Element;

use crate::cuda::executor::Executor;
use crate::cuda::launch::{Input, Memory, Region};
use crate::error::Error;
use crate::kernel::RowsKernel;
use crate::world::device::nccl::Channel;
use crate::world::device::nccl::pieces::Fold;

impl Channel {
    /// Enqueues a fold of the arrays of all ranks to `to`, on each.
    pub(super) fn fold_small<T: Element, O: RowsKernel<T>>(
        &self,
        executor: &Executor,
        fold: Fold<'_, T, O>,
        scratch: &Arc<Memory>,
        x: Input<'_, T>,
        to: Region<'_>,
    ) -> Result<(), Error> {
        let (len, ranks) = (x.len() as usize, self.communicator.size());
        if len == 0 {
            return Ok(());
        }
        let queue = executor.queue();
        self.in_turn(queue, || {
            let rows = scratch.region(0, ranks * size_of::<T>() * len)?;
            queue.all_gather(&self.communicator, x.region(), rows)?;
            fold.enqueue(executor, (scratch, 0, len), len, to)
        })
    }
}
