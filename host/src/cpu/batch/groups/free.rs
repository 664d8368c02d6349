//! Groups of free operators, whose accumulators take elements in any order.

use std::mem::MaybeUninit;

use gpu_kernels::{Element, Op};

use super::each;
use super::partition::Numbered;
use crate::cpu::{Cpu, share};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::{float_environment, memory};

/// Most groups whose state is kept in one table. With more, it no longer fits the second-level cache, and the elements
/// are sorted into buckets of groups first. For 10^6 groups, buckets take half the time of a table (docs/tuning/cpu.md).
pub(super) const MOST: usize = 1 << 18;

/// The state of a group.
#[derive(Clone, Copy)]
pub(super) struct Group<A> {
    acc: A,
    /// Elements so far, which is also the index of the next one.
    len: u64,
}

impl Cpu {
    /// Folds each group with a free operator: each thread folds a portion, and their accumulators are combined in order.
    pub(super) fn free_groups<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        ids: &[I],
        x: &[T],
        groups: usize,
        threads: usize,
    ) -> Result<Vec<O::Out>, Error> {
        float_environment::check()?;
        let mut all = memory::filled(Group::<O::Acc> { acc: O::IDENTITY, len: 0 }, groups)?;
        let threads = threads.min((x.len() / groups.max(1)).max(1));
        if threads < 2 {
            each(groups, (ids, x), 0, |group, x| append_one(op, &mut all[group], x))?;
        } else {
            // An index counts from the group's first element, which may be in an earlier portion.
            let counts = self.count_groups(ids, groups, threads)?;
            let mut tables: Vec<Vec<Group<O::Acc>>> = memory::with_room(counts.portions.len())?;
            for portion in &counts.portions {
                let table = memory::copied(&all)?;
                for (group, &count) in all.iter_mut().zip(portion) {
                    group.len += u64::from(count);
                }
                tables.push(table);
            }
            let len = counts.portion_len;
            let portions = ids.chunks(len).zip(x.chunks(len)).zip((0..).step_by(len));
            share(
                self.pool.as_deref(),
                threads - 1,
                tables.iter_mut().zip(portions),
                |(table, ((ids, x), base))| {
                    float_environment::check()?;
                    each(groups, (ids, x), base, |group, x| append_one(op, &mut table[group], x))
                },
            )?;
            for table in &tables {
                for (all, group) in all.iter_mut().zip(table) {
                    all.acc = O::combine(all.acc, group.acc);
                }
            }
        }
        memory::collected(all.iter().map(|group| O::finish(group.acc, group.len)))
    }
}

/// Folds an element into its group.
#[inline(always)]
fn append_one<T: Element, O: Op<T>>(op: O, group: &mut Group<O::Acc>, x: T) {
    group.acc = op.append(group.acc, x, group.len);
    group.len += 1;
}

/// Folds the groups of a bucket, and writes their results. `pieces` has their elements, in order; `table` is a reused
/// buffer.
#[inline(always)]
pub(super) fn fold_bucket<'a, T: Element, O: Op<T>>(
    op: O,
    pieces: impl Iterator<Item = &'a [Numbered<T>]>,
    table: &mut Vec<Group<O::Acc>>,
    outs: &mut [MaybeUninit<O::Out>],
) -> Result<(), Error> {
    table.clear();
    memory::resize(table, outs.len(), Group { acc: O::IDENTITY, len: 0 })?;
    for piece in pieces {
        for &Numbered { group, x } in piece {
            append_one(op, &mut table[group as usize], x);
        }
    }
    for (out, group) in outs.iter_mut().zip(table) {
        out.write(O::finish(group.acc, group.len));
    }
    Ok(())
}
