//! The canonical tree: which elements meet, and in which order. It is a function of the element's size, the number of elements
//! and the operator's [`COMMUTATIVE`](crate::Op::COMMUTATIVE) alone.
//!
//! The input is cut into tiles of [`tile_len`] elements. In a tile, element `i` belongs to lane `i % L`, with `L` = [`lanes`].
//! Each lane folds its elements left to right. The lanes are folded in pairs of neighbours: (0, 1), (2, 3), ..., and again,
//! until one is left. The tiles' totals are folded in pairs of neighbours in the same way. For an operator that does not
//! commute, a tile is cut into bands of `4 L` elements. In a band, lane `j` folds elements `4 j .. 4 j + 4`, the lanes are
//! folded in pairs, and the totals of the bands are folded left to right.
//!
//! Because tiles meet in pairs of neighbours, any aligned power of two of tiles is a whole subtree: a block, a launch, a device
//! or a host may fold it alone without changing a bit. [`reference`](crate::reference) is the tree in code.
//!
//! **Error bound.** A float sum over this tree differs from the exact sum by at most `depth(n) * u * sum|x|` to first order in
//! `u` (2^-24 for f32, 2^-53 for f64). [`depth`] is the largest number of additions that one element passes through:
//! `rows - 1 + log2(L) + log2(tiles)` (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., section 4.2).

/// Changes whenever any result bit of any (type, operator, n) may change. Such a release is a breaking one.
pub const TREE_VERSION: u32 = 1;

/// Threads that fold one tile together. Fixed, because it determines the number of lanes.
pub const THREADS: usize = 256;

/// Bytes that one thread loads at once.
pub const VECTOR_BYTES: usize = 16;

/// Elements of one lane in the smallest tile, and in a band of an operator that does not commute.
pub const RUN: usize = 4;

/// Most tiles of an input: tiles grow with the input to keep to it. While tiles are shorter than [`LONG_ROWS`] rows, there are
/// at most half as many.
pub const MAX_TILES: u64 = 4096;

/// Rows per tile from which on tiles grow half as fast. Tiles of n / 2048 elements are the fastest up to 2^28, tiles of
/// n / 4096 for 2^30 (docs/tuning/gpu.md).
pub const LONG_ROWS: u64 = 128;

/// Returns the elements of one thread's vector: as many as fit 16 bytes, rounded down to a power of two, at least 1.
///
/// A zero-sized element does not compile.
#[must_use]
pub const fn vector_len<T>() -> usize {
    const { assert!(size_of::<T>() > 0, "a zero-sized element has nothing to reduce") }
    let fitting = VECTOR_BYTES / size_of::<T>();
    if fitting == 0 { 1 } else { 1 << fitting.ilog2() }
}

/// Returns the lanes of a tile: 256 threads, one vector each.
#[must_use]
pub const fn lanes<T>() -> usize {
    THREADS * vector_len::<T>()
}

/// Returns the elements per tile for `n` elements, a power of two: at least 4 rows of lanes (16 KiB for elements of a
/// power-of-two size up to 16 bytes) and at least `n / 2048`; from 128 rows on at least `n / 4096`.
#[must_use]
pub const fn tile_len<T>(n: u64) -> u64 {
    tile_len_of_lanes(lanes::<T>() as u64, n)
}

/// Returns [`tile_len`] for element types with tiles of `row` [`lanes`].
#[must_use]
pub(crate) const fn tile_len_of_lanes(row: u64, n: u64) -> u64 {
    // At most 2^53, whose next power of two exists.
    let half = n.div_ceil(MAX_TILES / 2).next_power_of_two();
    let wanted = if half > LONG_ROWS * row {
        let full = n.div_ceil(MAX_TILES).next_power_of_two();
        if full > LONG_ROWS * row { full } else { LONG_ROWS * row }
    } else {
        half
    };
    if wanted > RUN as u64 * row { wanted } else { RUN as u64 * row }
}

/// Returns the number of tiles for `n` elements: 0 for none, otherwise 1 to 4096.
#[must_use]
pub const fn tiles<T>(n: u64) -> u64 {
    n.div_ceil(tile_len::<T>(n))
}

/// Returns an upper bound of the `combine`s that any element passes through on its way to the result of an operator that
/// commutes: the factor in the error bound above. For other operators it is a bound if `n > 3 L`. Up to there, the bound is
/// `RUN - 1 + log2(L)`: a lane folds a whole run before the next lane has an element.
#[must_use]
pub const fn depth<T>(n: u64) -> u64 {
    if n == 0 {
        return 0;
    }
    let rows = (if n < tile_len::<T>(n) { n } else { tile_len::<T>(n) }).div_ceil(lanes::<T>() as u64);
    rows - 1 + lanes::<T>().ilog2() as u64 + tiles::<T>(n).next_power_of_two().ilog2() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the rule at the lengths where it changes, in rows of 1024 f32.
    #[test]
    fn tiles_grow_by_the_rule() {
        let rows = |n: u64| tile_len::<f32>(n) / 1024;
        for (n, expected) in [
            (0, 4),
            (1 << 23, 4),
            ((1 << 23) + 1, 8),
            (1 << 24, 8),
            (1 << 28, 128),
            ((1 << 28) + 1, 128),
            (1 << 29, 128),
            ((1 << 29) + 1, 256),
            (1 << 30, 256),
            (1 << 40, 1 << 18),
        ] {
            assert_eq!(rows(n), expected, "{n}");
        }
        for shift in 0..62 {
            for n in [(1u64 << shift) - 1, 1 << shift, (1 << shift) + 1] {
                assert!(tiles::<u8>(n) <= MAX_TILES && tiles::<[u64; 5]>(n) <= MAX_TILES, "{n}");
            }
        }
        assert_eq!(depth::<f32>(1 << 30), 255 + 10 + 12);
    }
}
