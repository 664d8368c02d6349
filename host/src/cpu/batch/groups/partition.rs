//! The input sorted stably into buckets of neighbouring groups, each portion by one thread.
//!
//! A bucket has a power of two of groups. Folding one bucket after the other touches few groups at a time, so their
//! state fits a cache, however many groups there are.

use std::mem::MaybeUninit;

use super::{group_of, portion_len};
use crate::cpu::processor::{BLOCK, read_ahead, touch_line_after};
use crate::cpu::unwritten::Unwritten;
use crate::cpu::{Cpu, share};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::memory;

/// Most buckets. With more, the lines that are written next no longer fit the first-level cache.
const BUCKETS: usize = 512;

/// Tables in which buckets are counted. Neighbouring ids count in different ones, because a counter that was just written
/// is slow to read. Four are faster than one (docs/tuning/cpu.md).
const TABLES: usize = 4;

/// An element, and the number of its group within its bucket. Side by side, so that a bucket is written with one store.
/// Two arrays take more than twice as long (docs/tuning/cpu.md).
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Numbered<T> {
    pub(super) group: u32,
    pub(super) x: T,
}

/// A portion of the input.
pub(super) struct Portion<T> {
    /// The start of each bucket, and the end of the last one.
    starts: Vec<u32>,
    elements: Vec<Numbered<T>>,
}

/// Returns the binary logarithm of the groups per bucket.
pub(super) fn shift_for(groups: usize) -> u32 {
    groups.div_ceil(BUCKETS).next_power_of_two().trailing_zeros()
}

impl Cpu {
    /// Sorts the elements into buckets of `1 << shift` groups, with up to `threads` threads. Returns the portions in
    /// order.
    ///
    /// # Errors
    /// [`Error::Group`] with the first id that is out of range.
    pub(super) fn bucketed<T: Copy + Send + Sync, I: IndexType>(
        &self,
        (ids, x): (&[I], &[T]),
        groups: usize,
        shift: u32,
        threads: usize,
    ) -> Result<Vec<Portion<T>>, Error> {
        let len = portion_len(ids.len(), groups >> shift, threads);
        let mut portions = memory::collected((0..ids.len().div_ceil(len)).map(|_| None))?;
        let tasks = portions.iter_mut().zip(ids.chunks(len).zip(x.chunks(len))).zip((0..).step_by(len));
        share(self.pool.as_deref(), threads - 1, tasks, |((portion, (ids, x)), base)| {
            *portion = Some(Portion::new((ids, x, base), groups, shift));
            Ok::<_, Error>(())
        })?;
        // Of several wrong ids, the first is reported.
        let mut all = memory::with_room(portions.len())?;
        for portion in portions.into_iter().flatten() {
            all.push(portion?);
        }
        Ok(all)
    }
}

impl<T: Copy> Portion<T> {
    /// Sorts up to 2^30 elements. The first one has the position `base`.
    fn new<I: IndexType>(
        (ids, x, base): (&[I], &[T], usize),
        groups: usize,
        shift: u32,
    ) -> Result<Self, Error> {
        let starts = starts(ids, groups, shift, base)?;
        let mut next = memory::copied(&starts)?;
        let mut elements = Unwritten::<Numbered<T>>::new(x.len())?;
        let slots = elements.slots();
        let ((id_blocks, last_ids), (blocks, last)) = (read_ahead(ids), read_ahead(x));
        for (ids, x) in id_blocks.zip(blocks) {
            for k in 0..BLOCK {
                put(slots, &mut next, shift, ids[k], x[k]);
            }
        }
        for (&id, &x) in last_ids.iter().zip(last) {
            put(slots, &mut next, shift, id, x);
        }
        // SAFETY: `starts` counted the same ids. So the elements of each bucket filled the slots up to the start of the
        // next bucket, and the last bucket filled the rest.
        Ok(Self { starts, elements: unsafe { elements.written() } })
    }

    /// Returns the elements of a bucket, in order.
    #[inline(always)]
    pub(super) fn bucket(&self, bucket: usize) -> &[Numbered<T>] {
        &self.elements[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

/// Puts an element into its bucket.
#[inline(always)]
fn put<T, I: IndexType>(slots: &mut [MaybeUninit<Numbered<T>>], next: &mut [u32], shift: u32, id: I, x: T) {
    // The count found a group for every id.
    let group = id.index().unwrap_or(0);
    let next = &mut next[group >> shift];
    let slot = *next;
    *next = slot + 1;
    let slot = &mut slots[slot as usize];
    touch_line_after(slot);
    slot.write(Numbered { group: (group & ((1 << shift) - 1)) as u32, x });
}

/// Returns the start of each bucket, and the end of the last one. The first element has the position `base`.
fn starts<I: IndexType>(ids: &[I], groups: usize, shift: u32, base: usize) -> Result<Vec<u32>, Error> {
    let mut tables = memory::filled([0_u32; TABLES], groups.div_ceil(1 << shift))?;
    let ((blocks, last), mut at) = (read_ahead(ids), base);
    for ids in blocks {
        for (k, &id) in ids.iter().enumerate() {
            tables[group_of(id, groups, at + k)? >> shift][k % TABLES] += 1;
        }
        at += BLOCK;
    }
    for (&id, at) in last.iter().zip(at..) {
        tables[group_of(id, groups, at)? >> shift][0] += 1;
    }
    let (mut starts, mut start) = (memory::with_room(tables.len() + 1)?, 0);
    starts.push(0);
    starts.extend(tables.iter().map(|counts| {
        start += counts.iter().sum::<u32>();
        start
    }));
    Ok(starts)
}
