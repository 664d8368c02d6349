//! The prefix of each tile, computed tile by tile.

use std::ops::Range;

use gpu_kernels::scan::tree::{GROUP_STRETCHES, GROUP_TILES, STRETCH_TILES, steps};
use gpu_kernels::{Element, Op};

use crate::error::Error;
use crate::memory;

/// Totals that arrive in order, and the inclusive prefix of each along the tree's steps: up to 32 of them.
pub(super) struct Steps<A> {
    /// For each total, its value after each step.
    values: [[A; GROUP_STRETCHES]; steps().len() + 1],
    count: usize,
}

impl<A: Copy> Steps<A> {
    pub(super) fn new(identity: A) -> Self {
        Self { values: [[identity; GROUP_STRETCHES]; steps().len() + 1], count: 0 }
    }

    /// Adds the next total, and returns its inclusive prefix.
    #[inline(always)]
    pub(super) fn push<T: Element, O: Op<T, Acc = A>>(&mut self, total: A) -> A {
        let at = self.count % GROUP_STRETCHES;
        self.count = at + 1;
        self.values[0][at] = total;
        for (level, step) in steps().into_iter().enumerate() {
            let value = self.values[level][at];
            self.values[level + 1][at] =
                if at >= step { O::combine(self.values[level][at - step], value) } else { value };
        }
        self.values[steps().len()][at]
    }
}

/// Computes the prefixes of tiles.
pub(crate) struct Prefixes<A> {
    /// Prefix of the group, including the initial value.
    group: A,
    /// Prefix of the stretch within the group.
    stretch: A,
    /// Prefix of the next tile within its stretch.
    tile: A,
    stretches: Steps<A>,
    tiles: usize,
}

impl<A: Copy> Prefixes<A> {
    /// Starts before the first tile.
    pub(crate) fn new(identity: A, init: A) -> Self {
        Self { group: init, stretch: identity, tile: identity, stretches: Steps::new(identity), tiles: 0 }
    }

    /// Returns the prefix of the next tile.
    #[inline(always)]
    pub(crate) fn next<T: Element, O: Op<T, Acc = A>>(&self) -> A {
        O::combine(self.group, O::combine(self.stretch, self.tile))
    }

    /// Adds the next tile's total.
    #[inline(always)]
    pub(crate) fn push<T: Element, O: Op<T, Acc = A>>(&mut self, total: A) {
        self.tile = O::combine(self.tile, total);
        self.tiles += 1;
        if self.tiles.is_multiple_of(STRETCH_TILES) {
            self.stretch = self.stretches.push::<T, O>(self.tile);
            self.tile = O::IDENTITY;
        }
        if self.tiles == STRETCH_TILES * GROUP_STRETCHES {
            self.group = O::combine(self.group, self.stretch);
            self.stretch = O::IDENTITY;
            self.tiles = 0;
        }
    }

    /// Adds the totals of some tiles, as [`by_groups`] returns them.
    pub(crate) fn push_groups<T: Element, O: Op<T, Acc = A>>(&mut self, totals: &[A], tiles: Range<u64>) {
        for (&total, tiles) in totals.iter().zip(portions(tiles)) {
            if tiles == 1 {
                self.push::<T, O>(total);
            } else {
                // This group has no tiles yet, so its total is what its stretches would have given.
                self.group = O::combine(self.group, total);
            }
        }
    }
}

/// Combines the totals of each whole group among some tiles. Other ranks need no more than this.
///
/// # Errors
/// [`Error::TooManyResults`] if there is not enough memory.
pub(crate) fn by_groups<T: Element, O: Op<T>>(
    mut totals: &[O::Acc],
    tiles: Range<u64>,
) -> Result<Vec<O::Acc>, Error> {
    let together = |tiles: usize| {
        let totals = totals.split_off(..tiles).unwrap_or_default();
        if let &[total] = totals {
            return total;
        }
        let mut prefixes = Prefixes::new(O::IDENTITY, O::IDENTITY);
        totals.iter().for_each(|&total| prefixes.push::<T, O>(total));
        prefixes.group
    };
    memory::collected(portions(tiles).map(together))
}

/// Returns the number of tiles of each total that [`by_groups`] returns: a whole group, or one.
pub(crate) fn portions(tiles: Range<u64>) -> impl Iterator<Item = usize> {
    let mut at = tiles.start;
    std::iter::from_fn(move || {
        let is_group = at.is_multiple_of(GROUP_TILES as u64) && tiles.end - at >= GROUP_TILES as u64;
        let count = if is_group { GROUP_TILES } else { 1 };
        (at < tiles.end).then(|| {
            at += count as u64;
            count
        })
    })
}
