//! Groups of few elements: each keeps a partly folded tree.
//!
//! Up to a tile's number of lanes, a tree consists of pairs of neighbours. A group collects [`BATCH`] elements and folds
//! them. The results go to a stack with one entry for each bit of their number so far, like a binary counter that
//! carries.

use std::mem::MaybeUninit;

use gpu_kernels::tree::lanes;
use gpu_kernels::{Element, Op};

use super::partition::Numbered;
use crate::cpu::processor::read_ahead;
use crate::cpu::tiles;

/// Elements that are folded at once.
const BATCH: usize = tiles::STRIPE;

/// Most entries of a stack.
const LEVELS: usize = 5;

/// Bytes of the largest accumulator that groups keep [`BATCH`] of.
const WIDEST: usize = 8;

/// The groups of a bucket, reused from one bucket to the next.
pub(super) struct Trees<A> {
    /// The number of elements of each group.
    lens: Vec<u32>,
    /// The last elements of each group. Slots after them hold earlier elements.
    last: Vec<[A; BATCH]>,
    stacks: Vec<[A; LEVELS]>,
}

/// Returns whether `len` elements in `groups` groups are folded this way.
#[inline(always)]
pub(super) fn may_be<T: Element, O: Op<T>>(len: usize, groups: usize) -> bool {
    O::COMMUTATIVE && size_of::<O::Acc>() <= WIDEST && len / groups < most::<T>() as usize / 2
}

/// Returns the most elements of a group.
const fn most<T>() -> u32 {
    let fitting = (BATCH << LEVELS) - 1;
    if lanes::<T>() < fitting { lanes::<T>() as u32 } else { fitting as u32 }
}

impl<A: Copy> Trees<A> {
    pub(super) const fn new() -> Self {
        Self { lens: Vec::new(), last: Vec::new(), stacks: Vec::new() }
    }

    /// Folds groups, and writes their results. `pieces` has their elements, in order. Returns `false` if a group has too
    /// many elements; then no result is written.
    #[inline(always)]
    pub(super) fn fold<'a, T: Element, O: Op<T, Acc = A>>(
        &mut self,
        op: O,
        pieces: impl Iterator<Item = &'a [Numbered<T>]>,
        outs: &mut [MaybeUninit<O::Out>],
    ) -> bool {
        let groups = outs.len();
        self.lens.clear();
        self.lens.resize(groups, 0);
        if self.last.len() < groups {
            self.last.resize(groups, [O::IDENTITY; BATCH]);
            self.stacks.resize(groups, [O::IDENTITY; LEVELS]);
        }
        // Local slices of one length, which the loop need not load again for each element.
        let (lens, last, stacks) =
            (&mut self.lens[..groups], &mut self.last[..groups], &mut self.stacks[..groups]);
        for block in pieces.flat_map(read_ahead) {
            for &Numbered { group, x } in block {
                let group = group as usize;
                let index = lens[group];
                lens[group] = index + 1;
                let slot = index as usize % BATCH;
                last[group][slot] = op.lift(x, u64::from(index));
                if slot == BATCH - 1 {
                    carry::<T, O>(&mut stacks[group], &last[group], index as usize / BATCH);
                }
            }
        }
        if lens.iter().any(|&len| len > most::<T>()) {
            return false;
        }
        for (last, &len) in last.iter_mut().zip(&*lens) {
            let rest = len % BATCH as u32;
            for (slot, number) in last.iter_mut().zip(0..) {
                *slot = if number < rest { *slot } else { O::IDENTITY };
            }
        }
        // All groups at once, as one long array.
        let mut rests = last.as_flattened_mut();
        for _ in 0..BATCH.ilog2() {
            rests = tiles::halve_all::<T, O>(rests);
        }
        for (((out, &rest), stack), &len) in outs.iter_mut().zip(&*rests).zip(&*stacks).zip(&*lens) {
            let mut acc = rest;
            let folded = len as usize / BATCH;
            if folded > 0 {
                for (level, &before) in stack.iter().enumerate() {
                    if folded >> level & 1 == 1 {
                        acc = O::combine(before, acc);
                    }
                }
            }
            out.write(O::finish(acc, u64::from(len)));
        }
        true
    }
}

/// Folds the last elements of a group with the entries of its stack that they carry into. `folded` is how often that
/// was done before.
#[inline(always)]
fn carry<T: Element, O: Op<T>>(stack: &mut [O::Acc; LEVELS], last: &[O::Acc; BATCH], folded: usize) {
    let mut partials = [O::IDENTITY; BATCH / tiles::PARTIAL_LANES];
    tiles::fold_lanes::<T, O>(&mut partials, last);
    let [a, b, c, d] = partials;
    let mut acc = O::combine(O::combine(a, b), O::combine(c, d));
    let level = folded.trailing_ones() as usize;
    for &before in stack.iter().take(level) {
        acc = O::combine(before, acc);
    }
    if let Some(entry) = stack.get_mut(level) {
        *entry = acc;
    }
}
