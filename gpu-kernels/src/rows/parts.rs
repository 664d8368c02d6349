//! The parts of rows: aligned powers of two of a row's tiles, so that each is a whole subtree. A row's parts stand one after
//! the other, and fold in pairs of neighbours.

use super::Rows;
use crate::op::Element;
use crate::tree::tile_len;

/// A part of a row.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Where the row begins among the elements.
    pub(crate) row: u64,
    /// Where the part begins and ends in the row: nowhere, if it is beyond the row's end.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Elements of the row's tiles, as a power of two.
    pub(crate) log2_tile: u32,
}

impl Part {
    /// Whether there are no elements.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// Parts that warps or blocks fold, by their number.
pub(crate) trait Parts: Copy {
    /// How many there are.
    fn count(self) -> u64;
    /// Part `item`, below the count.
    fn part(self, item: u64) -> Part;
}

/// Rows of one length in `2^log2_parts` parts each.
#[derive(Clone, Copy)]
pub(crate) struct RowParts<T> {
    rows: Rows<T>,
    log2_parts: u32,
    log2_tile: u32,
    /// Elements of a part.
    len: u64,
}

impl<T: Element> RowParts<T> {
    #[inline(always)]
    pub(crate) fn new(rows: Rows<T>, log2_parts: u32) -> Self {
        let log2_tile = tile_len::<T>(rows.len).ilog2();
        let tiles = (rows.len + (1 << log2_tile) - 1) >> log2_tile;
        let len = (tiles.next_power_of_two() << log2_tile) >> log2_parts;
        Self { rows, log2_parts, log2_tile, len }
    }
}

impl<T> RowParts<T> {
    /// Binary logarithm of a part's tiles.
    #[inline(always)]
    pub(crate) fn log2_tiles(self) -> u32 {
        self.len.trailing_zeros() - self.log2_tile
    }
}

impl<T: Element> Parts for RowParts<T> {
    #[inline(always)]
    fn count(self) -> u64 {
        self.rows.count << self.log2_parts
    }

    #[inline(always)]
    fn part(self, item: u64) -> Part {
        let row = (item >> self.log2_parts) * self.rows.pitch;
        let start = (item & ((1 << self.log2_parts) - 1)) * self.len;
        Part { row, start, end: (start + self.len).min(self.rows.len), log2_tile: self.log2_tile }
    }
}
