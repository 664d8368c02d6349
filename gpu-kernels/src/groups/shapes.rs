//! What the launches of the partition, the scan and the runs look like: the contract between the kernels and the host.

use crate::radix::shapes::{DIGIT_BITS, pass_items, pass_warps};

/// The most passes.
pub const MOST_PASSES: u32 = 4;

/// Threads of a block that counts digits.
pub const HISTOGRAM_THREADS: u32 = 512;

/// Blocks of them for each multiprocessor, which holds 2048 threads.
pub const HISTOGRAM_BLOCKS: u32 = 4;

/// Threads of a block that folds groups by atomics.
pub const ATOMIC_THREADS: u32 = 512;

/// Bytes of shared memory that accumulators of one group share among lanes, at most: several of a group are for speed.
pub const COPIES_BYTES: u64 = 1 << 15;

/// In the place of `copies_log2`: a block has accumulators in shared memory for some groups alone.
pub const NO_COPIES: u32 = u32::MAX;

/// The groups for which it has them, as a power of two: with the numbers of the groups they fit 48 KiB, which every GPU has.
pub const CACHE_LOG2: u32 = 12;

/// The same as a number.
pub const CACHE_SLOTS: usize = 1 << CACHE_LOG2;

/// Returns the bytes of shared memory for accumulators of `bytes` each and the numbers of their groups.
#[must_use]
pub const fn cache_bytes(bytes: u64) -> u64 {
    CACHE_SLOTS as u64 * (bytes + 4)
}

/// Returns how many accumulators of `bytes` each of `groups` groups has in a block, as a power of two: at most one for each lane of a
/// warp.
#[must_use]
pub const fn copies_log2(groups: u64, bytes: u64) -> u32 {
    let mut log2 = 5;
    while log2 > 0 && groups.saturating_mul(bytes) > COPIES_BYTES >> log2 {
        log2 -= 1;
    }
    log2
}

/// Words of shared memory in which a block counts digits.
pub const HISTOGRAM_WORDS: usize = 8192;

/// Bytes of an id in a pass, however many it has in memory.
pub const ID_BYTES: usize = 4;

/// Warps of a block that moves elements of `bytes` bytes. Of a short array it has no more than digits need.
#[must_use]
pub const fn scatter_warps(bytes: usize, is_short: bool) -> usize {
    if is_short { 8 } else { pass_warps(ID_BYTES, bytes) }
}

/// Elements that each of its threads has under way. Of a short array they are few, so that there are more tiles, which end sooner
/// (docs/tuning/gpu.md).
#[must_use]
pub const fn scatter_items(bytes: usize, is_short: bool) -> usize {
    match (is_short, bytes) {
        (false, _) => pass_items(ID_BYTES, bytes),
        (true, 16) => 4,
        (true, _) => 8,
    }
}

/// Elements of a tile, which one block moves.
#[must_use]
pub const fn scatter_tile(bytes: usize, is_short: bool) -> u64 {
    (scatter_items(bytes, is_short) * scatter_warps(bytes, is_short) * 32) as u64
}

/// The most tiles of a short array for each multiprocessor.
pub const SHORT_TILES: u64 = 2;

/// Threads of a block that sums integers up, or looks for runs.
pub const SCAN_THREADS: u32 = 256;

/// Integers that each of its threads has under way.
pub const SCAN_ITEMS: usize = 4;

/// Returns the keys, of `bytes` bytes, that each of its threads has under way.
#[must_use]
pub const fn run_items(bytes: usize) -> usize {
    if bytes > 4 { 4 } else { 8 }
}

/// Threads of a block that gathers elements, or writes places.
pub const GATHER_THREADS: u32 = 256;

/// Returns the number of passes that sort the ids of `groups` groups, at most 2^32: one for each byte in which they differ.
#[must_use]
pub const fn passes(groups: u64) -> u32 {
    let bits = if groups <= 2 { 1 } else { u64::BITS - (groups - 1).leading_zeros() };
    bits.div_ceil(DIGIT_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_few() {
        for (groups, expected) in [
            (0, 1),
            (1, 1),
            (2, 1),
            (256, 1),
            (257, 2),
            (65_536, 2),
            (65_537, 3),
            (1 << 24, 3),
            ((1 << 24) + 1, MOST_PASSES),
            (1 << 32, MOST_PASSES),
        ] {
            assert_eq!(passes(groups), expected, "{groups}");
        }
    }
}
