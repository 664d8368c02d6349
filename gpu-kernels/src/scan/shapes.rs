//! The shape of a launch that scans, and its memory: the contract between the kernel and the host.

use super::tree::{GROUP_TILES, ROW_RUNS, TILE_ROWS, TILE_RUNS, run_len, tile_len};

/// Rows of a tile per warp of its block, and so runs per thread. A multiprocessor holds 2048 threads, so with one row per warp
/// at most 8 tiles would be waiting on it for their prefixes. This is the best of 1, 2 and 4 (docs/tuning/gpu.md).
pub const WARP_ROWS: usize = 2;

/// Threads of a block, which scans one tile.
pub const SCAN_THREADS: u32 = (TILE_RUNS / WARP_ROWS) as u32;

/// Most bytes of a run, and of the outputs that a thread has ready at once.
pub const PIECE_BYTES: usize = 64;

/// Returns the 16-byte vectors per run, if a run is a whole number of them. Otherwise its elements are loaded one by one.
#[must_use]
pub const fn run_vectors<T>() -> Option<usize> {
    let bytes = run_len::<T>() * size_of::<T>();
    if bytes.is_multiple_of(16) && bytes <= PIECE_BYTES { Some(bytes / 16) } else { None }
}

/// Returns the outputs `S` of a run that a thread has ready at once: a power of two, as many as fit [`PIECE_BYTES`], at least
/// 1.
#[must_use]
pub const fn piece_len<T, S>() -> usize {
    let mut len = run_len::<T>();
    while len > 1 && len * size_of::<S>() > PIECE_BYTES {
        len /= 2;
    }
    if (len * size_of::<S>()).is_multiple_of(16) && len * size_of::<S>() <= PIECE_BYTES { len } else { 1 }
}

/// Returns the 16-byte vectors per piece, if a piece is a whole number of them.
#[must_use]
pub const fn piece_vectors<T, S>() -> Option<usize> {
    let bytes = piece_len::<T, S>() * size_of::<S>();
    if bytes.is_multiple_of(16) && bytes > 0 && bytes <= PIECE_BYTES { Some(bytes / 16) } else { None }
}

/// Returns the tiles of `len` elements, which are the blocks of a launch.
#[must_use]
pub const fn tiles<T>(len: u64) -> u64 {
    len.div_ceil(tile_len::<T>() as u64)
}

/// Returns the 64-bit words in which blocks post, in a launch over `len` elements with accumulators `A`. They must be zero when
/// it starts. They are the counter of tickets, a place for each tile's total, and for each group one for its total and one for
/// its prefix.
#[must_use]
pub const fn state_words<T, A>(len: u64) -> u64 {
    let groups = groups::<T>(len);
    1 + (groups * GROUP_TILES as u64 + 2 * groups) * (size_of::<A>() / 4) as u64
}

/// Returns the groups of `len` elements.
#[must_use]
pub const fn groups<T>(len: u64) -> u64 {
    tiles::<T>(len).div_ceil(GROUP_TILES as u64)
}

const _: () = assert!(TILE_RUNS == 256 && ROW_RUNS == 32 && TILE_ROWS.is_multiple_of(WARP_ROWS));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_leave_in_vectors_where_they_can() {
        assert_eq!(
            (run_vectors::<u8>(), run_vectors::<f32>(), run_vectors::<[u32; 3]>()),
            (Some(1), Some(4), Some(3))
        );
        assert_eq!((run_vectors::<[u8; 5]>(), run_vectors::<[u64; 9]>()), (None, None));
        assert_eq!((piece_len::<f32, f32>(), piece_vectors::<f32, f32>()), (16, Some(4)));
        assert_eq!((piece_len::<f32, u64>(), piece_vectors::<f32, u64>()), (8, Some(4)));
        assert_eq!((piece_len::<f64, [u64; 3]>(), piece_vectors::<f64, [u64; 3]>()), (2, Some(3)));
        assert_eq!((piece_len::<bool, u8>(), piece_vectors::<bool, u8>()), (16, Some(1)));
        assert_eq!((piece_len::<[u64; 8], u8>(), piece_vectors::<[u64; 8], u8>()), (1, None));
        assert_eq!(state_words::<f32, f64>(1), 1 + 2 * 258);
    }
}
