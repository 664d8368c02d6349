//! The shape of launches of compaction: the contract between the kernels and the host.

/// Threads of a block, which has one tile.
pub const COMPACT_THREADS: u32 = 256;

/// Returns the vectors per thread of elements of `bytes` bytes: a tile takes 16 KiB of shared memory. 16 KiB with 32
/// registers are the fastest; 32 KiB do not fit these (docs/tuning/gpu.md).
#[must_use]
pub const fn compact_rows(bytes: usize) -> usize {
    match bytes {
        1 => 1,
        2 => 2,
        _ => 4,
    }
}

/// Returns the elements of a vector.
#[must_use]
pub const fn compact_vector(bytes: usize) -> usize {
    16 / bytes
}

/// Returns the elements of a tile.
#[must_use]
pub const fn compact_tile(bytes: usize) -> usize {
    COMPACT_THREADS as usize * compact_vector(bytes) * compact_rows(bytes)
}

/// Words before the states of the tiles: a cache line. The first word is the ticket.
pub const STATES_HEAD: u64 = 16;

/// Returns the 64-bit words of a launch over `tiles` tiles, which must all be 0 before it.
#[must_use]
pub const fn states_len(tiles: u64) -> u64 {
    STATES_HEAD + tiles
}
