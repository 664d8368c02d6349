//! The tree of a scan: which elements meet, and in which order. It is a function of the element's size alone, and is counted
//! from index 0.
//!
//! | level | consists of | its total | prefixes in it |
//! |---|---|---|---|
//! | quad | [`quad_len`] elements | left to right | of elements: left to right |
//! | run | [`run_len`] elements, in quads | left to right | of quads: left to right |
//! | row | [`ROW_RUNS`] runs | the last inclusive prefix | of runs: [in steps](steps) |
//! | tile | [`TILE_ROWS`] rows | left to right | of rows: left to right |
//! | stretch | [`STRETCH_TILES`] tiles | left to right | of tiles: left to right |
//! | group | [`GROUP_STRETCHES`] stretches | the last inclusive prefix | of stretches: in steps |
//! | input | groups | | of groups: left to right, the initial value first |
//!
//! A prefix is the exclusive prefix, the fold of everything before, unless it is called inclusive. The prefix of a run
//! is `combine(combine(group, tile), combine(row, run))`: the prefixes of its group, of its tile in the group, of its
//! row in the tile, and its own in the row. The prefix of a tile in the group is `combine(stretch, tile in the
//! stretch)`. The prefix of a quad in its run is combined on the right. From there the quad's elements are appended one
//! by one, and each accumulator on the way is finished to an output: the accumulator before an element to its exclusive
//! output, the one after it to its inclusive output.
//!
//! So the last step of a running float sum adds at most four elements or a whole subtree. However, the inclusive output at the
//! end of a quad and the exclusive one at the beginning of the next quad cover the same elements in different grouping, and may
//! differ by a rounding. An [associative](crate::Op::ASSOCIATIVE) operator has the bits of the sequential scan.
//!
//! Elements that are absent from the last tile are [`IDENTITY`](crate::Op::IDENTITY): nothing before them is combined with
//! them. [`reference`](super::reference) is the tree in code.
//!
//! The reasons: a run is in the registers of one thread; a row belongs to a warp, whose prefixes are shuffles; a tile belongs
//! to a block; a group is what one warp can read in one step when it looks back over the tiles before its own. The chain from
//! group to group has one step per 2^20 elements of 4 bytes. Quads are for CPUs: the compiler folds many of them side by side
//! in vector registers, which it cannot do with longer runs.

/// Most elements of a quad.
const QUAD: usize = 4;

/// Runs of a row, one per thread of a warp.
pub const ROW_RUNS: usize = 32;

/// Rows of a tile, which the warps of a block share.
pub const TILE_ROWS: usize = 8;

/// Tiles of a stretch, which are those that one thread looks back at.
pub const STRETCH_TILES: usize = 8;

/// Stretches of a group, one per thread of the warp that looks back.
pub const GROUP_STRETCHES: usize = 32;

/// Runs of a tile.
pub const TILE_RUNS: usize = ROW_RUNS * TILE_ROWS;

/// Tiles of a group.
pub const GROUP_TILES: usize = STRETCH_TILES * GROUP_STRETCHES;

/// Returns the elements of a run: as many as fit 64 bytes, rounded down to a power of two, at least 1 and at most 16.
///
/// A zero-sized element does not compile.
#[must_use]
pub const fn run_len<T>() -> usize {
    const { assert!(size_of::<T>() > 0, "a zero-sized element has nothing to scan") }
    match 64 / size_of::<T>() {
        0 => 1,
        fitting @ 1..16 => 1 << fitting.ilog2(),
        _ => 16,
    }
}

/// Returns the elements of a quad: 4, or all of a shorter run.
#[must_use]
pub const fn quad_len<T>() -> usize {
    if run_len::<T>() < QUAD { run_len::<T>() } else { QUAD }
}

/// Returns the quads of a run.
#[must_use]
pub const fn run_quads<T>() -> usize {
    run_len::<T>() / quad_len::<T>()
}

/// Returns the elements of a row.
#[must_use]
pub const fn row_len<T>() -> usize {
    ROW_RUNS * run_len::<T>()
}

/// Returns the elements of a tile: 4096 of up to 4 bytes.
#[must_use]
pub const fn tile_len<T>() -> usize {
    TILE_ROWS * row_len::<T>()
}

/// Returns the elements of a group: 2^20 of up to 4 bytes.
#[must_use]
pub const fn group_len<T>() -> usize {
    GROUP_TILES * tile_len::<T>()
}

/// Returns the steps by which 32 neighbours compute their inclusive prefixes. In each step, all at once, each value is combined
/// with the value that many places to its left, if there is one (Kogge and Stone, *A parallel algorithm for the efficient
/// solution of a general class of recurrence equations*, 1973; Hillis and Steele, *Data parallel algorithms*, 1986).
#[must_use]
pub const fn steps() -> [usize; 5] {
    [1, 2, 4, 8, 16]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_up_to_64_bytes() {
        assert_eq!([run_len::<u8>(), run_len::<u16>(), run_len::<u32>(), run_len::<u64>()], [16, 16, 16, 8]);
        assert_eq!([run_len::<[u32; 3]>(), run_len::<u128>(), run_len::<[u64; 5]>()], [4, 4, 1]);
        assert_eq!([run_len::<[u64; 8]>(), run_len::<[u64; 9]>()], [1, 1]);
        assert_eq!([row_len::<u32>(), tile_len::<u32>(), group_len::<u32>()], [512, 4096, 1 << 20]);
    }
}
