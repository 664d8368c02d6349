//! Groups, whose elements may be anywhere.

mod buckets;
mod count;
mod few;
mod free;
mod lanes;
mod partition;
mod short;
mod sorted;
mod waiting;

use gpu_kernels::{Element, Op, is_free};

use crate::cpu::processor::{BLOCK, read_ahead};
use crate::cpu::{Cpu, is_large, large};
use crate::error::{Error, check_lengths};
use crate::index_type::IndexType;

impl Cpu {
    /// Folds each group: see [`crate::groups`].
    pub(crate) fn groups<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        ids: &[I],
        x: &[T],
        groups: usize,
    ) -> Result<Vec<O::Out>, Error> {
        check_lengths(ids.len(), x.len())?;
        if let Some(outs) = few::fold(op, ids, x, groups)? {
            return Ok(outs);
        }
        // Counting the threads starts them, so small inputs avoid it. Large accumulators are folded on one thread's
        // large stack.
        let bytes = size_of_val(ids).saturating_add(size_of_val(x)) / 2;
        let threads = if is_large::<O::Acc>() { 1 } else { self.threads_for(bytes) };
        large::reducing::<O::Acc, _>(|| {
            // `if const`, so that only the operator's own branches are compiled.
            if const { is_free::<T, O>() } && groups <= free::MOST {
                self.free_groups(op, ids, x, groups, threads)
            } else if const { !is_free::<T, O>() } && lanes::are_kept::<T, O>(x.len(), groups) {
                self.groups_by_lanes(op, ids, x, groups, threads)
            } else if const { !is_free::<T, O>() }
                && let Some(outs) = short::groups(op, ids, x, groups)?
            {
                Ok(outs)
            } else {
                self.groups_by_buckets(op, ids, x, groups, threads)
            }
        })?
    }
}

/// Returns the group of the element at `at`.
///
/// # Errors
/// [`Error::Group`] if the id is out of range.
#[inline(always)]
pub(crate) fn group_of<I: IndexType>(id: I, groups: usize, at: usize) -> Result<usize, Error> {
    match id.index() {
        Some(group) if group < groups => Ok(group),
        _ => Err(Error::Group { at, group: id.value(), groups }),
    }
}

/// Calls `append` with the group of each element and the element, in order. The first element has the position `base`.
///
/// # Errors
/// [`Error::Group`] with the first id that is out of range.
#[inline(always)]
fn each<T: Copy, I: IndexType>(
    groups: usize,
    (ids, x): (&[I], &[T]),
    base: usize,
    mut append: impl FnMut(usize, T),
) -> Result<(), Error> {
    let ((id_blocks, last_ids), (blocks, last), mut at) = (read_ahead(ids), read_ahead(x), base);
    for (ids, x) in id_blocks.zip(blocks) {
        for k in 0..BLOCK {
            append(group_of(ids[k], groups, at + k)?, x[k]);
        }
        at += BLOCK;
    }
    for ((&id, &x), at) in last_ids.iter().zip(last).zip(at..) {
        append(group_of(id, groups, at)?, x);
    }
    Ok(())
}

/// Returns the number of elements of a portion, one for each thread. A portion is at least as long as its table of
/// groups.
fn portion_len(len: usize, groups: usize, threads: usize) -> usize {
    len.div_ceil(threads).max(groups).clamp(1, 1 << 30)
}
