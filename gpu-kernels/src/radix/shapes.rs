//! What the launches of a radix sort look like: the contract between the kernels and the host.

/// Bits of a digit.
pub const DIGIT_BITS: u32 = 8;

/// Values of a digit.
pub const DIGITS: usize = 1 << DIGIT_BITS;

/// The most passes: a digit for each byte of a key.
pub const MOST_PASSES: usize = 8;

/// Threads of a block that counts digits.
pub const COUNT_THREADS: u32 = 512;

/// Keys that a thread of such a block has under way.
#[must_use]
pub const fn count_at_once(key_bytes: usize) -> usize {
    if key_bytes > 4 { 4 } else { 8 }
}

/// Blocks of them for each multiprocessor, which holds 2048 threads.
pub const COUNT_BLOCKS: u32 = 4;

/// Cells that must be 0 before the digits of keys of `key_bytes` bytes are counted. There is one for each value of each
/// digit, one for neighbours that do not ascend, and one for neighbours that do not strictly descend.
#[must_use]
pub const fn counts_len(key_bytes: usize) -> u64 {
    key_bytes as u64 * DIGITS as u64 + 2
}

/// Threads of a block that sums counts up: one for each value of a digit. There is a block for each digit.
pub const STARTS_THREADS: u32 = DIGITS as u32;

/// Warps of a block that moves keys of `key_bytes` bytes with values of `value_bytes` bytes. If that is 0, there are no
/// values.
#[must_use]
pub const fn pass_warps(key_bytes: usize, value_bytes: usize) -> usize {
    if key_bytes > 4 && value_bytes == 0 { 16 } else { 12 }
}

/// Keys that each thread of such a block has under way: as many as registers and shared memory hold. With a longer
/// tile, more keys go to neighbouring places (docs/tuning/gpu.md).
#[must_use]
pub const fn pass_items(key_bytes: usize, value_bytes: usize) -> usize {
    match (key_bytes > 4, value_bytes) {
        (false, 0..=4) => 24,
        (true, 0) => 11,
        (_, 16) => 7,
        _ => 14,
    }
}

/// Threads of a block that moves keys.
#[must_use]
pub const fn pass_threads(key_bytes: usize, value_bytes: usize) -> u32 {
    pass_warps(key_bytes, value_bytes) as u32 * 32
}

/// Keys of a tile, which one block moves.
#[must_use]
pub const fn pass_tile(key_bytes: usize, value_bytes: usize) -> u64 {
    pass_items(key_bytes, value_bytes) as u64 * pass_threads(key_bytes, value_bytes) as u64
}

/// Tiles before its own whose counts a thread has under way while it looks back.
pub const LOOK_BACK: usize = 4;

/// The most keys of a launch that moves them: a tile's state counts in 30 bits.
pub const MOST_MOVED: u64 = (1 << 30) - 1;

/// The most keys of such a launch, in whole tiles.
#[must_use]
pub const fn most_moved(tile: u64) -> u64 {
    MOST_MOVED / tile * tile
}

/// Words before the states of the tiles of such a launch: a cache line. The first word is the ticket.
pub const STATES_HEAD: usize = 32;

/// Returns the words for the states of `tiles` tiles, one for each value of a digit, and for their ticket.
#[must_use]
pub const fn states_len(tiles: u64) -> u64 {
    STATES_HEAD as u64 + tiles * DIGITS as u64
}
