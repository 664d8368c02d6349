//! The parts of rows: aligned powers of two of a row's tiles, so that each is a whole subtree. The accumulators of a row's
//! parts are neighbours, and are folded in pairs.

use super::Rows;
use crate::op::Element;
use crate::tree::tile_len;

/// A part of a row.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    /// Index of the row's first element among the elements.
    pub(crate) row: u64,
    /// Start and end of the part in the row; empty if the part is beyond the row's end.
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Binary logarithm of the length of the row's tiles.
    pub(crate) log2_tile: u32,
}

impl Part {
    /// Returns whether the part has no elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// Parts that warps or blocks fold, by number.
pub(crate) trait Parts: Copy {
    /// Returns the number of parts.
    fn count(self) -> u64;
    /// Returns part `item`, which is below the count.
    fn part(self, item: u64) -> Part;
}

/// Rows of one length in `2^log2_parts` parts each.
#[derive(Clone, Copy)]
pub(crate) struct RowParts<T> {
    rows: Rows<T>,
    log2_parts: u32,
    log2_tile: u32,
    /// Elements per part.
    len: u64,
}

impl<T: Element> RowParts<T> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn new(rows: Rows<T>, log2_parts: u32) -> Self {
        let log2_tile = tile_len::<T>(rows.len).ilog2();
        let tiles = (rows.len + (1 << log2_tile) - 1) >> log2_tile;
        let len = (tiles.next_power_of_two() << log2_tile) >> log2_parts;
        Self { rows, log2_parts, log2_tile, len }
    }
}

impl<T> RowParts<T> {
    /// Returns the binary logarithm of the number of tiles per part.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn log2_tiles(self) -> u32 {
        self.len.trailing_zeros() - self.log2_tile
    }
}

impl<T: Element> Parts for RowParts<T> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(self) -> u64 {
        self.rows.count << self.log2_parts
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn part(self, item: u64) -> Part {
        let row = (item >> self.log2_parts) * self.rows.pitch;
        let start = (item & ((1 << self.log2_parts) - 1)) * self.len;
        Part { row, start, end: (start + self.len).min(self.rows.len), log2_tile: self.log2_tile }
    }
}
