//! Totals of tiles that are folded in pairs of neighbours as they come, whatever their final number.

use core::marker::PhantomData;

use cuda_std::shared::SharedSlice;
use cuda_std::thread::unknown;

use super::Place;
use crate::op::{Accumulator, Element, Op, is_free};
use crate::shape::{column_lanes_at_once, column_levels};
use crate::tree::{MAX_TILES, THREADS, lanes};
use crate::unroll::unrolled;

/// Levels of the tree of tiles.
const LEVELS: usize = MAX_TILES.ilog2() as usize + 1;

cuda_std::shared_bytes! {
    /// A total per level for each thread of a block's first row. Where columns have several tiles that row is short, since a
    /// thread folds few lanes.
    fn warpfold_columns_tiles: 13312
}

/// Most totals per level: of up to 16 bytes, up to 32, and up to 64.
const OF_16: usize = 64;
const OF_32: usize = 32;
const OF_64: usize = 16;

const _: () = assert!(LEVELS * OF_16 * 16 == 13312);

/// Returns the places of all levels.
#[inline(always)]
fn places<A: Accumulator>() -> SharedSlice<A> {
    let bytes = warpfold_columns_tiles();
    if let Some(places) = bytes.array_if_fits::<A, { LEVELS * OF_16 }>() {
        places.slice()
    } else if let Some(places) = bytes.array_if_fits::<A, { LEVELS * OF_32 }>() {
        places.slice()
    } else {
        bytes.array::<A, { LEVELS * OF_64 }>().slice()
    }
}

/// The totals of `W` columns by a binary counter: level `i` holds those of `2^i` tiles while bit `i` of the count is 1. Each
/// thread of a block's first row has its own.
pub(super) struct Pairs<T, O, const W: usize> {
    place: Place,
    count: u32,
    of: PhantomData<(T, O)>,
}

impl<T: Element, O: Op<T>, const W: usize> Pairs<T, O, W> {
    /// Makes an empty counter.
    #[inline(always)]
    pub(super) fn none(place: Place) -> Self {
        const {
            // The threads in a row, if as few threads as possible share the lanes of a tile.
            let lanes_of_one = column_lanes_at_once::<T, O>() << column_levels::<T, O>(false);
            let across = THREADS * lanes_of_one / lanes::<T>();
            let most = match W * size_of::<O::Acc>() {
                0..=16 => OF_16,
                17..=32 => OF_32,
                _ => OF_64,
            };
            assert!(is_free::<T, O>() || across <= most, "the totals of a block's columns fit");
        }
        Self { place, count: 0, of: PhantomData }
    }

    /// Returns the place of a level's totals.
    #[inline(always)]
    fn at(&self, level: u32) -> usize {
        ((level << self.place.log2_across()) + self.place.across()) as usize
    }

    /// Folds in the totals of the next tile.
    #[inline(always)]
    #[track_caller]
    pub(super) fn push(&mut self, mut totals: [O::Acc; W]) {
        let mut level = 0;
        while self.count >> level & 1 == 1 {
            totals = both::<T, O, W>(places().read(self.at(level)), totals);
            level = unknown(level + 1);
        }
        places().write(self.at(level), totals);
        self.count += 1;
    }

    /// Returns the totals of all: a level without a neighbour is folded with the next one in use.
    #[inline(always)]
    #[track_caller]
    pub(super) fn totals(&self) -> [O::Acc; W] {
        let (mut totals, mut level) = ([O::IDENTITY; W], 0);
        while level < LEVELS as u32 {
            if self.count >> level & 1 == 1 {
                totals = both::<T, O, W>(places().read(self.at(level)), totals);
            }
            level = unknown(level + 1);
        }
        totals
    }
}

/// Combines two totals of each column.
#[inline(always)]
pub(super) fn both<T: Element, O: Op<T>, const W: usize>(
    left: [O::Acc; W],
    mut right: [O::Acc; W],
) -> [O::Acc; W] {
    unrolled!(w < W => { right[w] = O::combine(left[w], right[w]) });
    right
}
