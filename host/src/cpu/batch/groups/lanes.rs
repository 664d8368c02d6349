//! Few groups: the lanes of all groups are kept, and each element is folded as it is read.
//!
//! A tile is folded by the thread in whose portion it begins. So each thread skips the elements that complete tiles of
//! earlier portions, and reads on after its own until its tiles are complete.

use gpu_kernels::tree::{lanes, tile_len};
use gpu_kernels::{Element, Op};

use super::count::Counts;
use super::group_of;
use crate::cpu::batch::{empty_results, with_room};
use crate::cpu::{Cpu, share, tiles};
use crate::error::Error;
use crate::float_environment;
use crate::index_type::IndexType;

/// Most bytes of the lanes of all groups.
/// [2-core Xeon (Sapphire Rapids), 2 MiB of second-level cache, one thread, Sum of 2^22 f32, sorted by group first and
/// by lanes: in 10 groups 9.2 and 6.2 ms, in 1000, whose lanes have 4 MB, 18.7 and 9.8.]
const ROOM: usize = 4 << 20;

/// Returns the distance between the lanes of two groups. Without the extra cache line, it would be a power of two, and
/// the lanes of all groups would fall in the same set of a cache.
const fn apart<T, A>() -> usize {
    lanes::<T>() + 64_usize.div_ceil(if size_of::<A>() == 0 { 64 } else { size_of::<A>() })
}

/// Returns whether the lanes of all groups are kept: if they fit a cache, most of them are used, and threads read few
/// elements after their portions: 10 groups of 2^24 elements on two threads, but not 1000.
pub(super) fn are_kept<T: Element, O: Op<T>>(len: usize, groups: usize, threads: usize) -> bool {
    let tile = tile_len::<T>(len as u64);
    O::COMMUTATIVE
        && lanes::<T>().is_power_of_two()
        && groups.saturating_mul(lanes::<T>() * size_of::<O::Acc>().max(1)) <= ROOM
        && len / lanes::<T>() >= groups
        && u32::try_from(tile).is_ok()
        && (threads == 1 || (groups as u64).saturating_mul(tile) <= (len / threads / 4) as u64)
}

/// The tiles of each group that begin in a portion.
struct Portion<A> {
    /// The lane of the next element, as an index into the lanes of all groups.
    next: Vec<u32>,
    /// The lanes of the current tile of all groups.
    lanes: Vec<A>,
    tiles: Tiles<A>,
}

/// What is known of a group's current tile beside its lanes, and the totals of the tiles before it.
struct Tiles<A> {
    /// The index of the current row's first element, less its lane, in wrapping arithmetic.
    indices: Vec<u64>,
    /// The elements of whole rows in the tile.
    counts: Vec<u32>,
    /// The elements of a whole tile.
    ends: Vec<u32>,
    totals: Vec<Vec<A>>,
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
        let counts = counts.as_ref();
        let portion_len = counts.map_or(x.len(), |counts| counts.portion_len).max(1);
        let mut portions: Vec<_> = (0..x.len().div_ceil(portion_len)).map(|_| None).collect();
        let tasks = portions.iter_mut().zip((0..).step_by(portion_len)).enumerate();
        share(self.pool.as_deref(), threads - 1, tasks, |(number, (portion, start))| {
            float_environment::check()?;
            let mut folded = Portion::new::<T, O>(groups)?;
            let end = x.len().min(start + portion_len);
            let own = (&ids[start..end], &x[start..end]);
            match counts {
                None => folded.fold::<T, O, I>(op, own, start)?,
                Some(counts) => {
                    let begun =
                        folded.skip::<T, O, I>(op, own, start, |group| counts.of_portion(number, group))?;
                    folded.fold::<T, O, I>(op, (&own.0[begun..], &own.1[begun..]), start + begun)?;
                    folded.complete::<T, O, I>(op, (&ids[end..], &x[end..]), counts)?;
                }
            }
            (0..groups).for_each(|group| folded.end_last::<T, O>(group));
            *portion = Some(folded);
            Ok::<_, Error>(())
        })?;
        let mut portions: Vec<_> = portions.into_iter().flatten().collect();
        let mut outs = empty_results::<T, O>(groups)?;
        for (group, out) in outs.iter_mut().enumerate() {
            let (mut totals, mut len) = (Vec::new(), 0);
            for portion in &mut portions {
                len = len.max(portion.end(group));
                totals.append(&mut portion.tiles.totals[group]);
            }
            *out = O::finish(tiles::fold_pairs::<T, O>(&mut totals), len);
        }
        Ok(outs)
    }
}

impl<A: Copy> Portion<A> {
    /// Creates a portion without elements, whose groups begin with it and have the shortest tiles.
    fn new<T: Element, O: Op<T, Acc = A>>(groups: usize) -> Result<Self, Error> {
        let mut portion = Self {
            next: with_room(groups)?,
            lanes: with_room(groups * apart::<T, A>())?,
            tiles: Tiles {
                indices: with_room(groups)?,
                counts: with_room(groups)?,
                ends: with_room(groups)?,
                totals: with_room(groups)?,
            },
        };
        portion.lanes.resize(groups * apart::<T, A>(), O::IDENTITY);
        for first in (0..groups).map(|group| (group * apart::<T, A>()) as u32) {
            portion.next.push(first);
            portion.tiles.indices.push(u64::from(first).wrapping_neg());
        }
        portion.tiles.counts.resize(groups, 0);
        portion.tiles.ends.resize(groups, tile_len::<T>(0) as u32);
        portion.tiles.totals.resize(groups, Vec::new());
        Ok(portion)
    }

    /// Folds elements, which begin at position `base`.
    fn fold<T: Element, O: Op<T, Acc = A>, I: IndexType>(
        &mut self,
        op: O,
        (ids, x): (&[I], &[T]),
        base: usize,
    ) -> Result<(), Error> {
        // Local slices, which the loop need not load again after it has written a lane.
        let (next, mut lanes) = (&mut self.next[..], &mut self.lanes[..]);
        let mut indices = &self.tiles.indices[..next.len()];
        for (at, (&id, &x)) in ids.iter().zip(x).enumerate() {
            let group = group_of(id, next.len(), base + at)?;
            if append::<T, O>(op, next, lanes, indices, group, x) {
                end_row::<T, O>(&mut next[group], lanes, &mut self.tiles, group);
                (lanes, indices) = (&mut self.lanes[..], &self.tiles.indices[..next.len()]);
            }
        }
        Ok(())
    }

    /// Folds elements of the portion until no group needs any for a tile of an earlier portion. Returns how many
    /// elements that took. `counts` returns a group's number of elements: in all, in earlier portions, and in this one.
    fn skip<T: Element, O: Op<T, Acc = A>, I: IndexType>(
        &mut self,
        op: O,
        (ids, x): (&[I], &[T]),
        base: usize,
        counts: impl Fn(usize) -> (usize, usize, usize),
    ) -> Result<usize, Error> {
        let (mut left, mut all_left) = (with_room(self.next.len())?, 0);
        let tiles = &mut self.tiles;
        for group in 0..self.next.len() {
            let (all, before, here) = counts(group);
            let tile = tile_len::<T>(all as u64);
            let skipped = (before.next_multiple_of(tile as usize) - before).min(here);
            tiles.ends[group] = tile as u32;
            tiles.indices[group] = tiles.indices[group].wrapping_add((before + skipped) as u64);
            left.push(skipped);
            all_left += skipped;
        }
        for (at, (&id, &x)) in ids.iter().zip(x).enumerate() {
            if all_left == 0 {
                return Ok(at);
            }
            let group = group_of(id, left.len(), base + at)?;
            if left[group] > 0 {
                left[group] -= 1;
                all_left -= 1;
            } else {
                self.append_one::<T, O>(op, group, x);
            }
        }
        Ok(x.len())
    }

    /// Folds elements after the portion until the tiles that began in it are complete.
    fn complete<T: Element, O: Op<T, Acc = A>, I: IndexType>(
        &mut self,
        op: O,
        (ids, x): (&[I], &[T]),
        counts: &Counts,
    ) -> Result<(), Error> {
        let (mut left, mut all_left) = (with_room(self.next.len())?, 0);
        for group in 0..self.next.len() {
            let (count, tile) = (self.count::<T>(group), self.tiles.ends[group] as usize);
            let behind = counts.of(group) - self.end(group) as usize;
            let missing = if count > 0 { behind.min(tile - count) } else { 0 };
            left.push(missing);
            all_left += missing;
        }
        for (&id, &x) in ids.iter().zip(x) {
            if all_left == 0 {
                break;
            }
            // All ids were found to be those of groups when they were counted.
            let Some(group) = id.index() else { continue };
            if let Some(left @ 1..) = left.get_mut(group) {
                *left -= 1;
                all_left -= 1;
                self.append_one::<T, O>(op, group, x);
            }
        }
        Ok(())
    }

    /// Folds an element of `group`.
    fn append_one<T: Element, O: Op<T, Acc = A>>(&mut self, op: O, group: usize, x: T) {
        if append::<T, O>(op, &mut self.next, &mut self.lanes, &self.tiles.indices, group, x) {
            end_row::<T, O>(&mut self.next[group], &mut self.lanes, &mut self.tiles, group);
        }
    }

    /// Returns the index after a group's last element.
    fn end(&self, group: usize) -> u64 {
        self.tiles.indices[group].wrapping_add(self.next[group].into())
    }

    /// Returns the elements of a group's current tile.
    fn count<T: Element>(&self, group: usize) -> usize {
        self.tiles.counts[group] as usize + self.next[group] as usize - group * apart::<T, A>()
    }

    /// Ends the tile of `group` at the end of the input.
    fn end_last<T: Element, O: Op<T, Acc = A>>(&mut self, group: usize) {
        let used = lanes::<T>().min(self.count::<T>(group));
        if used > 0 {
            let lanes = &mut self.lanes[group * apart::<T, A>()..][..used];
            self.tiles.totals[group].push(tiles::fold_pairs::<T, O>(lanes));
        }
    }
}

/// Folds an element of `group` into its lane. Returns whether a row is complete.
#[inline(always)]
fn append<T: Element, O: Op<T>>(
    op: O,
    next: &mut [u32],
    lanes: &mut [O::Acc],
    indices: &[u64],
    group: usize,
    x: T,
) -> bool {
    let at = next[group];
    // Updated before the lane is written, because the compiler cannot know that the write does not change it.
    next[group] = at + 1;
    let lane = &mut lanes[at as usize];
    *lane = op.append(*lane, x, indices[group].wrapping_add(at.into()));
    at as usize + 1 == group * apart::<T, O::Acc>() + self::lanes::<T>()
}

/// Begins the next row of a group's tile or, after the last row, the next tile.
#[cold]
fn end_row<T: Element, O: Op<T>>(
    next: &mut u32,
    lanes: &mut [O::Acc],
    tiles: &mut Tiles<O::Acc>,
    group: usize,
) {
    let row = self::lanes::<T>();
    *next -= row as u32;
    tiles.indices[group] = tiles.indices[group].wrapping_add(row as u64);
    tiles.counts[group] += row as u32;
    if tiles.counts[group] == tiles.ends[group] {
        let lanes = &mut lanes[group * apart::<T, O::Acc>()..][..row];
        tiles.totals[group].push(tiles::fold_pairs::<T, O>(lanes));
        lanes.fill(O::IDENTITY);
        tiles.counts[group] = 0;
    }
}
