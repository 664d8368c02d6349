//! What the launches of a sort look like: the contract between the kernels and the host.

/// Threads of a block: one for each bucket.
pub const SORT_THREADS: u32 = 256;

/// Buckets into which a level splits a segment.
pub const BUCKETS: u64 = SORT_THREADS as u64;

/// Bounds between them.
pub const BOUNDS: u64 = BUCKETS - 1;

/// Keys of so many bytes that each thread has under way. More make longer runs of a bucket in a tile, and longer leaves, so
/// fewer levels. [H200, 2^26 random u32: 8 take 3574 us, 16 take 3093 us, or 2458 us in 80 registers. For 8 bytes 16 would not
/// fit static shared memory.]
#[must_use]
pub const fn sort_items(bytes: usize) -> usize {
    match bytes {
        0..=4 => 16,
        5..=8 => 8,
        _ => 4,
    }
}

/// Keys of a tile, of a sample, and of the longest segment that a block finishes, if its threads have `items` each.
#[must_use]
pub const fn sort_tile(items: usize) -> u64 {
    items as u64 * SORT_THREADS as u64
}

/// Words of 64 bits of a segment in the list: where it begins, its length, its first tile, whether it is split evenly, and its
/// least and its greatest possible key, low words first.
pub const SEGMENT_WORDS: u64 = 8;

/// Words of a leaf in the list: where it begins, its length, in how many of the lowest bits its keys' distances from the
/// least may differ, and that least key, its low word first. Without such bits all are equal, and it may be longer than a tile.
pub const LEAF_WORDS: u64 = 5;

/// Tiles of a leaf of equal keys, at most.
pub const EQUAL_TILES: u64 = 16;

/// Counters of a level, which are 0 before it: segments of the next level, their tiles, and leaves.
pub const COUNTERS: u64 = 3;

/// The most segments of a level of `len` keys: each is longer than a tile.
#[must_use]
pub const fn most_segments(len: u64, tile: u64) -> u64 {
    len / tile + 1
}

/// The most tiles of a level: as many as are full, and one more for each segment.
#[must_use]
pub const fn most_tiles(len: u64, tile: u64) -> u64 {
    2 * most_segments(len, tile)
}

/// The most leaves of a level. Of a segment of `x` tiles, at most 2 `x` buckets stand alone; the neighbours between two of
/// them are at most one leaf more than twice what they fill; equal keys are cut in `x / 16` and one more for each bucket:
/// 7.1 `x` in all, `x` being more than 1.
#[must_use]
pub const fn most_leaves(len: u64, tile: u64) -> u64 {
    8 * most_segments(len, tile)
}

/// Where in its segment the key number `number` of a sample stands: somewhere in its own share of it, by a hash, so that
/// no regular input meets it. Known to everybody, so there are inputs for which a sample says nothing: see the
/// [module](super) for why they cost a level or two and no more.
///
/// `tile` is a power of two and at most `len`.
#[inline(always)]
#[must_use]
pub const fn sample_place(number: u32, tile: u64, start: u64, len: u64) -> u64 {
    let share = len >> tile.trailing_zeros();
    // Wellons' "lowbias32" would do as well: any two rounds of multiply and shift.
    let mut hash = (number ^ start as u32).wrapping_add(0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 15)).wrapping_mul(0xc2b2_ae35);
    hash ^= hash >> 16;
    number as u64 * share + ((hash as u64 * share) >> 32)
}

/// How keys compare, and which come first, as the kernels' `coding` has it: bits that are added up.
pub mod codes {
    /// As unsigned integers, the least first.
    pub const UNSIGNED: u32 = 0;
    /// As signed integers.
    pub const SIGNED: u32 = 1;
    /// As floats, by IEEE 754's total order.
    pub const FLOAT: u32 = 2;
    /// The greatest first.
    pub const DESCENDING: u32 = 4;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_within_their_shares() {
        for (tile, start, len) in [(256, 0, 256), (256, 7, 300), (4096, 1 << 33, (1 << 40) + 5)] {
            for number in 0..tile as u32 {
                let (place, share) = (sample_place(number, tile, start, len), len / tile);
                assert!(place < len && place / share == u64::from(number), "{tile} {start} {len} {number}");
            }
        }
    }
}
