//! Rows layer: many rows of one length at once, each along the tree of its own length. A row's accumulator has the bits of a
//! reduction of that row alone.
//!
//! | kernel | a row is folded by | rows |
//! |---|---|---|
//! | [`lanes`] | 1 to 32 lanes of a warp, which folds several at once | up to [`shapes::lanes_row_len`](crate::shapes::lanes_row_len) |
//! | [`tiles`] | a warp, half of a tile at once | of up to 32 tiles |
//! | [`warps`] | a warp, or several warps with one part each | any |
//! | [`batches`] | a block, or several; a block folds many tiles at once, where rows [lie across](crate::shapes::do_rows_lie_across) vectors | any |
//! | [`blocks`] | a block, or several blocks with one part each, for the other operators | any |

use cuda_std::global::GlobalSlice;

pub(crate) mod across;
pub(crate) mod append;
pub(crate) mod batches;
pub(crate) mod blocks;
pub(crate) mod combine;
pub(crate) mod entry;
pub(crate) mod lanes;
pub(crate) mod loads;
pub(crate) mod moved;
pub(crate) mod parts;
pub(crate) mod pieces;
pub(crate) mod tiles;
pub(crate) mod totals;
pub(crate) mod warps;
pub(crate) mod waves;

/// Rows of a matrix in memory.
#[derive(Clone, Copy)]
pub(crate) struct Rows<T> {
    /// The elements from the first row's first to the last row's last.
    pub(crate) elements: GlobalSlice<T>,
    /// The number of rows.
    pub(crate) count: u64,
    /// Elements of a row, at least 1.
    pub(crate) len: u64,
    /// Elements from the start of a row to the start of the next one.
    pub(crate) pitch: u64,
}
