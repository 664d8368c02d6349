//! The shapes of launches: the contract between the kernels and whoever plans launches.

use crate::op::{Element, Op, is_free};
use crate::tree::{MAX_TILES, RUN, THREADS, lanes, vector_len};

/// Threads per block that the kernels take: 1, 2 or 4 groups of [`THREADS`]. Each group folds its own tile.
pub const BLOCK_THREADS: [u32; 3] = [256, 512, 1024];

/// Most tiles, of the smallest length, that one block folds in a launch by itself.
pub const BLOCK_TILES: u64 = 16;

/// Most partial results that one block folds.
pub const MAX_FAN_IN: u64 = MAX_TILES;

/// Bytes of the largest accumulator of a kernel. A thread holds it in registers, and a warp exchanges it word by word.
pub const MOST_ACC_BYTES: usize = 64;

/// Returns the neighbouring vectors that a thread loads for its lanes of the tree: 1 where lanes stride, otherwise [`RUN`].
#[must_use]
pub const fn loads_of_item<T: Element, O: Op<T>>() -> usize {
    if O::COMMUTATIVE { 1 } else { RUN }
}

/// Returns the values that a lane of a warp holds at once while it folds short rows; each takes one or more loads. It is a
/// power of two, and half as many for rows that are not [vectors](are_rows_vectors), where a value takes several loads. With
/// 8 values fewer blocks fit, and it takes longer (docs/tuning/gpu.md).
#[must_use]
pub const fn lanes_row_values<T: Element, O: Op<T>>(are_vectors: bool) -> usize {
    match size_of::<O::Acc>() * loads_of_item::<T, O>() {
        0..=8 if are_vectors => 4,
        0..=16 => 2,
        _ => 1,
    }
}

/// Returns whether rows of `len` elements, the first at `address` and the others `pitch` elements apart, are loaded by whole
/// 16-byte vectors. Otherwise each load is of the two vectors that it lies across, or of one element.
#[must_use]
pub const fn are_rows_vectors<T>(address: u64, len: u64, pitch: u64) -> bool {
    let v = vector_len::<T>() as u64;
    v > 1
        && v * size_of::<T>() as u64 == 16
        && address.is_multiple_of(16)
        && len.is_multiple_of(v)
        && pitch.is_multiple_of(v)
}

/// Returns whether long rows are folded by the vectors that they lie across, by blocks in [batches](MAX_BATCH) of tiles. True
/// for operators that commute, unless they need many registers for each lane of the tree.
#[must_use]
pub const fn do_rows_lie_across<T: Element, O: Op<T>>() -> bool {
    let (are_vectors, bytes) = (vector_len::<T>() * size_of::<T>() == 16, size_of::<O::Acc>());
    are_vectors && O::COMMUTATIVE && bytes <= if is_free::<T, O>() { 16 } else { 8 }
}

/// Returns whether a warp folds a tile of a long segment alone, by the vectors that the tile lies across. Each thread
/// then has the accumulators of five vectors. With any other operator this would take too many registers, and few warps
/// would be resident.
#[must_use]
pub const fn do_warps_fold_tiles<T: Element, O: Op<T>>() -> bool {
    do_rows_lie_across::<T, O>() && (is_free::<T, O>() || vector_len::<T>() * size_of::<O::Acc>() <= 16)
}

/// Returns whether warps also fold rows in this way: rows of one tile, and rows of up to [`MAX_BATCH`] tiles whose last
/// is cut short. For a free operator nothing is moved into place, so that [batches](MAX_BATCH) are as fast.
#[must_use]
pub const fn do_warps_fold_rows<T: Element, O: Op<T>>() -> bool {
    do_warps_fold_tiles::<T, O>() && !is_free::<T, O>()
}

/// Tiles of the largest batch: one for each lane of the warp that folds the batch's pieces.
pub const MAX_BATCH: u32 = 32;

/// Returns the elements of the longest row that a warp folds beside other rows.
#[must_use]
pub const fn lanes_row_len<T: Element, O: Op<T>>(are_vectors: bool) -> u64 {
    (32 * vector_len::<T>() * loads_of_item::<T, O>() * lanes_row_values::<T, O>(are_vectors)) as u64
}

/// Returns the number of columns that a thread folds: a vector's, as long as their accumulators leave registers for
/// several rows, and 1 where less than half a vector would be left.
#[must_use]
pub const fn columns_at_once<T: Element, O: Op<T>>(are_vectors: bool) -> usize {
    let most_bytes = if is_free::<T, O>() { 64 } else { 16 };
    let mut columns = vector_len::<T>();
    while columns > 1 && columns * size_of::<O::Acc>() > most_bytes {
        columns /= 2;
    }
    match columns {
        _ if columns * size_of::<T>() < 8 => 1,
        5.. if !are_vectors => MOST_APART,
        _ => columns,
    }
}

/// The most columns of a thread that are loaded one by one: more of them make the code long.
const MOST_APART: usize = 4;

/// Returns the rows of its columns that a thread loads at once.
#[must_use]
pub const fn column_rows_at_once<T: Element, O: Op<T>>() -> usize {
    match columns_at_once::<T, O>(true) * size_of::<O::Acc>() {
        _ if is_free::<T, O>() => {
            if columns_at_once::<T, O>(true) > 8 {
                4
            } else {
                8
            }
        }
        0..=16 => 8,
        17..=32 => 4,
        _ if O::COMMUTATIVE => 2,
        _ => RUN,
    }
}

/// Returns the lanes of the tree to which [`column_rows_at_once`] rows belong.
#[must_use]
pub const fn column_lanes_at_once<T: Element, O: Op<T>>() -> usize {
    column_rows_at_once::<T, O>() / loads_of_item::<T, O>()
}

/// Most bytes of dynamic shared memory of a block that folds columns.
const COLUMNS_SCRATCH: usize = 32768;

/// Bytes of shared memory for totals of tiles, which the first row of a block's threads keeps.
pub(crate) const TILE_TOTALS: usize = 13312;

/// Returns the bytes of the accumulators of a thread's columns.
pub(crate) const fn columns_acc_bytes<T: Element, O: Op<T>>() -> usize {
    columns_at_once::<T, O>(true) * size_of::<O::Acc>()
}

/// Returns the binary logarithm of the most groups of [`column_lanes_at_once`] lanes for whose waiting totals a thread has shared
/// memory.
const fn most_levels<T: Element, O: Op<T>>() -> usize {
    let groups = (lanes::<T>() / column_lanes_at_once::<T, O>()).ilog2() as usize;
    let fitting = COLUMNS_SCRATCH / (THREADS * columns_acc_bytes::<T, O>());
    if is_free::<T, O>() || groups < fitting { groups } else { fitting }
}

/// Returns the binary logarithm of the most groups of [`column_lanes_at_once`] lanes that a thread folds which shares its columns
/// with others. The totals of tiles of a block's columns have room too.
const fn most_shared_levels<T: Element, O: Op<T>>() -> usize {
    let per_level = TILE_TOTALS / (MAX_TILES.ilog2() as usize + 1);
    let across = per_level / columns_acc_bytes::<T, O>();
    let fitting = (across * lanes::<T>() / (THREADS * column_lanes_at_once::<T, O>())).ilog2() as usize;
    let most = most_levels::<T, O>();
    if fitting < most { fitting } else { most }
}

/// Returns the bytes of dynamic shared memory for blocks of `threads` threads. `2^log2_down` threads together fold a
/// column of `rows` elements, or a part of one.
#[must_use]
pub const fn columns_scratch<T: Element, O: Op<T>>(rows: u64, threads: u32, log2_down: u32) -> u32 {
    let groups =
        if is_free::<T, O>() { 0 } else { column_groups::<T, O>(rows).ilog2().saturating_sub(log2_down) };
    let slots = if groups == 0 && log2_down > 0 { 1 } else { groups };
    slots * threads * columns_acc_bytes::<T, O>() as u32
}

/// Returns the rows of the longest columns that one thread folds alone: each lane of their tree has one load. A thread alone
/// is faster for columns of up to 1000 rows, if there are enough columns (docs/tuning/gpu.md).
#[must_use]
pub const fn few_rows<T: Element, O: Op<T>>() -> u64 {
    (column_rows_at_once::<T, O>() << most_levels::<T, O>()) as u64
}

/// Returns the groups of [`column_lanes_at_once`] lanes of the tree in a column of `rows` elements: a power of two.
#[must_use]
pub const fn column_groups<T: Element, O: Op<T>>(rows: u64) -> u32 {
    let all = (lanes::<T>() / column_lanes_at_once::<T, O>()) as u64;
    let present = rows.div_ceil(column_rows_at_once::<T, O>() as u64);
    if present < all { present.next_power_of_two() as u32 } else { all as u32 }
}

/// Returns the binary logarithms of the fewest and the most threads of a block that together fold a column of `rows` elements,
/// or a part of one.
#[must_use]
pub const fn column_log2_threads<T: Element, O: Op<T>>(rows: u64) -> (u32, u32) {
    let most = THREADS.ilog2();
    if is_free::<T, O>() {
        return (0, most);
    }
    let groups = column_groups::<T, O>(rows).trailing_zeros();
    let fewest = groups.saturating_sub(most_shared_levels::<T, O>() as u32);
    (fewest, if groups < most { groups } else { most })
}

/// Returns whether the `columns` of `batches` matrices, the first at `address`, are loaded by whole vectors of 8 or 16 bytes.
/// Otherwise the columns of a thread are far apart, and loaded one by one.
#[must_use]
pub const fn are_columns_vectors<T: Element, O: Op<T>>(
    address: u64,
    (batches, columns): (u64, u64),
    (batch_pitch, row_pitch): (u64, u64),
) -> bool {
    let w = columns_at_once::<T, O>(true) as u64;
    let bytes = w * size_of::<T>() as u64;
    w > 1
        && (bytes == 8 || bytes == 16)
        && address.is_multiple_of(bytes)
        && columns.is_multiple_of(w)
        && row_pitch.is_multiple_of(w)
        && (batches == 1 || batch_pitch.is_multiple_of(w))
}

/// Returns the blocks that fold `2^log2_parts` parts of each of the `columns` of `batches` matrices with `2^log2_down` threads
/// per part. `are_vectors` is the result of [`are_columns_vectors`].
#[must_use]
pub const fn columns_blocks<T: Element, O: Op<T>>(
    (batches, columns): (u64, u64),
    are_vectors: bool,
    log2_down: u32,
    log2_parts: u32,
) -> u64 {
    let strips = columns.div_ceil(columns_at_once::<T, O>(are_vectors) as u64).saturating_mul(batches);
    strips.div_ceil(THREADS as u64 >> log2_down).saturating_mul(1 << log2_parts)
}
