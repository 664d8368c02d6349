//! Groups of operators with an [atomic instruction](Op::ATOMIC): each element updates its group's accumulator, in any order.
//!
//! An accumulator is kept as the integer `acc ^ IDENTITY`: memory of zeros has the accumulators of no elements, and an element whose
//! integer is 0 changes nothing.
//!
//! **Few groups** have accumulators in each block's shared memory, several for each group, which neighbouring lanes take in turn. The
//! block adds them to those in global memory at its end. **Many groups** have theirs in global memory. There a group with a large
//! share of the elements would be updated one element at a time: so a block keeps accumulators for the groups that it meets first,
//! one for each hash of an id. A frequent id is met early.

use core::ops::BitXor;

use bytemuck::Pod;
use cuda_std::atomic::{AtomicCells, AtomicWord};
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::grid::let_next_launch_start;
use cuda_std::shared::{DynamicShared, SharedSlice};
use cuda_std::thread::{block_dim_x, block_idx_x, grid_dim_x, index_1d, sync_threads, thread_idx_x};
use cuda_std::warp::lane_id;
use warpfold_exact::unrolled;

use super::histogram::{Check, each};
use super::shapes::{CACHE_LOG2, CACHE_SLOTS};
use crate::op::{Atomic, Element, Op};

/// Elements that a thread has under way.
const AT_ONCE: usize = 8;

cuda_std::dynamic_shared! {
    /// A block's accumulators.
    fn block_accumulators
}

/// The bits of an accumulator.
pub(crate) trait Cell: AtomicWord + BitXor<Output = Self> + Default + PartialEq {
    /// Returns what `by` makes of two integers.
    fn combine(by: Atomic, left: Self, right: Self) -> Self;
    /// Updates integer `index` of shared memory.
    fn update_shared(by: Atomic, memory: DynamicShared, index: usize, value: Self);

    /// Updates integer `index` of global memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn update(by: Atomic, cells: AtomicCells<Self>, index: u64, value: Self) {
        match by {
            Atomic::Add => cells.add(index, value),
            Atomic::Max => cells.max(index, value),
            Atomic::Or => cells.or(index, value),
            Atomic::Xor => cells.xor(index, value),
        }
    }
}

macro_rules! combine {
    () => {
        #[cfg_attr(target_arch = "nvptx64", inline(always))]
        fn combine(by: Atomic, left: Self, right: Self) -> Self {
            match by {
                Atomic::Add => left.wrapping_add(right),
                Atomic::Max => left.max(right),
                Atomic::Or => left | right,
                Atomic::Xor => left ^ right,
            }
        }
    };
}

impl Cell for u32 {
    combine!();

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn update_shared(by: Atomic, memory: DynamicShared, index: usize, value: Self) {
        let words = memory.slice::<u32>();
        match by {
            Atomic::Add => words.add(index, value),
            Atomic::Max => words.max(index, value),
            Atomic::Or => words.or(index, value),
            Atomic::Xor => words.xor(index, value),
        }
    }
}

impl Cell for u64 {
    combine!();

    /// A GPU updates 8 bytes of shared memory by comparing and swapping until it succeeds. So the halves are updated one by one
    /// where they are independent, but for a carry.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn update_shared(by: Atomic, memory: DynamicShared, index: usize, value: Self) {
        let (low, mut high) = (value as u32, (value >> 32) as u32);
        let words = memory.slice::<u32>();
        match by {
            Atomic::Max => return memory.slice::<u64>().max(index, value),
            Atomic::Add => {
                let before = words.fetch_add(2 * index, low);
                high = high.wrapping_add(u32::from(before.overflowing_add(low).1));
            }
            Atomic::Or => words.or(2 * index, low),
            Atomic::Xor => words.xor(2 * index, low),
        }
        if high != 0 {
            u32::update_shared(by, memory, 2 * index + 1, high);
        }
    }
}

/// The accumulators of all groups.
#[derive(Clone, Copy)]
pub(crate) struct Accumulators<C> {
    /// The integer of each group.
    pub(crate) cells: AtomicCells<C>,
    /// Of operators whose results need to know whether there were elements: becomes 1 for a group with an element whose integer is 0.
    pub(crate) seen: Option<AtomicCells<u32>>,
}

/// Folds each element into its group's accumulator. A block has `1 << copies_log2` accumulators for each group in shared memory, or
/// [`CACHE_SLOTS`] for some groups, if `copies_log2` is not there.
///
/// Called by: every thread of every block. Valid in: `to`, when the launch has ended. Scratch: the block's accumulators.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fold<T: Element, O: Op<T>, I: Pod + Into<u64>, C: Cell>(
    op: O,
    ids: GlobalSlice<I>,
    x: GlobalSlice<T>,
    check: Check,
    to: Accumulators<C>,
    copies_log2: Option<u32>,
) {
    let Some(by) = O::ATOMIC else { return };
    // The integer of an element, unless it changes nothing.
    let integer = |place: u64, id: u64, x: T| {
        if id >= check.groups {
            check.first_bad.min(0, place);
            return None;
        }
        let value = bytemuck::cast::<_, C>(op.lift(x, 0)) ^ bytemuck::cast(O::IDENTITY);
        if value != C::default() {
            return Some(value);
        }
        if let Some(seen) = to.seen {
            seen.store(id, 1);
        }
        None
    };
    let add = |group: u64, value: C| {
        if value != C::default() {
            C::update(by, to.cells, group, value);
        }
    };
    let memory = block_accumulators();
    let (thread, threads) = (thread_idx_x(), block_dim_x());
    if let Some(log2) = copies_log2 {
        let (groups, last_copy) = (check.groups as u32, (1 << log2) - 1);
        each(thread, threads, groups << log2, |at| memory.slice().write(at as usize, C::default()));
        sync_threads();
        let own = lane_id() & last_copy;
        for_each(ids, x, |place, id, x| {
            if let Some(value) = integer(place, id, x) {
                C::update_shared(by, memory, ((id as u32) << log2 | own) as usize, value);
            }
        });
        sync_threads();
        each(thread, threads, groups, |group| {
            let mut sum = C::default();
            // From another one in each thread, so that their banks differ.
            each(0, 1, last_copy + 1, |copy| {
                let at = group << log2 | (copy + thread) & last_copy;
                sum = C::combine(by, sum, memory.slice().read(at as usize));
            });
            add(group.into(), sum);
        });
    } else {
        let cache = Cache { owners: memory.slice(), first_owner: CACHE_SLOTS * size_of::<C>() / 4 };
        each(thread, threads, CACHE_SLOTS as u32, |slot| {
            memory.slice().write(slot as usize, C::default());
            cache.clear(slot as usize);
        });
        sync_threads();
        for_each(ids, x, |place, id, x| {
            if let Some(value) = integer(place, id, x) {
                match cache.slot(id) {
                    Some(slot) => C::update_shared(by, memory, slot, value),
                    None => C::update(by, to.cells, id, value),
                }
            }
        });
        sync_threads();
        each(thread, threads, CACHE_SLOTS as u32, |slot| {
            if let Some(group) = cache.owner(slot as usize) {
                add(group, memory.slice().read(slot as usize));
            }
        });
    }
    let_next_launch_start();
}

/// Which groups have a block's accumulators: the first that comes owns its slot until the block ends.
#[derive(Clone, Copy)]
struct Cache {
    owners: SharedSlice<u32>,
    /// The owner of slot 0.
    first_owner: usize,
}

impl Cache {
    /// The owner of a slot without a group. No group has this number, nor one that 32 bits cannot hold.
    const NONE: u32 = u32::MAX;

    /// Removes the owner of `slot`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn clear(self, slot: usize) {
        self.owners.write(self.first_owner + slot, Self::NONE);
    }

    /// Returns the group that owns `slot`, after a barrier.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn owner(self, slot: usize) -> Option<u64> {
        let owner = self.owners.read(self.first_owner + slot);
        (owner != Self::NONE).then_some(owner.into())
    }

    /// Returns the slot that `group` owns, and makes it the owner if there is none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn slot(self, group: u64) -> Option<usize> {
        if group >= Self::NONE.into() {
            return None;
        }
        let group = group as u32;
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): ids that follow each other have slots far apart.
        let slot = (group.wrapping_mul(0x9e37_79b1) >> (u32::BITS - CACHE_LOG2)) as usize;
        let at = self.first_owner + slot;
        let mut owner = self.owners.load(at);
        if owner == Self::NONE {
            owner = self.owners.compare_exchange(at, Self::NONE, group);
        }
        (owner == group || owner == Self::NONE).then_some(slot)
    }
}

/// Calls `call` with the place, the id and the element of each place.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn for_each<I: Pod + Into<u64>, T: Element>(
    ids: GlobalSlice<I>,
    x: GlobalSlice<T>,
    mut call: impl FnMut(u64, u64, T),
) {
    let threads = block_dim_x();
    let last = u64::from((AT_ONCE as u32 - 1) * threads);
    let tile = last + u64::from(threads);
    let mut first = u64::from(block_idx_x()) * tile + u64::from(thread_idx_x());
    while first < x.len() {
        if first + last < x.len() {
            let (ids, x) =
                (ids.read_column::<AT_ONCE>(first, threads), x.read_column::<AT_ONCE>(first, threads));
            unrolled!(i < AT_ONCE => { call(first + u64::from(i as u32 * threads), ids[i].into(), x[i]) });
        } else {
            let mut place = first;
            while place < x.len() {
                call(place, ids.read(place).into(), x.read(place));
                place += u64::from(threads);
            }
        }
        first += u64::from(grid_dim_x()) * tile;
    }
}

/// Writes the accumulator of each integer of `cells` to `out`, and to `lens` whether it has elements, as 1 or 0.
///
/// Called by: any threads, which take groups by a stride. Valid in: what is written, when the launch has ended. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn write<C: Cell>(
    cells: GlobalSlice<C>,
    identity: C,
    seen: Option<GlobalSlice<u32>>,
    out: GlobalCells<C>,
    lens: Option<GlobalCells<u64>>,
) {
    let step = u64::from(grid_dim_x()) * u64::from(block_dim_x());
    let mut group = index_1d();
    while group < cells.len() {
        let integer = cells.read(group);
        out.write(group, integer ^ identity);
        if let (Some(seen), Some(lens)) = (seen, lens) {
            lens.write(group, u64::from((integer != C::default()) | (seen.read(group) != 0)));
        }
        group += step;
    }
    let_next_launch_start();
}
