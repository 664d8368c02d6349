//! What a launch may look like: the contract between the kernels and whoever plans their launches.

use crate::op::{Element, Op};
use crate::tree::{MAX_TILES, RUN, tile_len, vector_len};

/// Threads per block that the kernels take: 1, 2 or 4 groups of [`THREADS`](crate::tree::THREADS), each of
/// which folds a tile of its own.
pub const BLOCK_THREADS: [u32; 3] = [256, 512, 1024];

/// Tiles of the smallest length that one block folds without handing anything over.
pub const BLOCK_TILES: u64 = 16;

/// Partial results that one block folds.
pub const MAX_FAN_IN: u64 = MAX_TILES;

/// Bytes of the largest accumulator that kernels fold: what a thread holds in registers and a warp exchanges word by word.
pub const MOST_ACC_BYTES: usize = 64;

/// Loads after which an operator's lane of the tree ends: 1 where lanes stride, otherwise [`RUN`].
#[must_use]
pub const fn loads_of_item<T: Element, O: Op<T>>() -> usize {
    if O::COMMUTATIVE { 1 } else { RUN }
}

/// Values that a lane of a warp has under way while it folds short rows: as many as its registers hold.
#[must_use]
pub const fn lanes_row_values<T: Element, O: Op<T>>() -> usize {
    match size_of::<O::Acc>() * loads_of_item::<T, O>() {
        0..=8 => 4,
        9..=16 => 2,
        _ => 1,
    }
}

/// Whether rows of `len` elements, of which the first begins at `address` and the others every `pitch` elements, are loaded by
/// whole vectors of 16 bytes. Otherwise they are loaded element by element.
#[must_use]
pub const fn are_rows_vectors<T>(address: u64, len: u64, pitch: u64) -> bool {
    let v = vector_len::<T>() as u64;
    v > 1
        && v * size_of::<T>() as u64 == 16
        && address.is_multiple_of(16)
        && len.is_multiple_of(v)
        && pitch.is_multiple_of(v)
}

/// Elements of the longest row that lanes of a warp fold which folds several rows at once.
#[must_use]
pub const fn lanes_row_len<T: Element, O: Op<T>>(are_vectors: bool) -> u64 {
    let load = if are_vectors { vector_len::<T>() } else { 1 };
    (32 * load * loads_of_item::<T, O>() * lanes_row_values::<T, O>()) as u64
}

/// Elements of the longest row that one warp folds: those of the smallest tile; none if eight accumulators do not fit its
/// registers.
#[must_use]
pub const fn warp_row_len<T: Element, O: Op<T>>() -> u64 {
    if size_of::<O::Acc>() <= 16 { tile_len::<T>(0) } else { 0 }
}
