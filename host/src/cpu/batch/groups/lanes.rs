//! Few groups: the lanes of all groups are kept, and each element is folded as it is read.
//!
//! Each thread folds a portion of the input. The first elements of a group there, its *head*, may belong to a tile that
//! began in an earlier portion. They get a slot each, and are folded into the lanes of that tile once all portions
//! are read.

use gpu_kernels::tree::{lanes, tile_len};
use gpu_kernels::{Element, Op};

use super::{each, waiting};
use crate::cpu::batch::{SHARES, empty_results};
use crate::cpu::processor::{self, Job, Processor};
use crate::cpu::{Cpu, neighbours, share};
use crate::error::Error;
use crate::float_environment;
use crate::index_type::IndexType;
use crate::memory::{self, with_room};

/// Most bytes of the lanes of all groups, if elements do not wait for them (`waiting.rs`). Lanes of 4 MB are still
/// faster than to sort by group first (docs/tuning/cpu.md).
const ROOM: usize = 4 << 20;

/// Returns the distance between the lanes of two groups. Without the extra cache line, it would be a power of two, and
/// the lanes of all groups would fall in the same set of a cache.
const fn apart<T, A>() -> usize {
    lanes::<T>() + 64_usize.div_ceil(if size_of::<A>() == 0 { 64 } else { size_of::<A>() })
}

const fn room<A>() -> usize {
    if waiting::is_worth::<A>() { waiting::ROOM } else { ROOM }
}

/// Returns whether the lanes of all groups are kept: if they fit a cache and most of them are used.
pub(super) fn are_kept<T: Element, O: Op<T>>(len: usize, groups: usize) -> bool {
    O::COMMUTATIVE
        && groups.saturating_mul(lanes::<T>() * size_of::<O::Acc>().max(1)) <= room::<O::Acc>()
        && len / lanes::<T>() >= groups
        && u32::try_from(tile_len::<T>(len as u64)).is_ok()
}

/// The groups of a portion.
struct Portion<A> {
    cursors: Vec<Cursor>,
    /// The lanes of the current tiles of all groups, and then the heads of all groups.
    slots: Vec<A>,
    /// The first slot of each group's head, and the end of the last one.
    heads: Vec<u32>,
    tiles: Tiles<A>,
}

/// The slot of a group's next element, and the end of the head or the row in which it is.
#[derive(Clone, Copy)]
struct Cursor {
    next: u32,
    end: u32,
}

impl Cursor {
    /// Returns the cursor of a group whose next row begins.
    const fn of_row<T, A>(group: usize) -> Self {
        let first = group * apart::<T, A>();
        Self { next: first as u32, end: (first + lanes::<T>()) as u32 }
    }
}

/// The state of a group's current tile without its lanes, and the totals of the tiles before it.
struct Tiles<A> {
    /// The index of the next element, less its slot, in wrapping arithmetic.
    indices: Vec<u64>,
    /// The elements of whole rows in the tile.
    counts: Vec<u32>,
    /// The elements of a whole tile.
    lens: Vec<u32>,
    totals: Vec<Vec<A>>,
    /// Whether there was memory for all totals. Checked at the end, so that no loop over elements does it.
    kept: Result<(), Error>,
}

impl Cpu {
    /// Folds each group along its tree.
    pub(super) fn groups_by_lanes<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        ids: &[I],
        x: &[T],
        groups: usize,
        threads: usize,
    ) -> Result<Vec<O::Out>, Error> {
        float_environment::check()?;
        // One portion begins every group, and with so few elements all tiles have the same length.
        let is_known = threads == 1 && tile_len::<T>(x.len() as u64) == tile_len::<T>(0);
        let counts = if is_known { None } else { Some(self.count_groups(ids, groups, threads)?) };
        let portion_len = counts.as_ref().map_or(x.len(), |counts| counts.portion_len).max(1);
        let mut portions = memory::collected((0..x.len().div_ceil(portion_len)).map(|_| None))?;
        let input = ids.chunks(portion_len).zip(x.chunks(portion_len)).zip((0..).step_by(portion_len));
        let tasks = portions.iter_mut().zip(input).enumerate();
        share(self.pool.as_deref(), threads - 1, tasks, |(number, (portion, (input, base)))| {
            float_environment::check()?;
            let count = |group| counts.as_ref().map_or((0, 0, 0), |counts| counts.of_portion(number, group));
            let mut folded = Portion::new::<T, O>(groups, count)?;
            folded.fold::<T, O, I>(op, input, base)?;
            *portion = Some(folded);
            Ok::<_, Error>(())
        })?;
        let portions = memory::collected(portions.into_iter().flatten())?;
        let mut outs = empty_results::<T, O>(groups)?;
        let together = groups.div_ceil(SHARES * threads).max(1);
        let tasks = outs.chunks_mut(together).zip((0..).step_by(together));
        share(self.pool.as_deref(), threads - 1, tasks, |(outs, first)| {
            float_environment::check()?;
            processor::widest(Groups::<T, O> { portions: &portions, first, outs })
        })?;
        Ok(outs)
    }
}

impl<A: Copy> Portion<A> {
    /// Creates a portion without elements. `count` returns a group's number of elements: in all, in earlier portions, and in
    /// this one.
    fn new<T: Element, O: Op<T, Acc = A>>(
        groups: usize,
        count: impl Fn(usize) -> (usize, usize, usize),
    ) -> Result<Self, Error> {
        let mut portion = Self {
            cursors: with_room(groups)?,
            slots: Vec::new(),
            heads: with_room(groups + 1)?,
            tiles: Tiles {
                indices: with_room(groups)?,
                counts: memory::filled(0, groups)?,
                lens: with_room(groups)?,
                totals: memory::filled(Vec::new(), groups)?,
                kept: Ok(()),
            },
        };
        let mut end = groups * apart::<T, A>();
        for group in 0..groups {
            let (all, before, here) = count(group);
            let tile = tile_len::<T>(all as u64);
            let head = (before.next_multiple_of(tile as usize) - before).min(here);
            let of_head = Cursor { next: end as u32, end: (end + head) as u32 };
            let cursor = if head > 0 { of_head } else { Cursor::of_row::<T, A>(group) };
            portion.cursors.push(cursor);
            portion.heads.push(end as u32);
            portion.tiles.indices.push((before as u64).wrapping_sub(cursor.next.into()));
            portion.tiles.lens.push(tile as u32);
            end += head;
        }
        portion.heads.push(end as u32);
        portion.slots = memory::filled(O::IDENTITY, end)?;
        Ok(portion)
    }

    /// Folds elements. The first one has the position `base`.
    fn fold<T: Element, O: Op<T, Acc = A>, I: IndexType>(
        &mut self,
        op: O,
        input: (&[I], &[T]),
        base: usize,
    ) -> Result<(), Error> {
        // `if const`, so that only the operator's own loop is compiled.
        if const { waiting::is_worth::<A>() } && size_of_val(&self.slots[..]) > waiting::NEAR {
            waiting::each_row(self.cursors.len(), input, base, |group, x| {
                self.append_row::<T, O>(op, group, x);
            })?;
        } else {
            // Local slices, which the loop need not load again after it has written a slot.
            let (cursors, slots, tiles) = (&mut self.cursors[..], &mut self.slots[..], &mut self.tiles);
            each(cursors.len(), input, base, |group, x| append::<T, O>(op, cursors, slots, tiles, group, x))?;
        }
        self.tiles.kept.clone()
    }

    /// Folds neighbouring elements of `group` into its next slots.
    #[inline(never)]
    fn append_row<T: Element, O: Op<T, Acc = A>>(&mut self, op: O, group: usize, mut x: &[T]) {
        while !x.is_empty() {
            let Cursor { next, end } = self.cursors[group];
            let (row, rest) = x.split_at(x.len().min((end - next) as usize));
            let first = self.tiles.indices[group].wrapping_add(next.into());
            for ((slot, &x), index) in self.slots[next as usize..].iter_mut().zip(row).zip(0..) {
                *slot = op.append(*slot, x, first.wrapping_add(index));
            }
            self.cursors[group].next += row.len() as u32;
            if self.cursors[group].next == end {
                end_row::<T, O>(&mut self.cursors[group], &mut self.slots, &mut self.tiles, group);
            }
            x = rest;
        }
    }

    /// Returns the first elements of a group, which belong to a tile of an earlier portion.
    fn head(&self, group: usize) -> &[A] {
        &self.slots[self.heads[group] as usize..self.heads[group + 1] as usize]
    }

    /// Returns the used lanes of a group's current tile, and the tile's number of elements.
    fn current<T: Element>(&self, group: usize) -> (&[A], usize) {
        let (Cursor { next, end }, row) = (self.cursors[group], Cursor::of_row::<T, A>(group));
        // A group whose head is not complete has no other elements here.
        let len = if end == row.end { (self.tiles.counts[group] + next - row.next) as usize } else { 0 };
        (&self.slots[row.next as usize..][..lanes::<T>().min(len)], len)
    }
}

/// Folds an element of `group` into its slot.
#[inline(always)]
fn append<T: Element, O: Op<T>>(
    op: O,
    cursors: &mut [Cursor],
    slots: &mut [O::Acc],
    tiles: &mut Tiles<O::Acc>,
    group: usize,
    x: T,
) {
    let Cursor { next, end } = cursors[group];
    // Updated before the slot is written, because the compiler cannot know that the write does not change it.
    cursors[group].next = next + 1;
    let slot = &mut slots[next as usize];
    *slot = op.append(*slot, x, tiles.indices[group].wrapping_add(next.into()));
    if next + 1 == end {
        end_row::<T, O>(&mut cursors[group], slots, tiles, group);
    }
}

/// Begins the next row of a group's tile or, after the last row or the head, the next tile.
#[cold]
fn end_row<T: Element, O: Op<T>>(
    cursor: &mut Cursor,
    slots: &mut [O::Acc],
    tiles: &mut Tiles<O::Acc>,
    group: usize,
) {
    let row = Cursor::of_row::<T, O::Acc>(group);
    tiles.indices[group] =
        tiles.indices[group].wrapping_add(u64::from(cursor.next)).wrapping_sub(row.next.into());
    if cursor.end == row.end {
        tiles.counts[group] += row.end - row.next;
    }
    *cursor = row;
    if tiles.counts[group] == tiles.lens[group] {
        let lanes = &mut slots[row.next as usize..row.end as usize];
        let total = neighbours::fold::<T, O>(lanes);
        if let Err(cause) = memory::push(&mut tiles.totals[group], total) {
            tiles.kept = Err(cause);
        }
        lanes.fill(O::IDENTITY);
        tiles.counts[group] = 0;
    }
}

/// Folds the tiles of groups, whose elements were folded in portions.
struct Groups<'a, T: Element, O: Op<T>> {
    portions: &'a [Portion<O::Acc>],
    first: usize,
    outs: &'a mut [O::Out],
}

impl<T: Element, O: Op<T>> Job for Groups<'_, T, O> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, _: impl Processor) -> Result<(), Error> {
        let Self { portions, first, outs } = self;
        let (mut open, mut totals) = (memory::filled(O::IDENTITY, lanes::<T>())?, Vec::new());
        for (out, group) in outs.iter_mut().zip(first..) {
            totals.clear();
            // The number of elements in the open tile, whose lanes are in `open`, and in the tiles before
            // it.
            let (mut len, mut before) = (0, 0);
            for portion in portions {
                let (head, tile) = (portion.head(group), portion.tiles.lens[group] as usize);
                append_all::<T, O>(&mut open, head, len);
                len += head.len();
                if len == tile {
                    memory::push(&mut totals, neighbours::fold::<T, O>(&mut open))?;
                    (len, before) = (0, before + tile);
                }
                memory::append(&mut totals, &portion.tiles.totals[group])?;
                before += tile * portion.tiles.totals[group].len();
                let (current, count) = portion.current::<T>(group);
                if count > 0 {
                    open[..current.len()].copy_from_slice(current);
                    open[current.len()..].fill(O::IDENTITY);
                    len = count;
                }
            }
            if len > 0 {
                memory::push(&mut totals, neighbours::fold::<T, O>(&mut open[..lanes::<T>().min(len)]))?;
            }
            *out = O::finish(neighbours::fold::<T, O>(&mut totals), (before + len) as u64);
        }
        Ok(())
    }
}

/// Folds lifted elements into the lanes of their tile. The first one has the index `at` in the tile.
#[inline(always)]
fn append_all<T: Element, O: Op<T>>(lanes: &mut [O::Acc], mut x: &[O::Acc], at: usize) {
    let mut lane = at % lanes.len();
    while !x.is_empty() {
        let (row, rest) = x.split_at(x.len().min(lanes.len() - lane));
        for (acc, &x) in lanes[lane..].iter_mut().zip(row) {
            *acc = O::combine(*acc, x);
        }
        (x, lane) = (rest, 0);
    }
}
