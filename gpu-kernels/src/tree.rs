//! The canonical tree: which elements meet, in which order. It is a function of the element's size, the
//! number of elements and the operator's [`COMMUTATIVE`](crate::Op::COMMUTATIVE) alone.
//!
//! The input is cut into tiles of [`tile_len`] elements. Inside a tile, element `i` belongs to lane
//! `i % L`, with `L` = [`lanes`]; each lane folds its elements left to right, and the lanes are folded in
//! pairs of neighbours: (0, 1), (2, 3), ... and again, until one is left. The tiles' results are folded in
//! pairs of neighbours in the same way. An operator that does not commute gets contiguous runs instead: the
//! tile is cut into bands of `4 L` elements, in each of which lane `j` folds elements `4 j .. 4 j + 4`, the
//! lanes are folded in pairs, and the bands' results are folded left to right.
//!
//! Because tiles meet in pairs of neighbours, any aligned power of two of tiles is a whole subtree: a
//! thread block, a launch, a device or a host may fold it alone without changing a bit.
//! [`reference`](crate::reference) is the same in code.
//!
//! **Error bound.** A float sum over this tree differs from the exact sum by at most
//! `depth(n) * u * sum|x|` to first order in `u` (2^-24 for f32, 2^-53 for f64), with [`depth`] the largest
//! number of additions that one element passes through: `rows + log2(L) + log2(tiles)` (Higham, *Accuracy
//! and Stability of Numerical Algorithms*, 2nd ed., section 4.2).

/// Changes whenever any result bit of any (type, operator, n) may change: a breaking release.
pub const TREE_VERSION: u32 = 1;

/// Threads that fold one tile together. Fixed: lanes are counted in it.
pub const THREADS: usize = 256;

/// Bytes that one thread loads at once.
pub const VECTOR_BYTES: usize = 16;

/// Elements of one lane in the smallest tile, and in a band of an operator that does not commute.
pub const RUN: usize = 4;

/// A tile grows with the input so that there are at most this many of them.
/// [H200, f32 sum, 2^10..2^30: tiles of n / 2048 elements were within 1 % of the best tile at every size.]
pub const MAX_TILES: u64 = 2048;

/// Elements in one thread's vector: as many as fit 16 bytes, rounded down to a power of two, at least 1.
///
/// A zero-sized element is refused by the compiler.
#[must_use]
pub const fn vector_len<T>() -> usize {
    const { assert!(size_of::<T>() > 0, "a zero-sized element has nothing to reduce") }
    let fitting = VECTOR_BYTES / size_of::<T>();
    if fitting == 0 { 1 } else { 1 << fitting.ilog2() }
}

/// Lanes of a tile: 256 threads times one vector each.
#[must_use]
pub const fn lanes<T>() -> usize {
    THREADS * vector_len::<T>()
}

/// Elements per tile for `n` elements: the least power of two that is at least `n / 2048` and at least
/// 4 lanes' rows (16 KiB for elements of a power-of-two size up to 16 bytes).
#[must_use]
pub const fn tile_len<T>(n: u64) -> u64 {
    let least = (RUN * lanes::<T>()) as u64;
    // n / 2048 is at most 2^53, whose next power of two exists.
    let wanted = n.div_ceil(MAX_TILES).next_power_of_two();
    if wanted > least { wanted } else { least }
}

/// Number of tiles for `n` elements: 0 for none, otherwise 1 to 2048.
#[must_use]
pub const fn tiles<T>(n: u64) -> u64 {
    n.div_ceil(tile_len::<T>(n))
}

/// The largest number of `combine`s that an element passes through on its way to the result: the factor in
/// the error bound above.
#[must_use]
pub const fn depth<T>(n: u64) -> u64 {
    if n == 0 {
        return 0;
    }
    let rows = (if n < tile_len::<T>(n) { n } else { tile_len::<T>(n) }).div_ceil(lanes::<T>() as u64);
    rows - 1 + lanes::<T>().ilog2() as u64 + tiles::<T>(n).next_power_of_two().ilog2() as u64
}
