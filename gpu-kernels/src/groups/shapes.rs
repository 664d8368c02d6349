//! What the launches of the partition, the scan and the runs look like: the contract between the kernels and the host.

/// The most bits of the ids that one pass looks at.
pub const MOST_DIGIT_BITS: u32 = 8;

/// Values of the longest digit.
pub const MOST_DIGITS: usize = 1 << MOST_DIGIT_BITS;

/// The most passes.
pub const MOST_PASSES: u32 = 4;

/// Threads of a block that counts digits.
pub const HISTOGRAM_THREADS: u32 = 512;

/// Blocks of them for each multiprocessor, which holds 2048 threads.
pub const HISTOGRAM_BLOCKS: u32 = 4;

/// Words of shared memory in which a block counts digits.
pub const HISTOGRAM_WORDS: usize = 8192;

/// Threads of a block that moves elements.
pub const SCATTER_THREADS: u32 = 256;

/// Returns the elements, of `bytes` bytes, that each of its threads has under way. A block has at most 16 KiB under
/// way. More elements make longer runs of a digit and fewer tiles that wait for each other. Fewer leave registers for
/// more blocks.
#[must_use]
pub const fn scatter_items(bytes: usize) -> usize {
    match bytes {
        0..=4 => 16,
        5..=8 => 8,
        _ => 4,
    }
}

/// Elements of a tile, which one block moves.
#[must_use]
pub const fn scatter_tile(bytes: usize) -> u64 {
    scatter_items(bytes) as u64 * SCATTER_THREADS as u64
}

/// Tiles before its own whose counts a thread has under way while it looks back.
pub const LOOK_BACK: usize = 4;

/// The most elements of a launch that moves them: the tiles count them in 30 bits.
pub const MOST_SCATTERED: u64 = (1 << 30) - 1;

/// Words before the states of the tiles of such a launch: a cache line. The first word is the ticket.
pub const STATES_HEAD: usize = 32;

/// Returns the words for the states of `tiles` tiles, one for each value of a digit of `bits` bits, and for their ticket.
#[must_use]
pub const fn states_len(tiles: u64, bits: u32) -> u64 {
    STATES_HEAD as u64 + (tiles << bits)
}

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

/// Returns the number of passes that sort the ids of `groups` groups, at most 2^32, and the bits of each digit: as few passes
/// as possible, with equal digits. The highest bits of the last digit may be 0 in all ids.
#[must_use]
pub const fn passes(groups: u64) -> (u32, u32) {
    let bits = if groups <= 2 { 1 } else { u64::BITS - (groups - 1).leading_zeros() };
    let passes = bits.div_ceil(MOST_DIGIT_BITS);
    (passes, bits.div_ceil(passes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_few_and_even() {
        for (groups, expected) in [
            (0, (1, 1)),
            (1, (1, 1)),
            (2, (1, 1)),
            (3, (1, 2)),
            (5, (1, 3)),
            (10, (1, 4)),
            (256, (1, 8)),
            (257, (2, 5)),
            (1000, (2, 5)),
            (65_536, (2, 8)),
            (65_537, (3, 6)),
            (1_000_000, (3, 7)),
            (1 << 32, (MOST_PASSES, 8)),
        ] {
            assert_eq!(passes(groups), expected, "{groups}");
            let (passes, bits) = expected;
            assert!(groups <= 1 << (passes * bits), "{groups}");
        }
    }
}
