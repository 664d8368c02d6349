//! Few groups: the lanes of all groups are kept, and each element is folded as it is read.
//!
//! In a portion after the first, a group may begin inside a tile that an earlier portion began. The elements up to the
//! end of that tile are kept unfolded. When all portions are done, they are folded into the lanes that the portion
//! before left.

use gpu_kernels::tree::{lanes, tile_len};
use gpu_kernels::{Element, Op};

use super::group_of;
use crate::cpu::batch::{empty_results, with_room};
use crate::cpu::{Cpu, processor, share, tiles};
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

/// Returns whether the lanes of all groups are kept: if they fit a cache and most of them are used.
pub(super) fn are_kept<T: Element, O: Op<T>>(len: usize, groups: usize) -> bool {
    O::COMMUTATIVE
        && lanes::<T>().is_power_of_two()
        && groups.saturating_mul(lanes::<T>() * size_of::<O::Acc>().max(1)) <= ROOM
        && len / lanes::<T>() >= groups
        && u32::try_from(tile_len::<T>(len as u64)).is_ok()
}

/// Most groups that are folded without prefetching.
const FEW: usize = 64;

/// The lane for a group's next element, and the end of the group's lanes, both indices into the lanes of all groups.
#[derive(Clone, Copy)]
struct Place {
    at: u32,
    end: u32,
}

/// The tile of a group that is being folded.
#[derive(Clone, Copy)]
struct Tile {
    /// Elements folded in whole rows.
    len: u32,
    /// Elements of the whole tile.
    end: u32,
    /// Index of its first element.
    first: u64,
}

/// The result of a portion. Each vector but the last has an entry for each group.
struct Portion<T, A> {
    /// The elements that complete a tile of an earlier portion.
    heads: Vec<Vec<T>>,
    /// How many of those have not been read yet.
    missing: Vec<usize>,
    /// The totals of the whole tiles after them.
    totals: Vec<Vec<A>>,
    /// The tile after those.
    tiles: Vec<Tile>,
    /// The next lane of its last row.
    places: Vec<Place>,
    /// The difference between an element's index and its lane, in wrapping arithmetic.
    indices: Vec<u64>,
    /// The lanes of all groups.
    lanes: Vec<A>,
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
        // The first portion begins every group, and with so few elements all tiles have the same length.
        let is_known = threads == 1 && tile_len::<T>(x.len() as u64) == tile_len::<T>(0);
        let counts = if is_known { None } else { Some(self.count_groups(ids, groups, threads)?) };
        let counts = counts.as_ref();
        let portion_len = counts.map_or(x.len(), |counts| counts.portion_len).max(1);
        let mut portions: Vec<_> = (0..x.len().div_ceil(portion_len)).map(|_| None).collect();
        let inputs = ids.chunks(portion_len).zip(x.chunks(portion_len)).zip((0..).step_by(portion_len));
        let tasks = portions.iter_mut().enumerate().zip(inputs);
        share(self.pool.as_deref(), threads - 1, tasks, |((number, portion), ((ids, x), base))| {
            float_environment::check()?;
            let expected = |group| counts.map_or((0, 0, 0), |counts| counts.of_portion(number, group));
            let mut folded = Portion::new::<O>(groups, expected)?;
            folded.fold(op, ids, x, base)?;
            *portion = Some(folded);
            Ok::<_, Error>(())
        })?;
        let portions: Vec<_> = portions.into_iter().flatten().collect();
        let mut outs = empty_results::<T, O>(groups)?;
        let tasks = outs.iter_mut().enumerate();
        share(self.pool.as_deref(), threads - 1, tasks, |(group, out)| {
            float_environment::check()?;
            let (acc, len) = meet(op, &portions, group);
            *out = O::finish(acc, len);
            Ok::<_, Error>(())
        })?;
        Ok(outs)
    }
}

impl<T: Element, A: Copy> Portion<T, A> {
    /// Creates a portion without elements. `expected` returns a group's number of elements: in all, in earlier
    /// portions, and in this one.
    fn new<O: Op<T, Acc = A>>(
        groups: usize,
        expected: impl Fn(usize) -> (usize, usize, usize),
    ) -> Result<Self, Error> {
        let mut portion = Self {
            heads: with_room(groups)?,
            missing: with_room(groups)?,
            totals: vec![Vec::new(); groups],
            tiles: with_room(groups)?,
            places: with_room(groups)?,
            indices: with_room(groups)?,
            lanes: with_room(groups * apart::<T, A>())?,
        };
        portion.lanes.resize(groups * apart::<T, A>(), O::IDENTITY);
        for group in 0..groups {
            let (all, before, here) = expected(group);
            let end = tile_len::<T>(all as u64);
            let begun = before as u64 % end;
            let missing = if begun > 0 { here.min((end - begun) as usize) } else { 0 };
            portion.heads.push(with_room(missing)?);
            portion.missing.push(missing);
            portion.tiles.push(Tile { len: 0, end: end as u32, first: (before + missing) as u64 });
            portion.places.push(Place { at: 0, end: 0 });
            portion.indices.push(0);
            portion.begin_row(group);
        }
        Ok(portion)
    }

    /// Folds elements, the first of which has the position `base`.
    fn fold<O: Op<T, Acc = A>, I: IndexType>(
        &mut self,
        op: O,
        ids: &[I],
        x: &[T],
        base: usize,
    ) -> Result<(), Error> {
        let mut done = self.fold_with_heads(op, ids, x, base)?;
        while done < x.len() {
            // Local slices, which the loop need not load again for each element.
            let (places, indices, lanes) = (&mut self.places[..], &self.indices[..], &mut self.lanes[..]);
            let mut full = None;
            let is_ahead = places.len() > FEW;
            for (&id, &x) in ids[done..].iter().zip(&x[done..]) {
                let group = group_of(id, places.len(), base + done)?;
                let place = &mut places[group];
                let at = place.at;
                // Updated before the lane is written, because the compiler cannot know that the write does not change
                // it.
                place.at = at + 1;
                let is_full = at + 1 == place.end;
                let lane = &mut lanes[at as usize];
                *lane = op.append(*lane, x, indices[group].wrapping_add(at.into()));
                if is_ahead {
                    processor::prefetch_line_after(&lanes[at as usize..]);
                }
                done += 1;
                if is_full {
                    full = Some(group);
                    break;
                }
            }
            if let Some(group) = full {
                self.end_row::<O>(group);
            }
        }
        Ok(())
    }

    /// Folds elements until no group needs elements of an earlier tile any more. Returns how many elements that took.
    fn fold_with_heads<O: Op<T, Acc = A>, I: IndexType>(
        &mut self,
        op: O,
        ids: &[I],
        x: &[T],
        base: usize,
    ) -> Result<usize, Error> {
        let mut heads = self.missing.iter().filter(|&&missing| missing > 0).count();
        for (done, (&id, &x)) in ids.iter().zip(x).enumerate() {
            if heads == 0 {
                return Ok(done);
            }
            let group = group_of(id, self.tiles.len(), base + done)?;
            let missing = &mut self.missing[group];
            if *missing > 0 {
                self.heads[group].push(x);
                *missing -= 1;
                heads -= usize::from(*missing == 0);
                continue;
            }
            let place = &mut self.places[group];
            let at = place.at;
            place.at += 1;
            let lane = &mut self.lanes[at as usize];
            *lane = op.append(*lane, x, self.indices[group].wrapping_add(at.into()));
            if place.at == place.end {
                self.end_row::<O>(group);
            }
        }
        Ok(x.len())
    }

    /// Begins the next row of a tile or, after the last row, the next tile.
    #[cold]
    fn end_row<O: Op<T, Acc = A>>(&mut self, group: usize) {
        let tile = &mut self.tiles[group];
        tile.len += lanes::<T>() as u32;
        if tile.len == tile.end {
            let lanes = &mut self.lanes[group * apart::<T, A>()..][..lanes::<T>()];
            self.totals[group].push(tiles::fold_pairs::<T, O>(lanes));
            lanes.fill(O::IDENTITY);
            *tile = Tile { len: 0, first: tile.first + u64::from(tile.len), ..*tile };
        }
        self.begin_row(group);
    }

    fn begin_row(&mut self, group: usize) {
        let start = group * apart::<T, A>();
        let tile = self.tiles[group];
        self.places[group] = Place { at: start as u32, end: (start + lanes::<T>()) as u32 };
        self.indices[group] = (tile.first + u64::from(tile.len)).wrapping_sub(start as u64);
    }

    /// Returns the tile after the whole ones, with the elements of its last row.
    fn last(&self, group: usize) -> Tile {
        let (tile, begun) = (self.tiles[group], self.places[group].at - (group * apart::<T, A>()) as u32);
        Tile { len: tile.len + begun, ..tile }
    }
}

/// Returns a group's accumulator and number of elements, from all portions in order.
fn meet<T: Element, O: Op<T>>(op: O, portions: &[Portion<T, O::Acc>], group: usize) -> (O::Acc, u64) {
    let mut totals = Vec::new();
    let mut kept = vec![O::IDENTITY; lanes::<T>()];
    let mut tile = Tile { len: 0, end: 0, first: 0 };
    for portion in portions {
        for &x in &portion.heads[group] {
            let lane = &mut kept[tile.len as usize % lanes::<T>()];
            *lane = op.append(*lane, x, tile.first + u64::from(tile.len));
            tile.len += 1;
        }
        if tile.len > 0 && tile.len == tile.end {
            totals.push(tiles::fold_pairs::<T, O>(&mut kept));
            tile = Tile { len: 0, first: tile.first + u64::from(tile.len), ..tile };
        }
        let last = portion.last(group);
        if last.len > 0 || !portion.totals[group].is_empty() {
            totals.extend_from_slice(&portion.totals[group]);
            tile = last;
            kept.copy_from_slice(&portion.lanes[group * apart::<T, O::Acc>()..][..lanes::<T>()]);
        }
    }
    if tile.len > 0 {
        let used = lanes::<T>().min(tile.len as usize);
        totals.push(tiles::fold_pairs::<T, O>(&mut kept[..used]));
    }
    (tiles::fold_pairs::<T, O>(&mut totals), tile.first + u64::from(tile.len))
}
