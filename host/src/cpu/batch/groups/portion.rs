//! A portion of the input, brought together by group on one thread.
//!
//! Elements of a group are kept until they are a tile, which is folded in the place where they were. What a portion has of a
//! tile that began in an earlier portion is kept, and so is what is left at its end: these meet with those of its neighbours.

use gpu_kernels::{Element, Op};

use super::group_of;
use crate::cpu::batch::with_room;
use crate::cpu::processor;
use crate::error::Error;
use crate::index_type::IndexType;

/// Bytes behind the room of a tile: tiles are powers of two, and the rooms of all groups would begin in the same set of a
/// cache.
const APART: usize = 64;

/// So many groups are written to at once without asking for what comes.
/// [2-core Xeon (Sapphire Rapids), one thread, 2^24 f32: 10 groups 40 ms without and 63 with, 1000 groups 82 and 72.]
const FEW: usize = 64;

/// What is known of a group before its elements come.
pub(super) struct Expected {
    /// Elements in this portion.
    pub(super) count: usize,
    /// Elements in earlier portions.
    pub(super) before: u64,
    /// Elements of a tile; `None` if all elements of all portions are one tile at most.
    pub(super) tile_len: Option<usize>,
}

/// Where the next element of a group goes, and where it has room no more.
#[derive(Clone, Copy)]
struct Place {
    at: u32,
    end: u32,
}

/// A group that has more than a tile.
struct Long<T, A> {
    group: usize,
    tile_len: usize,
    /// Index of the first element that is kept.
    first: u64,
    /// The end of a tile that began in an earlier portion.
    head: Vec<T>,
    /// Of the whole tiles, in order.
    totals: Vec<A>,
}

/// A portion's groups.
pub(super) struct Portion<T, A> {
    places: Vec<Place>,
    /// Where each group's room begins.
    starts: Vec<u32>,
    room: Vec<T>,
    /// In order of the groups.
    long: Vec<Long<T, A>>,
}

impl<T: Element, A: Copy> Portion<T, A> {
    /// Takes up to 2^31 elements with their groups' ids, the first of which stands at `base`.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is no memory.
    pub(super) fn new<O: Op<T, Acc = A>, I: IndexType>(
        op: O,
        (ids, x, base): (&[I], &[T], usize),
        expected: impl ExactSizeIterator<Item = Expected>,
    ) -> Result<Self, Error> {
        let groups = expected.len();
        let (mut places, mut starts) = (with_room(groups)?, with_room(groups)?);
        let (mut start, mut long) = (0, Vec::new());
        for (group, Expected { count, before, tile_len }) in expected.enumerate() {
            starts.push(start as u32);
            let (mut end, mut next) = (start + count, start + count);
            if let Some(tile_len) = tile_len {
                let begun = (before % tile_len as u64) as usize;
                let head = if begun > 0 { tile_len - begun } else { tile_len };
                end = start + head.min(count);
                next = start + tile_len.min(count) + APART.div_ceil(size_of::<T>());
                long.push(Long { group, tile_len, first: before, head: Vec::new(), totals: Vec::new() });
            }
            places.push(Place { at: start as u32, end: end as u32 });
            start = next;
        }
        let mut room = with_room(start)?;
        // Some element stands in each place until its own does.
        if let Some(&first) = x.first() {
            room.resize(start, first);
        }
        let mut portion = Self { places, starts, room, long };
        portion.take(op, ids, x, base)?;
        Ok(portion)
    }

    fn take<O: Op<T, Acc = A>, I: IndexType>(
        &mut self,
        op: O,
        ids: &[I],
        x: &[T],
        base: usize,
    ) -> Result<(), Error> {
        let mut taken = 0;
        while taken < x.len() {
            // Slices of their own, which need not be loaded anew for each element.
            let (places, room) = (&mut self.places[..], &mut self.room[..]);
            let mut full = None;
            let is_ahead = self.long.len() > FEW;
            for (&id, &x) in ids[taken..].iter().zip(&x[taken..]) {
                let group = group_of(id, places.len(), base + taken)?;
                let place = &mut places[group];
                let at = place.at;
                if at == place.end {
                    full = Some(group);
                    break;
                }
                // Before the element is written, whose place might be this one for all that the compiler knows.
                // [2-core Xeon (Sapphire Rapids), one thread, 2^24 f32 in 10 groups: 74 ms after it.]
                place.at = at + 1;
                room[at as usize] = x;
                if is_ahead {
                    processor::prefetch_line_after(&room[at as usize..]);
                }
                taken += 1;
            }
            if let Some(group) = full {
                self.fold_tile(op, group);
            }
        }
        Ok(())
    }

    /// Folds the elements of a group, which are a tile or the end of one, where more come.
    #[cold]
    fn fold_tile<O: Op<T, Acc = A>>(&mut self, op: O, group: usize) {
        let Ok(at) = self.long.binary_search_by_key(&group, |long| long.group) else { return };
        let start = self.starts[group] as usize;
        let kept = &self.room[start..self.places[group].at as usize];
        let long = &mut self.long[at];
        if kept.len() == long.tile_len {
            let mut total = [O::IDENTITY];
            processor::fold_tiles::<T, O>(op, kept, long.tile_len, long.first, &mut total);
            long.totals.push(total[0]);
        } else {
            long.head.extend_from_slice(kept);
        }
        long.first += kept.len() as u64;
        let room = self.starts.get(group + 1).map_or(self.room.len(), |&next| next as usize) - start;
        self.places[group] = Place { at: start as u32, end: (start + room.min(long.tile_len)) as u32 };
    }

    /// The last elements of a group, which are not folded yet.
    #[inline(always)]
    pub(super) fn kept(&self, group: usize) -> &[T] {
        &self.room[self.starts[group] as usize..self.places[group].at as usize]
    }

    /// What lies in memory from the first of these on.
    #[inline(always)]
    pub(super) fn kept_and_behind(&self, group: usize) -> &[T] {
        &self.room[self.starts[group] as usize..]
    }
}

/// Each group that has more than a tile, with its accumulator and number of elements, from all portions in order.
pub(super) fn fold_long<T: Element, O: Op<T>>(
    op: O,
    portions: &[Portion<T, O::Acc>],
) -> Vec<(usize, O::Acc, u64)> {
    let Some(first) = portions.first() else { return Vec::new() };
    let fold = |(at, long): (usize, &Long<T, O::Acc>)| {
        let (mut totals, mut begun) = (Vec::new(), Vec::new());
        let (group, tile_len) = (long.group, long.tile_len);
        let mut folded = 0;
        let fold_begun = |begun: &mut Vec<T>, totals: &mut Vec<O::Acc>, folded: &mut u64| {
            let mut total = [O::IDENTITY];
            processor::fold_tiles::<T, O>(op, begun, tile_len, *folded, &mut total);
            totals.push(total[0]);
            *folded += begun.len() as u64;
            begun.clear();
        };
        for portion in portions {
            let long = &portion.long[at];
            begun.extend_from_slice(&long.head);
            if begun.len() == tile_len {
                fold_begun(&mut begun, &mut totals, &mut folded);
            }
            totals.extend_from_slice(&long.totals);
            folded += (long.totals.len() * tile_len) as u64;
            let kept = portion.kept(group);
            let (here, rest) = kept.split_at(kept.len().min(tile_len - begun.len()));
            begun.extend_from_slice(here);
            if begun.len() == tile_len {
                fold_begun(&mut begun, &mut totals, &mut folded);
            }
            begun.extend_from_slice(rest);
        }
        if !begun.is_empty() {
            fold_begun(&mut begun, &mut totals, &mut folded);
        }
        (group, crate::cpu::tiles::fold_pairs::<T, O>(&mut totals), folded)
    };
    first.long.iter().enumerate().map(fold).collect()
}
