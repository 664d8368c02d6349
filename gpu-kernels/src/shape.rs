//! What a launch may look like: the contract between the kernels and whoever plans their launches.

use crate::tree::MAX_TILES;

/// Threads per block that the kernels take: 1, 2 or 4 groups of [`THREADS`](crate::tree::THREADS), each of
/// which folds a tile of its own.
pub const BLOCK_THREADS: [u32; 3] = [256, 512, 1024];

/// Tiles of the smallest length that one block folds without handing anything over.
pub const BLOCK_TILES: u64 = 16;

/// Partial results that one block folds.
pub const MAX_FAN_IN: u64 = MAX_TILES;

/// Bytes of the largest accumulator that kernels fold: what a thread holds in registers and a warp exchanges word by word.
pub const MOST_ACC_BYTES: usize = 64;
