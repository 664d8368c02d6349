//! The first few elements of the sorted sequence, with their indices.
//!
//! A sample bounds the candidates. Each thread reads a part once, and keeps the elements within the bound. When it has
//! twice as many as wanted, it drops the worse half and lowers the bound. So no input makes it keep or move many
//! elements.

use bytemuck::Zeroable as _;
use gpu_kernels::{At, TotalOrder};

use super::{rank_in, sample};
use crate::cpu::{Cpu, TASK_BYTES, processor, share};
use crate::error::Error;
use crate::memory;
use crate::verb::order::Order;

/// Elements that are compared with the bound at once.
const BLOCK: usize = 128;

/// Least number of candidates before some are dropped.
const KEPT: usize = 1 << 7;

/// Sorting is faster if more than one element in this many is wanted: of few elements, and of many. Each block of many
/// elements has wanted ones.
const MANY_OF_FEW: usize = 4;
const MANY: usize = 64;

/// Most elements that are kept in order while the array is searched.
const MOST_INSERTED: usize = 16;

/// Elements that are compared with the last of these at once.
const INSERTED_BLOCK: usize = 32;

impl Cpu {
    /// Returns the first `k` elements in an order.
    pub(crate) fn first<T: TotalOrder>(&self, x: &[T], k: usize, order: Order) -> Result<Vec<At<T>>, Error> {
        if k > x.len() {
            return Err(Error::TooFew { wanted: k, len: x.len() });
        }
        if k == 0 {
            return Ok(Vec::new());
        }
        let mut found = if x.len() >= sample::WORTH && k <= x.len() / MANY {
            // The bound is expected to enclose a few more than twice the wanted elements.
            let bound = sample::ranks(x, order)?[2 * k * sample::LEN / x.len() + 3];
            let found = self.candidates(x, k, order, bound)?;
            if found.len() < k { self.candidates(x, k, order, !T::Rank::zeroed())? } else { found }
        } else if k <= x.len() / if x.len() < sample::WORTH { MANY_OF_FEW } else { MANY } {
            self.candidates(x, k, order, !T::Rank::zeroed())?
        } else {
            let mut all = self.map(x, |index, &value| At { index: index as u64, value })?;
            self.sort_records(&mut all, order, |at| at.value)?;
            all.truncate(k);
            return Ok(all);
        };
        keep_first(&mut found, k, order);
        // The candidates of each part are unordered.
        found.sort_unstable_by_key(|at| (rank_in(order, at.value), at.index));
        Ok(found)
    }

    /// Returns candidates: the elements up to a bound that can be among the first `k`.
    fn candidates<T: TotalOrder>(
        &self,
        x: &[T],
        k: usize,
        order: Order,
        bound: T::Rank,
    ) -> Result<Vec<At<T>>, Error> {
        let threads = self.threads_for(size_of_val(x));
        // Several parts for each thread, so that no thread waits long.
        let part_len = x.len().div_ceil(4 * threads).max(TASK_BYTES / size_of::<T>().max(1)).max(1);
        if x.len() <= part_len {
            let mut found = memory::with_room(x.len().min((2 * k).max(KEPT)))?;
            processor::widest(Part { x, start: 0, k, order, bound, found: &mut found })?;
            return Ok(found);
        }
        let mut found = memory::filled(Vec::new(), x.len().div_ceil(part_len))?;
        let parts = x.chunks(part_len).zip((0_u64..).step_by(part_len)).zip(&mut found);
        share(self.pool.as_deref(), threads - 1, parts, |((x, start), found)| {
            processor::widest(Part { x, start, k, order, bound, found })
        })?;
        memory::joined(&found)
    }
}

/// A part to be searched for candidates; its first element has the index `start`.
struct Part<'a, T: TotalOrder> {
    x: &'a [T],
    start: u64,
    k: usize,
    order: Order,
    bound: T::Rank,
    found: &'a mut Vec<At<T>>,
}

impl<T: TotalOrder> processor::Job for Part<'_, T> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, _: impl processor::Processor) -> Result<(), Error> {
        in_order!(self.order, order => find(self, |x| rank_in(order, x)))
    }
}

#[inline(always)]
fn find<T: TotalOrder>(part: Part<'_, T>, rank: impl Fn(T) -> T::Rank) -> Result<(), Error> {
    let Part { x, start, k, order, mut bound, found } = part;
    for (block, start) in x.chunks(BLOCK).zip((start..).step_by(BLOCK)) {
        // Among elements equal to the bound, the earlier ones come first. Once `k` are found, no later one
        // is wanted.
        let is_full = found.len() >= k;
        let mut is_any = false;
        if is_full {
            for &x in block {
                is_any |= rank(x) < bound;
            }
        } else {
            for &x in block {
                is_any |= rank(x) <= bound;
            }
        }
        if !is_any {
            continue;
        }
        memory::reserve(found, block.len())?;
        for (&value, index) in block.iter().zip(start..) {
            let rank = rank(value);
            if rank < bound || (rank == bound && found.len() < k) {
                found.push(At { index, value });
            }
        }
        if found.len() >= (2 * k).max(KEPT) {
            bound = keep_first(found, k, order);
        }
    }
    Ok(())
}

/// Writes the first `k` of at least `k` elements to `found`, in order, on this thread.
pub(super) fn first_of_few<T: TotalOrder>(
    x: &[T],
    k: usize,
    order: Order,
    found: &mut Vec<At<T>>,
) -> Result<(), Error> {
    found.clear();
    if k <= MOST_INSERTED {
        memory::reserve(found, k)?;
        processor::widest(Inserted { x, k, order, found });
        return Ok(());
    }
    if k <= x.len() / MANY_OF_FEW {
        processor::widest(Part { x, start: 0, k, order, bound: !T::Rank::zeroed(), found })?;
    } else {
        memory::reserve(found, x.len())?;
        found.extend(x.iter().zip(0..).map(|(&value, index)| At { index, value }));
    }
    keep_first(found, k, order);
    found.sort_unstable_by_key(|at| (rank_in(order, at.value), at.index));
    Ok(())
}

/// A search for few elements, which are kept in order.
struct Inserted<'a, T> {
    x: &'a [T],
    k: usize,
    order: Order,
    found: &'a mut Vec<At<T>>,
}

impl<T: TotalOrder> processor::Job for Inserted<'_, T> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl processor::Processor) {
        in_order!(self.order, order => insert(self, |x| rank_in(order, x)));
    }
}

#[inline(always)]
fn insert<T: TotalOrder>(search: Inserted<'_, T>, rank: impl Fn(T) -> T::Rank) {
    let Inserted { x, k, found, .. } = search;
    let (first, rest) = x.split_at(k);
    found.extend(first.iter().zip(0..).map(|(&value, index)| At { index, value }));
    found.sort_unstable_by_key(|at| (rank(at.value), at.index));
    let Some(last) = found.last() else { return };
    let mut bound = rank(last.value);
    for (block, start) in rest.chunks(INSERTED_BLOCK).zip((k as u64..).step_by(INSERTED_BLOCK)) {
        // An element that equals the last one comes after it.
        if !block.iter().fold(false, |is_any, &x| is_any | (rank(x) < bound)) {
            continue;
        }
        for (&value, index) in block.iter().zip(start..) {
            let own = rank(value);
            if own < bound {
                let place = found.iter().rposition(|at| rank(at.value) <= own).map_or(0, |before| before + 1);
                found.copy_within(place..k - 1, place + 1);
                found[place] = At { index, value };
                bound = rank(found[k - 1].value);
            }
        }
    }
}

/// Keeps the first `k` of at least `k` candidates, in any order, and returns the rank of the last of them.
fn keep_first<T: TotalOrder>(found: &mut Vec<At<T>>, k: usize, order: Order) -> T::Rank {
    let key = |at: &At<T>| (rank_in(order, at.value), at.index);
    let (_, last, _) = found.select_nth_unstable_by_key(k - 1, key);
    let last = rank_in(order, last.value);
    found.truncate(k);
    last
}
