//! How elements come to those that are selected, or to the others: parts are counted, and each then has its places.

use std::ops::Range;

use gpu_kernels::Element;

use super::selection::Selection;
use crate::cpu::processor::{self, Job};
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::Error;
use crate::float_environment;

/// Elements whose flags are found at once, in vectors.
const BLOCK: usize = 64;

/// Up to so many of a block are moved one by one, by their bits.
const FEW: usize = 12;

/// Elements of a part.
fn part_len<T>() -> usize {
    (TASK_BYTES / size_of::<T>().max(1)).max(1)
}

/// Where each part's elements are.
fn parts<T>(x: &[T]) -> impl Iterator<Item = Range<usize>> {
    (0..x.len()).step_by(part_len::<T>()).map(|start| start..x.len().min(start + part_len::<T>()))
}

/// The blocks of a part.
fn blocks(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(BLOCK).map(move |start| start..range.end.min(start + BLOCK))
}

/// Flags a block, and counts the flags.
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

impl Cpu {
    /// How many elements of each part are selected.
    pub(super) fn count_selected<T: Element>(
        &self,
        x: &[T],
        selection: &impl Selection,
    ) -> Result<Vec<usize>, Error> {
        let mut counts = vec![0; x.len().div_ceil(part_len::<T>())];
        let helpers = self.threads_for(size_of_val(x)) - 1;
        share(self.pool.as_deref(), helpers, parts(x).zip(&mut counts), |(range, count)| {
            float_environment::check()?;
            processor::widest(Counting { selection, range, count });
            Ok::<_, Error>(())
        })?;
        Ok(counts)
    }

    /// Copies the selected elements to `selected`, which has room for them alone, and the others to `rejected`, or as many
    /// as it has room for.
    pub(super) fn split<T: Element>(
        &self,
        x: &[T],
        selection: &impl Selection,
        counts: &[usize],
        selected: &mut [T],
        rejected: &mut [T],
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

/// Cuts the first `len` off, or all.
fn take<'a, T>(rest: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let len = len.min(rest.len());
    rest.split_off_mut(..len).unwrap_or_default()
}

/// How many are selected.
struct Counting<'a, S> {
    selection: &'a S,
    range: Range<usize>,
    count: &'a mut usize,
}

impl<S: Selection> Job for Counting<'_, S> {
    #[inline(always)]
    fn run(self) {
        let Self { selection, range, count } = self;
        let mut flags = [false; BLOCK];
        *count = blocks(range).map(|block| flag(selection, block, &mut flags)).sum();
    }
}

/// Elements to places that are counted.
struct Splitting<'a, T, S> {
    x: &'a [T],
    selection: &'a S,
    range: Range<usize>,
    selected: &'a mut [T],
    rejected: &'a mut [T],
}

impl<T: Element, S: Selection> Job for Splitting<'_, T, S> {
    #[inline(always)]
    fn run(self) {
        let Self { x, selection, range, mut selected, mut rejected } = self;
        let mut flags = [false; BLOCK];
        for block in blocks(range) {
            let (x, count) = (&x[block.clone()], flag(selection, block, &mut flags));
            keep(x, &flags, count, &mut selected);
            if !rejected.is_empty() {
                keep(x, &flags.map(|flag| !flag), x.len() - count, &mut rejected);
            }
        }
    }
}

/// Moves the flagged elements of a block, `count` of them, to the first places, and cuts these off.
#[inline(always)]
fn keep<T: Copy>(x: &[T], flags: &[bool; BLOCK], count: usize, places: &mut &mut [T]) {
    if count <= FEW {
        let mut bits = bits(flags);
        for place in places.iter_mut().take(count) {
            if let Some(&x) = x.get(bits.trailing_zeros() as usize) {
                *place = x;
            }
            bits &= bits.wrapping_sub(1);
        }
    } else if let (Some(x), Some(places)) = (x.first_chunk::<BLOCK>(), places.first_chunk_mut::<BLOCK>()) {
        // Each element is written to the next place, so that nothing depends on a guess of which: a place that was not its own
        // is written again. No place is further on than its element.
        let mut at = 0;
        for i in 0..BLOCK {
            places[at % BLOCK] = x[i];
            at += usize::from(flags[i]);
        }
    } else {
        let kept = x.iter().zip(flags).filter_map(|(x, &is_kept)| is_kept.then_some(x));
        for (place, &x) in places.iter_mut().zip(kept) {
            *place = x;
        }
    }
    take(places, count);
}

/// The flags as the bits of a word, the first one lowest.
#[inline(always)]
fn bits(flags: &[bool; BLOCK]) -> u64 {
    let (eights, _) = bytemuck::cast_slice::<bool, u8>(flags).as_chunks::<8>();
    // The multiplication brings bit 0 of byte i to bit 56 + i, and no two to one place.
    let eight = |&flags: &[u8; 8]| u64::from_le_bytes(flags).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().zip((0..).step_by(8)).fold(0, |bits, (flags, shift)| bits | eight(flags) << shift)
}
