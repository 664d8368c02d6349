//! Elements by group: folded where an atomic instruction gives the same bits in any order, or else sorted.

use gpu_kernels::Element;

use crate::cuda::DeviceResults;
use crate::cuda::executor::Executor;
use crate::cuda::groups::atomics::Folded;
use crate::cuda::groups::partition::Partition;
use crate::cuda::input::Work;
use crate::cuda::launch::Input;
use crate::cuda::segments;
use crate::error::Error;
use crate::index_type::IndexType;
use crate::kernel::RowsKernel;
use crate::kernel::entry::Entry;
use crate::kernel::moves::ACCUMULATORS;

/// Elements by group, on the device.
pub(crate) enum Grouped {
    /// Each group's accumulator.
    Folded(Folded),
    /// As many elements, group after group.
    Sorted(Partition, usize),
}

impl Grouped {
    /// Waits, and returns the index of the first id that belongs to no group.
    pub(crate) fn first_bad(&self, executor: &Executor) -> Result<Option<u64>, Error> {
        match self {
            Self::Folded(folded) => folded.first_bad(executor),
            Self::Sorted(sorted, _) => sorted.first_bad(executor),
        }
    }
}

impl Work<'_> {
    /// Enqueues the launches that fold or sort `x` by group. `ids` has the group of each element, of `groups` groups, at most 2^32. Both
    /// have the same length, at least 1.
    pub(crate) fn grouped<I: IndexType, T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        (ids, x): (Input<'_, I>, Input<'_, T>),
        groups: u64,
    ) -> Result<Grouped, Error> {
        let (cuda, executor) = (self.cuda, self.executor);
        match O::GROUPS {
            Some(entries) if groups > 0 => {
                executor.enqueue_atomics((cuda, entries), op, (ids, x), groups).map(Grouped::Folded)
            }
            _ => {
                let len = x.len() as usize;
                executor.enqueue_partition(cuda, ids, x, groups).map(|sorted| Grouped::Sorted(sorted, len))
            }
        }
    }

    /// Enqueues the launches that write the results of the first groups to `out`, one each.
    pub(crate) fn of_groups<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        grouped: &Grouped,
        out: &DeviceResults<T, O>,
    ) -> Result<(), Error> {
        match grouped {
            Grouped::Folded(folded) => self.of_atomics(folded, out),
            Grouped::Sorted(sorted, len) => {
                self.between::<T, O>(op, sorted.elements(*len)?, sorted.offsets()?, out)
            }
        }
    }
}

/// Returns the kernels launched for groups.
pub(crate) fn entries<T: Element, O: RowsKernel<T>>() -> Vec<Entry> {
    match O::GROUPS {
        Some(entries) => vec![entries.groups.untyped(), ACCUMULATORS.untyped(), O::ROWS.finish.untyped()],
        None => segments::entries::<T, O>().into(),
    }
}
