//! What the launches of the partition, the scan and the runs look like: the contract between the kernels and the host.

/// The most bits of the ids that one pass looks at.
pub const MOST_DIGIT_BITS: u32 = 8;

/// The fewest.
pub const LEAST_DIGIT_BITS: u32 = 2;

/// Values of the longest digit.
pub const MOST_DIGITS: usize = 1 << MOST_DIGIT_BITS;

/// Words of shared memory in which a block counts digits.
pub const HISTOGRAM_WORDS: usize = 8192;

/// Threads of a block that counts the digits of so many bits: as many as have columns in [`HISTOGRAM_WORDS`], at most 256.
#[must_use]
pub const fn histogram_threads(bits: u32) -> u32 {
    if bits > 7 { 128 } else { 256 }
}

/// Threads of a block that moves elements.
pub const SCATTER_THREADS: u32 = 256;

/// Elements, of so many bytes, that each of its threads has under way: those of a block are at most 16 KiB. Not measured yet
/// on a GPU. Those of 4 bytes take 87 registers with 12 at once, for compute capability 9.0, and some 25 more with 16:
/// to be compared are 8, 12 and 16, over 10 and 10^6 groups.
#[must_use]
pub const fn scatter_items(bytes: usize) -> usize {
    match bytes {
        0..=4 => 12,
        5..=8 => 8,
        _ => 4,
    }
}

/// Threads of a block that sums integers up, or looks for runs.
pub const SCAN_THREADS: u32 = 256;

/// Integers that each of its threads has under way.
pub const SCAN_ITEMS: usize = 4;

/// Keys, of so many bytes, that each of its threads has under way.
#[must_use]
pub const fn run_items(bytes: usize) -> usize {
    if bytes > 4 { 4 } else { 8 }
}

/// Threads of a block that gathers elements, or writes places.
pub const GATHER_THREADS: u32 = 256;

/// Bits of the digits in which ids of `groups` groups, at most 2^32, are sorted: as few passes as may be, the bits shared
/// evenly among them. Gives the passes, and the bits of each but the last ones, which may have one less.
#[must_use]
pub const fn passes(groups: u64) -> (u32, u32) {
    let bits = if groups <= 1 { 0 } else { u64::BITS - (groups - 1).leading_zeros() };
    let bits = if bits < LEAST_DIGIT_BITS { LEAST_DIGIT_BITS } else { bits };
    let passes = bits.div_ceil(MOST_DIGIT_BITS);
    (passes, bits.div_ceil(passes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_few_and_even() {
        for (groups, expected) in [
            (0, (1, 2)),
            (1, (1, 2)),
            (4, (1, 2)),
            (5, (1, 3)),
            (10, (1, 4)),
            (256, (1, 8)),
            (257, (2, 5)),
            (1000, (2, 5)),
            (65_536, (2, 8)),
            (65_537, (3, 6)),
            (1_000_000, (3, 7)),
            (1 << 32, (4, 8)),
        ] {
            assert_eq!(passes(groups), expected, "{groups}");
            let (passes, bits) = expected;
            assert!(groups <= 1 << (passes * bits), "{groups}");
        }
    }
}
