//! Moves elements to the selected or the rejected ones. Each part is counted first, so that each has its own part of
//! the output.

use std::ops::Range;

use gpu_kernels::Element;

use super::selection::Selection;
use crate::cpu::processor::{self, Job, Processor};
use crate::cpu::unwritten::{Slot, Unwritten};
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::Error;
use crate::{float_environment, memory};

/// Elements whose flags are computed at once, in vectors.
pub(super) const BLOCK: usize = 64;

/// Up to this many elements of a block are moved one by one, found by the flags' bits.
const FEW: usize = 12;

/// Returns the number of elements of a part.
fn part_len<T>() -> usize {
    (TASK_BYTES / size_of::<T>().max(1)).max(1)
}

/// Returns the range of each part.
fn parts<T>(x: &[T]) -> impl Iterator<Item = Range<usize>> {
    (0..x.len()).step_by(part_len::<T>()).map(|start| start..x.len().min(start + part_len::<T>()))
}

/// Returns the blocks of a part.
fn blocks(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(BLOCK).map(move |start| start..range.end.min(start + BLOCK))
}

/// Computes the flags of a block, and counts them.
#[inline(always)]
fn flag(selection: &impl Selection, block: Range<usize>, flags: &mut [bool; BLOCK]) -> usize {
    let len = block.len();
    if len == BLOCK {
        selection.flag(block, flags);
    } else {
        *flags = [false; BLOCK];
        selection.flag(block, &mut flags[..len]);
    }
    flags.iter().map(|&flag| u8::from(flag)).sum::<u8>().into()
}

/// Writes the selected ones of at most a block of elements, whose flags are computed once, to as many slots.
pub(super) fn of_block<T: Element>(x: &[T], selection: &impl Selection) -> Result<Unwritten<T>, Error> {
    float_environment::check()?;
    let mut flags = [false; BLOCK];
    let count = flag(selection, 0..x.len(), &mut flags);
    let mut out = Unwritten::new(count)?;
    keep(x, &flags, count, &mut out.slots());
    Ok(out)
}

impl Cpu {
    /// Counts the selected elements of each part.
    pub(super) fn count_selected<T: Element>(
        &self,
        x: &[T],
        selection: &impl Selection,
    ) -> Result<Vec<usize>, Error> {
        let mut counts = memory::filled(0, x.len().div_ceil(part_len::<T>()))?;
        let helpers = self.threads_for(size_of_val(x)) - 1;
        share(self.pool.as_deref(), helpers, parts(x).zip(&mut counts), |(range, count)| {
            float_environment::check()?;
            processor::widest(Counting { selection, range, count });
            Ok::<_, Error>(())
        })?;
        Ok(counts)
    }

    /// Copies the selected elements to `selected`, which has exactly enough slots, and the others to `rejected`, which has
    /// exactly enough or none. Writes every slot, even if a user's predicate answers otherwise than when it was counted.
    pub(super) fn split<T: Element, P: Slot<T>>(
        &self,
        x: &[T],
        selection: &impl Selection,
        counts: &[usize],
        selected: &mut [P],
        rejected: &mut [P],
    ) -> Result<(), Error> {
        let (mut all_selected, mut all_rejected) = (selected, rejected);
        let tasks = parts(x).zip(counts).map(|(range, &count)| Splitting {
            x,
            selection,
            selected: take(&mut all_selected, count),
            rejected: take(&mut all_rejected, range.len() - count),
            range,
        });
        let helpers = self.threads_for(size_of_val(x)) - 1;
        share(self.pool.as_deref(), helpers, tasks, |task| {
            float_environment::check()?;
            processor::widest(task);
            Ok::<_, Error>(())
        })
    }
}

/// Takes the first `len` elements off, or all if there are fewer.
fn take<'a, P>(rest: &mut &'a mut [P], len: usize) -> &'a mut [P] {
    let len = len.min(rest.len());
    rest.split_off_mut(..len).unwrap_or_default()
}

/// Counts the selected elements of a part.
struct Counting<'a, S> {
    selection: &'a S,
    range: Range<usize>,
    count: &'a mut usize,
}

impl<S: Selection> Job for Counting<'_, S> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl Processor) {
        let Self { selection, range, count } = self;
        let mut flags = [false; BLOCK];
        *count = blocks(range).map(|block| flag(selection, block, &mut flags)).sum();
    }
}

/// Moves a part's elements to their slots.
struct Splitting<'a, T, P, S> {
    x: &'a [T],
    selection: &'a S,
    range: Range<usize>,
    selected: &'a mut [P],
    rejected: &'a mut [P],
}

impl<T: Element, P: Slot<T>, S: Selection> Job for Splitting<'_, T, P, S> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl Processor) {
        let Self { x, selection, range, mut selected, mut rejected } = self;
        let start = range.start;
        let mut flags = [false; BLOCK];
        for block in blocks(range) {
            let (x, count) = (&x[block.clone()], flag(selection, block, &mut flags));
            keep(x, &flags, count, &mut selected);
            if !rejected.is_empty() {
                keep(x, &flags.map(|flag| !flag), x.len() - count, &mut rejected);
            }
        }
        // Only if fewer elements were flagged than were counted.
        for (slot, &x) in selected.iter_mut().chain(rejected).zip(std::iter::repeat(&x[start])) {
            slot.put(x);
        }
    }
}

/// Copies the flagged elements of a block, `count` of them, to the first slots, and takes these off. Flags after the block's last
/// element are not counted.
#[inline(always)]
fn keep<T: Copy, P: Slot<T>>(x: &[T], flags: &[bool; BLOCK], count: usize, out: &mut &mut [P]) {
    if count <= FEW {
        let mut bits = bits(flags);
        for slot in out.iter_mut().take(count) {
            if let Some(&x) = x.get(bits.trailing_zeros() as usize) {
                slot.put(x);
            }
            bits &= bits.wrapping_sub(1);
        }
    } else if let (Some(x), Some(out)) = (x.first_chunk::<BLOCK>(), out.first_chunk_mut::<BLOCK>()) {
        // Branchless: each element is written to the next free slot, and a rejected one is overwritten by the next. A
        // slot never has a higher index than its element, so `at` stays within the block.
        let mut at = 0;
        for i in 0..BLOCK {
            out[at % BLOCK].put(x[i]);
            at += usize::from(flags[i]);
        }
    } else {
        let kept = x.iter().zip(flags).filter_map(|(x, &is_kept)| is_kept.then_some(x));
        for (slot, &x) in out.iter_mut().zip(kept) {
            slot.put(x);
        }
    }
    take(out, count);
}

/// Returns the flags as the bits of a word, the first one lowest.
#[inline(always)]
fn bits(flags: &[bool; BLOCK]) -> u64 {
    let (eights, _) = bytemuck::cast_slice::<bool, u8>(flags).as_chunks::<8>();
    // The multiplication moves bit 0 of byte i to bit 56 + i, and no two bits to one bit.
    let eight = |&flags: &[u8; 8]| u64::from_le_bytes(flags).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().zip((0..).step_by(8)).fold(0, |bits, (flags, shift)| bits | eight(flags) << shift)
}
