//! The launches that fold groups by atomics. They check that their arguments are memory the kernels may touch, as
//! [`enqueue`](crate::cuda::launch::enqueue) does for one input.

use cuda_std::memory::{Readable, Writable};
use gpu_kernels::Element;
use gpu_kernels::arguments::{GroupAccumulators, GroupsByAtomics};
use gpu_kernels::groups::shapes::{ATOMIC_THREADS, GATHER_THREADS, NO_COPIES, cache_bytes, copies_log2};

use crate::cuda::launch::enqueue::Input;
use crate::cuda::launch::gather::gather_blocks;
use crate::cuda::launch::groups::partition::IdCheck;
use crate::cuda::launch::memory::Region;
use crate::cuda::launch::portions::{Items, width};
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::RowsKernel;
use crate::kernel::family::GroupEntries;
use crate::kernel::moves::ACCUMULATORS;

/// Blocks for each multiprocessor, of which 2 are resident: later ones even out differences. To be measured: 2 and 3.
const BLOCKS: u32 = 4;

/// Elements of a block's tile.
const TILE: u64 = ATOMIC_THREADS as u64 * 8;

/// Integers that stand for the accumulators of groups, and what they are made to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicGroups<'a> {
    /// An integer of the accumulator's size for each group: 0, until elements are folded.
    pub(crate) cells: Region<'a>,
    /// For each group whether an element changed nothing, as u32, if the operator needs to know whether there are elements.
    pub(crate) seen: Option<Region<'a>>,
    /// Number of groups.
    pub(crate) count: u64,
}

impl Queue {
    /// Folds the elements of `x`, at least one, into their groups' cells. Checks the ids.
    pub(crate) fn groups_by_atomics<T: Element, O: RowsKernel<T>>(
        &self,
        kernels: &Kernels,
        entries: GroupEntries<T, O>,
        op: O,
        (ids, x): (Items<'_>, Input<'_, T>),
        check: IdCheck<'_>,
        to: AtomicGroups<'_>,
        (multiprocessors, most_shared): (u32, u32),
    ) -> Result<(), Error> {
        let (len, bytes) = (x.len(), size_of::<O::Acc>() as u64);
        let groups = check.groups.min(to.count);
        // Each block clears its accumulators, and adds them to those of all: worth it for more elements than groups.
        let worth = u32::try_from(len / groups.max(1)).unwrap_or(u32::MAX);
        let log2 = copies_log2(groups, bytes);
        let scratch = (groups.saturating_mul(bytes) << log2).max(bytes);
        let is_shared = worth > 0 && scratch <= u64::from(most_shared);
        let scratch = if is_shared { scratch } else { cache_bytes(bytes) } as u32;
        // As many blocks as the shared memory of a multiprocessor has room for.
        let resident = (most_shared / scratch).clamp(1, BLOCKS);
        let most =
            multiprocessors.saturating_mul(resident).min(if is_shared { worth } else { u32::MAX }).max(1);
        let blocks = u32::try_from(len.div_ceil(TILE)).unwrap_or(u32::MAX).min(most);
        let arguments = GroupsByAtomics {
            ids: ids.open(self, len, ids.bytes)?,
            id_bytes: width(ids.bytes, &[4, 8])?,
            x: self.opened(x.region(), len)?,
            len,
            groups,
            first_bad: self.opened(check.first_bad, 1)?,
            cells: Items { region: to.cells, bytes: bytes as usize }.open(self, groups, bytes as usize)?,
            seen: self.opened_if(to.seen, groups)?,
            copies_log2: if is_shared { log2 } else { NO_COPIES },
            op,
        };
        let shape = (blocks, ATOMIC_THREADS, scratch);
        // SAFETY: `open` and `opened` checked above that the ids and the elements are readable and that there are cells for all
        // groups; `scratch` has room for the accumulators of a block. The queue keeps all memory.
        unsafe { self.launch_with_scratch(kernels, entries.groups, shape, arguments) }
    }

    /// Writes the accumulators of all groups to `out`, and to `lens`, if the operator needs it, whether each has elements.
    pub(crate) fn group_accumulators(
        &self,
        kernels: &Kernels,
        from: AtomicGroups<'_>,
        (identity, bytes): (u64, usize),
        (out, lens): (Region<'_>, Option<Region<'_>>),
        multiprocessors: u32,
    ) -> Result<(), Error> {
        let count = from.count;
        let open = |region| Items { region, bytes };
        let arguments = GroupAccumulators {
            cells: open(from.cells).open::<Readable<u8>>(self, count, bytes)?,
            bytes: width(bytes, &[4, 8])?,
            count,
            identity,
            seen: self.opened_if(from.seen, count)?,
            out: open(out).open::<Writable<u8>>(self, count, bytes)?,
            lens: self.opened_if(lens, count)?,
        };
        let blocks = gather_blocks(count, multiprocessors);
        // SAFETY: `open` and `opened_if` checked that all groups have a cell and room for what is written. The queue keeps all
        // memory.
        unsafe { self.launch(kernels, ACCUMULATORS, blocks, GATHER_THREADS, arguments) }
    }
}
