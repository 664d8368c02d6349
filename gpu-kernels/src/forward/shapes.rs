//! The shapes of launches over rows: the contract between the kernels and the host.

use super::FloatElement;
use crate::tree::{RUN, THREADS, lanes, tile_len, vector_len};

/// Threads of a block whose warps have rows each.
pub const LANES_THREADS: u32 = 256;

/// Groups of 256 threads of the largest block that has a row.
pub const MOST_GROUPS: u32 = 4;

/// Returns the vectors that a lane of a warp holds: 64 bytes of what is computed with.
#[must_use]
pub const fn lane_vectors<T: FloatElement>() -> usize {
    64 / size_of::<T::Carrier>() / vector_len::<T>()
}

/// Returns the elements of the longest row that lanes of a warp hold.
#[must_use]
pub const fn most_of_lanes<T: FloatElement>() -> u64 {
    (32 * lane_vectors::<T>() * vector_len::<T>()) as u64
}

/// Returns the vectors that a lane holds if its warp has one row: twice as many.
#[must_use]
pub const fn warp_vectors<T: FloatElement>() -> usize {
    2 * lane_vectors::<T>()
}

/// Returns the elements of the longest row that a warp holds.
#[must_use]
pub const fn most_of_warp<T: FloatElement>() -> u64 {
    2 * most_of_lanes::<T>()
}

/// Returns the vectors that a thread of a block holds of a row: as many as a lane. With more, fewer blocks would fit a multiprocessor.
#[must_use]
pub const fn tile_vectors<T: FloatElement>() -> usize {
    lane_vectors::<T>()
}

/// Returns the groups of [`THREADS`] of a block that holds a row of `len` elements, if one can. Several groups have a tile each, so a thread
/// of theirs has to hold all of its elements of a tile.
#[must_use]
pub const fn groups_of_tiles<T: FloatElement>(len: u64) -> Option<u32> {
    let held = (tile_vectors::<T>() * lanes::<T>()) as u64;
    let groups = len.div_ceil(held).next_power_of_two();
    if groups <= 1 || tile_vectors::<T>() == RUN && groups <= MOST_GROUPS as u64 && tile_len::<T>(len) == held
    {
        Some(groups as u32)
    } else {
        None
    }
}

/// How the lanes of a warp share rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanesShape {
    /// The binary logarithm of the lanes of a row.
    pub log2_lanes: u32,
    /// The binary logarithm of the vectors that a lane has of a row.
    pub log2_pieces: u32,
}

impl LanesShape {
    /// Returns the shape for rows of `len` elements, at most [`most_of_lanes`].
    #[must_use]
    pub const fn new<T: FloatElement>(len: u64) -> Self {
        let vectors = len.div_ceil(vector_len::<T>() as u64).next_power_of_two().trailing_zeros();
        let log2_lanes = if vectors < 5 { vectors } else { 5 };
        Self { log2_lanes, log2_pieces: vectors - log2_lanes }
    }

    /// Returns the rows that a warp holds at once.
    #[must_use]
    pub const fn rows<T: FloatElement>(self) -> u64 {
        (lane_vectors::<T>() >> self.log2_pieces << (5 - self.log2_lanes)) as u64
    }
}

/// Rows that have a group of threads each: with fewer, most of a GPU would idle.
const MANY_ROWS: u64 = 256;

/// Returns the groups of 256 threads of a block for each of `rows` rows of `len` elements: one or, of few rows, one for each tile, up to
/// [`MOST_GROUPS`].
#[must_use]
pub const fn groups<T: FloatElement>(rows: u64, len: u64) -> u32 {
    let tiles = if rows < MANY_ROWS { crate::tree::tiles::<T>(len).next_power_of_two() } else { 1 };
    if tiles < MOST_GROUPS as u64 { tiles as u32 } else { MOST_GROUPS }
}

const _: () = assert!(THREADS == 256 && lane_vectors::<f32>() == 4 && lane_vectors::<half::f16>() == 2);
