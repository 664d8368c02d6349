//! The shape of launches of a sort: the contract between the kernels and the host.

/// Threads of a block, one per bucket.
pub const SORT_THREADS: u32 = 256;

/// Buckets into which a level splits a segment.
pub const BUCKETS: u64 = SORT_THREADS as u64;

/// Bounds between the buckets of a segment.
pub const BOUNDS: u64 = BUCKETS - 1;

/// Returns the keys of `bytes` bytes per thread. More keys make longer runs of a bucket in a tile, and longer leaves, so fewer
/// levels. [H200, 2^26 random u32: 8 take 3574 us, 16 take 3093 us, or 2458 us in 80 registers. For 8 bytes 16 would not fit
/// static shared memory.]
#[must_use]
pub const fn sort_items(bytes: usize) -> usize {
    match bytes {
        0..=4 => 16,
        5..=8 => 8,
        _ => 4,
    }
}

/// Returns the keys of a tile, of a sample, and of the longest segment that a block finishes, if its threads have `items` each.
#[must_use]
pub const fn sort_tile(items: usize) -> u64 {
    items as u64 * SORT_THREADS as u64
}

/// 64-bit words of a listed segment: its start, its length, its first tile, whether it is split evenly, and its least and its
/// greatest possible key, low words first.
pub const SEGMENT_WORDS: u64 = 8;

/// 64-bit words of a listed leaf: its start, its length, the number of low bits in which its keys' distances from the least may
/// differ, and that least key, its low word first. Without such bits all keys are equal, and the leaf may be longer than a
/// tile.
pub const LEAF_WORDS: u64 = 5;

/// Most tiles of a leaf of equal keys.
pub const EQUAL_TILES: u64 = 16;

/// Counters of a level, which are 0 before it: segments of the next level, their tiles, and leaves.
pub const COUNTERS: u64 = 3;

/// Returns the most segments of a level of `len` keys: each is longer than a tile.
#[must_use]
pub const fn most_segments(len: u64, tile: u64) -> u64 {
    len / tile + 1
}

/// Returns the most tiles of a level: the full ones, and one more per segment.
#[must_use]
pub const fn most_tiles(len: u64, tile: u64) -> u64 {
    2 * most_segments(len, tile)
}

/// Returns the most leaves of a level. In a segment of `x` tiles, at most 2 `x` buckets are leaves by themselves. The
/// neighbours between two of these make at most one leaf more than twice the tiles that they fill. Equal keys are cut into
/// `x / 16` and one more per bucket. Together these are 7.1 `x`, with `x` more than 1.
#[must_use]
pub const fn most_leaves(len: u64, tile: u64) -> u64 {
    8 * most_segments(len, tile)
}

/// Returns the place in its segment of key `number` of a sample: a place in its own share of the segment, by a hash, so that no
/// regular input defeats it. The hash is public, so there are inputs for which a sample says nothing; the [module](super) shows
/// why they cost a level or two and no more.
///
/// `tile` is a power of two and at most `len`.
#[inline(always)]
#[must_use]
pub const fn sample_place(number: u32, tile: u64, start: u64, len: u64) -> u64 {
    let share = len >> tile.trailing_zeros();
    // Wellons' "lowbias32" would do as well, or any two rounds of multiply and shift.
    let mut hash = (number ^ start as u32).wrapping_add(0x9e37_79b9).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 15)).wrapping_mul(0xc2b2_ae35);
    hash ^= hash >> 16;
    number as u64 * share + ((hash as u64 * share) >> 32)
}

/// The order of keys, as the kernels' parameter `coding`: a sum of these bits.
pub mod codes {
    /// Keys compare as unsigned integers, the least first.
    pub const UNSIGNED: u32 = 0;
    /// Keys compare as signed integers.
    pub const SIGNED: u32 = 1;
    /// Keys compare as floats, by IEEE 754's total order.
    pub const FLOAT: u32 = 2;
    /// The greatest key comes first.
    pub const DESCENDING: u32 = 4;
    /// The bit from which on a code has the bits of a mantissa: see [`nan_greatest`].
    pub const MANTISSA: u32 = 8;

    /// Returns the code of floats whose mantissas have so many bits, and whose NaNs are all greater than the numbers. Their keys
    /// are those of [`FLOAT`], less the number of NaNs with a sign, whose keys wrap round.
    #[must_use]
    pub const fn nan_greatest(mantissa: u32) -> u32 {
        FLOAT + (mantissa << MANTISSA)
    }
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
