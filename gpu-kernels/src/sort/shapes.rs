//! The shape of launches of a sort: the contract between the kernels and the host.

/// Threads of a block, one per bucket.
pub const SORT_THREADS: u32 = 256;

/// The most bits of a digit by which a block sorts.
pub const MOST_DIGIT_BITS: u32 = 8;

/// Buckets into which a level splits a segment.
pub const BUCKETS: u64 = SORT_THREADS as u64;

/// Bounds between the buckets of a segment.
pub const BOUNDS: u64 = BUCKETS - 1;

/// Returns the keys of `bytes` bytes per thread. More keys make longer runs of a bucket in a tile, and longer leaves, so
/// fewer levels. 16 keys of 4 bytes are faster than 8 (docs/tuning/gpu.md). 16 keys of 8 bytes would not fit static shared
/// memory.
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

/// 64-bit words of a listed segment: its start, its length, its first tile, whether it is split evenly, its least and its
/// greatest possible key, low words first, and the start of its part, among the keys and among the results.
pub const SEGMENT_WORDS: u64 = 10;

/// 64-bit words of a listed leaf: its start, its length, the number of low bits in which its keys' distances from the least may
/// differ, that least key, its low word first, and the start of its part, among the keys and among the results. Without such
/// bits all keys are equal, and the leaf may be longer than a tile.
pub const LEAF_WORDS: u64 = 7;

/// Classes of short parts, which threads sort side by side in a block. A part of class `c` has up to `items << c` keys, if a
/// thread has `items`, and takes as many places. A part of the last class has all places of a block: this is for parts with few
/// wanted results.
pub const SHORT_CLASSES: u32 = 9;

/// Classes of parts that a lane sorts in registers: a part has up to twice a thread's keys. A lane is more than twice as fast there
/// (docs/tuning/gpu.md); more keys would not fit its registers.
pub const LANE_CLASSES: u32 = 2;

/// Threads of a block in which each lane sorts a part: its shared memory, 132 bytes for each, stays below 48 KiB.
pub const LANES_THREADS: u32 = 256;

/// The most results wanted of each part, as a share of a tile, for which a block merges parts of more than half a tile; more are
/// sorted by digits. Then runs of these are merged by half the threads, a quarter and so on. To be measured: 4 to 32.
pub const FEW_OF_TILE: u64 = 8;

/// What there is of the parts of an array, as counters, which are 0 before the parts are listed: the number of wrong offsets, of
/// parts with too few keys, the first and the last offset, the number of leaves, of segments and of their tiles, and of the short
/// parts of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct PartCounters {
    /// Offsets that are less than the one before, or out of the elements.
    pub wrong: u64,
    /// Parts with too few keys.
    pub few: u64,
    /// The first offset.
    pub first: u64,
    /// The last offset.
    pub end: u64,
    /// Parts of more than half a tile and at most a tile.
    pub leaves: u64,
    /// Parts of more than a tile.
    pub segments: u64,
    /// Tiles of these.
    pub tiles: u64,
    /// Short parts of each class.
    pub short: [u64; SHORT_CLASSES as usize],
}

impl PartCounters {
    /// The number of counters.
    pub const COUNT: u64 = (size_of::<Self>() / size_of::<u64>()) as u64;

    /// Adds `count` parts of `len` keys, if `wanted` keys of each are wanted and a thread has
    /// `items`.
    pub fn add(&mut self, count: u64, len: u64, wanted: u64, items: usize) {
        match part_kind(len, wanted, items) {
            PartKind::Empty => {}
            PartKind::Short(class) => self.short[class as usize] += count,
            PartKind::Leaf => self.leaves += count,
            PartKind::Long => {
                self.segments += count;
                self.tiles = self.tiles.saturating_add(count.saturating_mul(len.div_ceil(sort_tile(items))));
            }
        }
    }
}

/// How a part is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Not at all.
    Empty,
    /// By some threads of a block: one of this class.
    Short(u32),
    /// By a block.
    Leaf,
    /// Level by level.
    Long,
}

/// Returns how a part of `len` keys is sorted, if `wanted` of them are wanted and a thread has `items` keys, a power of
/// two.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
pub const fn part_kind(len: u64, wanted: u64, items: usize) -> PartKind {
    let tile = sort_tile(items);
    if len == 0 {
        PartKind::Empty
    } else if len > tile {
        PartKind::Long
    } else if len > tile / 2 && wanted > tile / FEW_OF_TILE {
        PartKind::Leaf
    } else {
        // Of the least power of two that is not less.
        let log2 = u64::BITS - (len - 1).leading_zeros();
        PartKind::Short(log2.saturating_sub(items.trailing_zeros()))
    }
}

/// Returns the most short parts of a class among `count` parts of `len` keys in all, if a thread has `items`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
pub const fn most_short(count: u64, len: u64, class: u32, items: usize) -> u64 {
    if class == 0 {
        return count;
    }
    // Each has more keys than the places of the class below, a power of two, by which a kernel divides fast.
    let most = len >> (items.trailing_zeros() + class - 1);
    if most < count { most } else { count }
}

/// Returns where the list of a class begins: behind the lists of the classes below. For [`SHORT_CLASSES`],
/// returns the end of all lists.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
pub const fn short_list(count: u64, len: u64, class: u32, items: usize) -> u64 {
    let (mut below, mut first) = (0, 0_u64);
    while below < class {
        first = first.saturating_add(most_short(count, len, below, items));
        below += 1;
    }
    first
}

/// Returns the most parts, among parts of `len` keys in all, of more than half a tile.
#[must_use]
pub const fn most_part_leaves(len: u64, tile: u64) -> u64 {
    len / (tile / 2)
}

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
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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
    /// are the keys of [`FLOAT`], less the number of NaNs with a sign. The keys of these NaNs wrap round.
    #[must_use]
    pub const fn nan_greatest(mantissa: u32) -> u32 {
        FLOAT + (mantissa << MANTISSA)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_room_in_their_lists() {
        for items in [4, 8, 16] {
            let tile = sort_tile(items);
            let lens = [0, 1, 2, items as u64, items as u64 + 1, tile / 2, tile / 2 + 1, tile, tile + 1];
            for (len, wanted) in lens.into_iter().flat_map(|len| [(len, 1), (len, u64::MAX)]) {
                let (count, mut counters) = (1000, PartCounters::default());
                counters.add(count, len, wanted, items);
                let (all, end) = (count * len, short_list(count, count * len, SHORT_CLASSES, items));
                let mut first = 0;
                for (class, &found) in (0..).zip(&counters.short) {
                    let most = most_short(count, all, class, items);
                    assert!(found <= most && len <= (items as u64) << class || found == 0, "{items} {len}");
                    assert_eq!(short_list(count, all, class, items), first, "{items} {len}");
                    first += most;
                }
                assert_eq!(first, end);
                assert!(counters.leaves <= most_part_leaves(all, tile), "{items} {len}");
                assert!(counters.segments <= most_segments(all, tile), "{items} {len}");
                assert!(counters.tiles <= most_tiles(all, tile), "{items} {len}");
                let short: u64 = counters.short.iter().sum();
                assert_eq!(short + counters.leaves + counters.segments, if len > 0 { count } else { 0 });
            }
        }
    }

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
