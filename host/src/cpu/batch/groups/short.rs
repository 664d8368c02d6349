//! Many groups of few elements: each group keeps a partly folded tree.
//!
//! Up to a tile's number of lanes, a tree consists of pairs of neighbours. A group collects eight elements and folds
//! them. The results go to a stack with one entry for each bit of the number of eights so far, like a binary counter
//! that carries.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

use gpu_kernels::tree::lanes;
use gpu_kernels::{Element, Op};

use super::group_of;
use crate::cpu::batch::{unwritten, with_room};
use crate::cpu::processor::{self, Job};
use crate::cpu::{Cpu, share};
use crate::error::Error;
use crate::float_environment;
use crate::index_type::IndexType;

/// Elements that are folded at once.
const MEET: usize = 8;

/// Most entries of a stack.
const LEVELS: usize = 7;

/// Most elements of a group on average for which all groups probably fit.
/// [2-core Xeon (Sapphire Rapids), Sum of 2^24 f32, sorted by group first and so: in 10^5 groups 181 and 106 ms on one
/// thread, 182 and 70 on two; in 10^6 339 and 181, 300 and 97.]
const FEW: usize = 256;

/// Elements that each thread searches at once for those of its own groups. It prefetches these groups meanwhile.
const BLOCK: usize = 256;

/// With one thread, the distance in elements by which a group is prefetched.
const AHEAD: usize = 16;

/// The state of a group. With accumulators of 4 bytes it is one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Group<A> {
    /// The last elements, at most eight.
    last: [A; MEET],
    stack: [A; LEVELS],
    len: u32,
}

/// Most threads for which it pays off that each reads all ids; and, with more threads, most elements of a group on
/// average.
/// [16-core Xeon, Sum of 2^24 f32, sorted by group first and so: in 10^5 groups 85 and 67 ms on 4 threads, 22 and 40 on
/// 16; in 10^6 129 and 71, 79 and 45.]
const THREADS: usize = 4;
const FEWER: usize = 64;

/// Returns whether to try this way: with many groups of few elements on average, and small accumulators.
pub(super) fn may_be<T: Element, O: Op<T>>(len: usize, groups: usize, threads: usize) -> bool {
    let few = if threads > THREADS { FEWER } else { FEW };
    let is_many = len / few <= groups && (1..=len.min(u32::MAX as usize)).contains(&groups);
    O::COMMUTATIVE && size_of::<O::Acc>() <= 8 && is_many
}

impl Cpu {
    /// Folds each group: every thread reads all ids, and folds the elements of its own groups. Returns `None` if a
    /// group has too many elements.
    ///
    /// # Errors
    /// [`Error::Group`] with the first id that is out of range.
    pub(super) fn short_groups<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        ids: &[I],
        x: &[T],
        groups: usize,
        threads: usize,
    ) -> Result<Option<Vec<O::Out>>, Error> {
        let mut outs = unwritten(groups)?;
        let fits = AtomicBool::new(true);
        let each = groups.div_ceil(threads);
        let tasks = outs.places().chunks_mut(each).zip((0..).step_by(each));
        share(self.pool.as_deref(), threads - 1, tasks, |(outs, first)| {
            float_environment::check()?;
            let mut own = with_room(outs.len())?;
            own.resize(outs.len(), Group { last: [O::IDENTITY; MEET], stack: [O::IDENTITY; LEVELS], len: 0 });
            let mut folded = Ok(());
            processor::widest(Fold {
                op,
                ids,
                x,
                groups,
                first,
                own: &mut own,
                outs,
                fits: &fits,
                folded: &mut folded,
            });
            folded
        })?;
        // SAFETY: each task wrote the results of its groups, unless a group did not fit.
        Ok(fits.into_inner().then(|| unsafe { outs.written() }))
    }
}

/// Folds the elements of the groups from `first` on, whose states are in `own`.
struct Fold<'a, T: Element, O: Op<T>, I> {
    op: O,
    ids: &'a [I],
    x: &'a [T],
    groups: usize,
    first: usize,
    own: &'a mut [Group<O::Acc>],
    outs: &'a mut [MaybeUninit<O::Out>],
    fits: &'a AtomicBool,
    folded: &'a mut Result<(), Error>,
}

impl<T: Element, O: Op<T>, I: IndexType> Job for Fold<'_, T, O, I> {
    #[inline(always)]
    fn run(self) {
        let Self { op, ids, x, groups, first, own, outs, fits, folded } = self;
        *folded = append::<T, O, I>(op, (ids, x), groups, first, own, fits);
        for (out, group) in outs.iter_mut().zip(own) {
            out.write(O::finish(total::<T, O>(group), u64::from(group.len)));
        }
    }
}

/// Appends each element to its group, if that is in `own`, until one does not fit.
#[inline(always)]
fn append<T: Element, O: Op<T>, I: IndexType>(
    op: O,
    (ids, x): (&[I], &[T]),
    groups: usize,
    first: usize,
    own: &mut [Group<O::Acc>],
    fits: &AtomicBool,
) -> Result<(), Error> {
    let is_all = own.len() == groups;
    let mut found = [(0_u32, 0_u32); BLOCK];
    for (start, block) in (0..).step_by(BLOCK).zip(ids.chunks(BLOCK)) {
        let x = &x[start..start + block.len()];
        if !fits.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut goes_on = true;
        if is_all {
            for ((at, &id), &x) in (start..).zip(block).zip(x) {
                if let Some(group) = ids.get(at + AHEAD).and_then(|id| id.index()).and_then(|id| own.get(id))
                {
                    processor::prefetch(group);
                }
                goes_on &= append_one::<T, O>(op, &mut own[group_of(id, groups, at)?], x);
            }
        } else {
            let mut count = 0;
            for (at, &id) in block.iter().enumerate() {
                let group = group_of(id, groups, start + at)?.wrapping_sub(first);
                // Always written; the next one overwrites it if the group is not in `own`.
                found[count] = (at as u32, group as u32);
                if let Some(group) = own.get(group) {
                    processor::prefetch(group);
                    count += 1;
                }
            }
            for &(at, group) in &found[..count] {
                goes_on &= append_one::<T, O>(op, &mut own[group as usize], x[at as usize]);
            }
        }
        if !goes_on {
            fits.store(false, Ordering::Relaxed);
        }
    }
    Ok(())
}

/// Appends an element to its group. Returns `false` if the group has no space for more.
#[inline(always)]
fn append_one<T: Element, O: Op<T>>(op: O, group: &mut Group<O::Acc>, x: T) -> bool {
    let index = group.len;
    let place = index as usize % MEET;
    group.len = index + 1;
    group.last[place] = op.lift(x, u64::from(index));
    if place == MEET - 1 {
        let eights = index as usize / MEET;
        let (acc, level) = carried::<T, O>(group, eights);
        if let Some(entry) = group.stack.get_mut(level) {
            *entry = acc;
        }
    }
    (index as usize) < lanes::<T>().min((MEET << LEVELS) - 1)
}

/// Folds the last eight elements of a group with the stack's entries that they carry into. Returns the result, and the
/// level of its entry. `eights` is the number of eights before.
#[inline(always)]
fn carried<T: Element, O: Op<T>>(group: &Group<O::Acc>, eights: usize) -> (O::Acc, usize) {
    let mut acc = met::<T, O>(group.last);
    let level = eights.trailing_ones() as usize;
    for &before in group.stack.iter().take(level) {
        acc = O::combine(before, acc);
    }
    (acc, level)
}

/// Folds eight accumulators in pairs of neighbours.
#[inline(always)]
fn met<T: Element, O: Op<T>>([a, b, c, d, e, f, g, h]: [O::Acc; MEET]) -> O::Acc {
    let left = O::combine(O::combine(a, b), O::combine(c, d));
    O::combine(left, O::combine(O::combine(e, f), O::combine(g, h)))
}

/// Returns a group's total. Places after its last element hold the identity.
#[inline(always)]
fn total<T: Element, O: Op<T>>(group: &Group<O::Acc>) -> O::Acc {
    let (eights, rest) = (group.len as usize / MEET, group.len as usize % MEET);
    let mut last = group.last;
    last[rest..].fill(O::IDENTITY);
    let mut acc = met::<T, O>(last);
    for (level, &before) in group.stack.iter().enumerate() {
        if eights >> level & 1 == 1 {
            acc = O::combine(before, acc);
        }
    }
    acc
}
