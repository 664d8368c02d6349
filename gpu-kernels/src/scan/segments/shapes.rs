//! The shapes of the launches that scan segments, and their memory: the contract between the kernels and the host.

use crate::scan::tree::{GROUP_STRETCHES, STRETCH_TILES, quad_len, row_len, tile_len};

/// Threads of a block of the launches that list, and that scan by warps, which are independent of each other.
pub const LANES_THREADS: u32 = 256;

/// Most words of a lane's elements, and of the outputs that it has ready at once.
pub(super) const LANE_WORDS: usize = 16;

/// Returns the words of shared memory that a value takes.
pub(super) const fn words_of<V>() -> usize {
    size_of::<V>().div_ceil(4)
}

/// Returns the binary logarithm of the number of segments of at most a quad that a lane scans at once. A lane scans up
/// to 4, as many as it has words for, given elements `T` and outputs `S`. The result is 0 if there is no more than one.
#[must_use]
pub const fn log2_lane_segments<T, S>() -> u32 {
    let words = if words_of::<T>() > words_of::<S>() { words_of::<T>() } else { words_of::<S>() };
    match LANE_WORDS / (quad_len::<T>() * words) {
        4.. => 2,
        2.. => 1,
        _ => 0,
    }
}

/// Returns the most segments of more than a row and at most a tile among `len` elements.
#[must_use]
pub const fn most_medium<T>(len: u64) -> u64 {
    len / (row_len::<T>() as u64 + 1)
}

/// Returns the most segments of more than a tile among `len` elements.
#[must_use]
pub const fn most_long<T>(len: u64) -> u64 {
    len / (tile_len::<T>() as u64 + 1)
}

/// Returns the most tiles of these long segments: a whole tile's elements each, and one more per segment.
#[must_use]
pub const fn most_tiles<T>(len: u64) -> u64 {
    len / tile_len::<T>() as u64 + most_long::<T>(len)
}

/// Returns the most stretches of these long segments. A segment of `n` tiles, at least two, has at most `n / 2` stretches,
/// since only its last one may have a single tile.
#[must_use]
pub const fn most_stretches<T>(len: u64) -> u64 {
    most_tiles::<T>(len) / 2
}

/// Returns the 64-bit words in which blocks post, for `stretches` stretches and accumulators `A`. They must be zero when the
/// launch starts. There is a place for each tile's total, and two for each group. Groups of different segments share no place,
/// so there is one more group than the stretches would fill.
#[must_use]
pub const fn posts_words<A>(stretches: u64) -> u64 {
    (stretches * STRETCH_TILES as u64 + 2 * group_places(stretches)) * (size_of::<A>() / 4) as u64
}

/// Returns the places for the posts of groups: see [`posts_words`].
#[must_use]
pub const fn group_places(stretches: u64) -> u64 {
    stretches.div_ceil(GROUP_STRETCHES as u64) + 1
}

/// Returns the binary logarithm of the segments that a warp takes at a time, of `count` with `len` elements in all: about four
/// rows on average, so that a warp has enough to do and leaves enough for others. Where a few segments have most of the
/// elements and the mean says little, as many as give all warps something to do (docs/tuning/gpu.md).
///
/// Where segments have a quad of elements or fewer on average, as many as a warp scans at once if none has more.
#[must_use]
pub const fn log2_batch<T, S>(count: u64, len: u64) -> u32 {
    let each = len / if count == 0 { 1 } else { count };
    let fit = 4 * row_len::<T>() as u64 / if each == 0 { 1 } else { each };
    let by_rows = match fit {
        0 => 0,
        32.. => 5,
        fit => fit.ilog2(),
    };
    let many = match count >> 15 {
        0 => 0,
        32.. => 5,
        many => many.ilog2(),
    };
    let log2 = if by_rows > many { by_rows } else { many };
    if many == 5 && each <= quad_len::<T>() as u64 { log2 + log2_lane_segments::<T, S>() } else { log2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_all_that_may_be_listed() {
        let (row, tile) = (row_len::<f32>() as u64, tile_len::<f32>() as u64);
        for len in [0, row, row + 1, tile, tile + 1, 2 * tile + 1, 2 * tile + 2, 9 * tile, 1000 * tile + 77] {
            for each in [row + 1, tile, tile + 1, 2 * tile + 1, 8 * tile + 1, 300 * tile] {
                let count = len / each;
                let (tiles, stretches) = (each.div_ceil(tile), each.div_ceil(tile).div_ceil(8));
                if each <= tile {
                    assert!(count <= most_medium::<f32>(len));
                } else {
                    assert!(count <= most_long::<f32>(len));
                    assert!(count * tiles <= most_tiles::<f32>(len), "{count} of {each}");
                    assert!(count * stretches <= most_stretches::<f32>(len), "{count} of {each}");
                }
            }
        }
    }

    #[test]
    fn a_warp_takes_as_many_as_are_few_rows() {
        let batch = |each: u64| log2_batch::<f32, f32>(1000, 1000 * each);
        assert_eq!([0, 1, 64, 65, 128, 512, 1024, 2048, 5000].map(batch), [5, 5, 5, 4, 4, 2, 1, 0, 0]);
        assert_eq!(log2_batch::<f32, f32>(0, 0), 5);
        assert_eq!(log2_batch::<f32, f32>(1 << 20, 1 << 28), 5);
        // Several per lane.
        assert_eq!([4, 5].map(|each| log2_batch::<f32, f32>(1 << 20, each << 20)), [7, 5]);
        assert_eq!(log2_batch::<f32, f64>(1 << 20, 1 << 20), 6);
        assert_eq!(log2_batch::<[u64; 2], u64>(1 << 20, 1 << 20), 5);
    }
}
