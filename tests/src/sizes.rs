//! The one list of sizes.

use warpfold::tree;

/// Sizes at which something changes for elements `T`: the smallest, around a warp and two, around a vector's
/// lanes and the tiles, and powers of two +-1, up to `limit` elements; and a prime near 10^6.
#[must_use]
pub fn up_to<T>(limit: u64) -> Vec<u64> {
    let tile = tree::tile_len::<T>(0);
    let lanes = tree::lanes::<T>() as u64;
    let mut sizes = vec![0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 999_983];
    for edge in [lanes, tile, 2 * tile, 3 * tile, 4 * tile, 5 * tile, 8 * tile, 16 * tile, 17 * tile] {
        sizes.extend([edge - 1, edge, edge + 1]);
    }
    // Where tiles begin to grow.
    let growth = tree::MAX_TILES / 2 * tile;
    sizes.extend([growth - 1, growth, growth + 1, growth + tile + 1]);
    for log2 in 2..63 {
        sizes.extend([(1 << log2) - 1, 1 << log2, (1 << log2) + 1]);
    }
    sizes.retain(|&n| n <= limit);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
