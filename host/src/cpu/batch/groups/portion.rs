//! A portion of the input, sorted by group on one thread.
//!
//! A group's elements are stored until they fill a tile, which is then folded, and its space is reused. Elements that
//! complete a tile of an earlier portion, and those left over at the end, are kept, and folded together with those of
//! the neighbouring portions.

use gpu_kernels::{Element, Op};

use super::group_of;
use crate::cpu::batch::with_room;
use crate::cpu::processor;
use crate::error::Error;
use crate::index_type::IndexType;

/// Bytes after the space of a tile. Tiles are powers of two, so without these bytes the spaces of all groups would
/// begin in the same set of a cache.
const APART: usize = 64;

/// Most groups that are written without prefetching.
/// [2-core Xeon (Sapphire Rapids), one thread, 2^24 f32: 10 groups 40 ms without and 63 with, 1000 groups 82 and 72.]
const FEW: usize = 64;

/// The sizes of a group, known before its elements are read.
pub(super) struct Expected {
    /// Elements in this portion.
    pub(super) count: usize,
    /// Elements in earlier portions.
    pub(super) before: u64,
    /// Elements per tile; `None` if the group, over all portions, has at most one tile.
    pub(super) tile_len: Option<usize>,
}

/// The position of a group's next element, and the end of its space.
#[derive(Clone, Copy)]
struct Place {
    at: u32,
    end: u32,
}

/// A group of more than one tile.
struct Long<T, A> {
    group: usize,
    tile_len: usize,
    /// Index of the first stored element.
    first: u64,
    /// The elements that complete a tile of an earlier portion.
    head: Vec<T>,
    /// The totals of the whole tiles, in order.
    totals: Vec<A>,
}

/// The groups of a portion.
pub(super) struct Portion<T, A> {
    places: Vec<Place>,
    /// The start of each group's space.
    starts: Vec<u32>,
    room: Vec<T>,
    /// In the order of the groups.
    long: Vec<Long<T, A>>,
}

impl<T: Element, A: Copy> Portion<T, A> {
    /// Reads up to 2^31 elements with their groups' ids. The first element has the position `base`.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory; [`Error::Group`] if an id is out of range.
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
        // Each place holds an arbitrary element until its own is written.
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
            // Local slices, which the loop need not load again for each element.
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
                // Updated before the element is written, because the compiler cannot know that the write does not
                // change it. [2-core Xeon (Sapphire Rapids), one thread, 2^24 f32 in 10 groups: 74 ms if updated after
                // it.]
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

    /// Folds a group's stored elements, which are a tile or the end of one, to make space for more.
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

    /// Returns the last elements of a group, which are not folded yet.
    #[inline(always)]
    pub(super) fn kept(&self, group: usize) -> &[T] {
        &self.room[self.starts[group] as usize..self.places[group].at as usize]
    }

    /// Returns the memory from the first of these elements on.
    #[inline(always)]
    pub(super) fn kept_and_behind(&self, group: usize) -> &[T] {
        &self.room[self.starts[group] as usize..]
    }
}

/// Returns each group of more than one tile with its accumulator and number of elements, from all portions in order.
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
