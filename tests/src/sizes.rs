//! The list of sizes.

use warpfold::tree;

/// Sizes at which something changes for elements `T`: the smallest, around one and two warps, around a vector's
/// lanes and the tiles, powers of two +-1, up to `limit` elements; and a prime near 10^6.
#[must_use]
pub fn up_to<T>(limit: u64) -> Vec<u64> {
    let tile = tree::tile_len::<T>(0);
    let lanes = tree::lanes::<T>() as u64;
    let mut sizes = vec![0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 999_983];
    for edge in [lanes, tile, 2 * tile, 3 * tile, 4 * tile, 5 * tile, 8 * tile, 16 * tile, 17 * tile] {
        sizes.extend([edge - 1, edge, edge + 1]);
    }
    // The length at which tiles begin to grow.
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

/// The sizes of [`up_to`], and sizes around the parts of a scan's tree.
#[must_use]
pub fn of_scan<T>(limit: u64) -> Vec<u64> {
    use warpfold::scan_tree::tree::{STRETCH_TILES, group_len, quad_len, row_len, run_len, tile_len};
    let mut sizes = up_to::<T>(limit);
    let parts =
        [quad_len::<T>(), run_len::<T>(), row_len::<T>(), tile_len::<T>(), STRETCH_TILES * tile_len::<T>()];
    for part in parts.into_iter().chain([group_len::<T>()]) {
        sizes.extend([part - 1, part, part + 1, 2 * part, 2 * part + 1, 3 * part - 1].map(|n| n as u64));
    }
    sizes.retain(|&n| n <= limit);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
