//! Thread layer: what one thread folds alone.

use cuda_std::global::{GlobalSlice, VECTOR_BYTES};

use crate::op::{Element, Op};
use crate::tree::{RUN, THREADS, lanes};

/// Vectors that a thread has in flight: the rows of the smallest tile.
/// [H200, f32 Sum: 4 to 8 in flight with 8 blocks of 256 threads per multiprocessor read at full rate.]
const ROWS: usize = RUN;

/// Folds the lanes of thread `thread` of 256 over a whole tile, for an operator that commutes: each lane left
/// to right, then its `V` lanes in pairs. `base` is the index of the tile's first element.
///
/// Called by: each thread for itself. Valid in: every thread. Scratch: none. Order: see
/// [`tree`](crate::tree).
#[inline(always)]
pub(crate) fn fold_tile<T: Element, O: Op<T>, const V: usize>(
    tile: GlobalSlice<T>,
    base: u64,
    thread: u32,
) -> O::Acc {
    let lanes = lanes::<T>() as u64;
    let mut accs = [O::IDENTITY; V];
    let mut first = u64::from(thread) * V as u64;
    let mut row_start = 0;
    while row_start < tile.len() {
        let rows = read::<T, O, V>(tile, first, lanes, row_start + ROWS as u64 * lanes <= tile.len(), base);
        // Counted loops: what LLVM unrolls for this target, so that accumulators stay in registers.
        for row in &rows {
            for v in 0..V {
                accs[v] = O::combine(accs[v], row[v]);
            }
        }
        first += ROWS as u64 * lanes;
        row_start += ROWS as u64 * lanes;
    }
    fold_pairs::<T, O, V>(accs)
}

/// Folds the lanes of thread `thread` of 256 over the band that starts at `band`, for an operator that does
/// not commute: each lane's run of 4 neighbours left to right, then the `V` lanes in pairs.
///
/// Called by: each thread for itself. Valid in: every thread. Scratch: none. Order: left to right.
#[inline(always)]
pub(crate) fn fold_band<T: Element, O: Op<T>, const V: usize>(
    tile: GlobalSlice<T>,
    base: u64,
    band: u64,
    thread: u32,
) -> O::Acc {
    let first = band + u64::from(thread) * (RUN * V) as u64;
    let whole = band + (RUN * V * THREADS) as u64 <= tile.len();
    let run = read::<T, O, V>(tile, first, V as u64, whole, base);
    let mut accs = [O::IDENTITY; V];
    for i in 0..RUN * V {
        accs[i / RUN] = O::combine(accs[i / RUN], run[i / V][i % V]);
    }
    fold_pairs::<T, O, V>(accs)
}

/// Reads and lifts `ROWS` vectors, the first at `first`, each next one `stride` further. Absent elements are
/// the identity. `whole` says that none is absent.
#[inline(always)]
fn read<T: Element, O: Op<T>, const V: usize>(
    tile: GlobalSlice<T>,
    first: u64,
    stride: u64,
    whole: bool,
    base: u64,
) -> [[O::Acc; V]; ROWS] {
    let vectors = const { V * size_of::<T>() == VECTOR_BYTES } && tile.is_vector_aligned();
    if vectors && whole {
        let rows: [[T; V]; ROWS] = tile.read_vectors(first, stride);
        return core::array::from_fn(|row| {
            core::array::from_fn(|v| O::lift(rows[row][v], base + first + stride * row as u64 + v as u64))
        });
    }
    core::array::from_fn(|row| {
        let first = first + stride * row as u64;
        if vectors && first + V as u64 <= tile.len() {
            let [vector]: [[T; V]; 1] = tile.read_vectors(first, stride);
            return core::array::from_fn(|v| O::lift(vector[v], base + first + v as u64));
        }
        core::array::from_fn(|v| {
            let i = first + v as u64;
            if i < tile.len() { O::lift(tile.read(i), base + i) } else { O::IDENTITY }
        })
    })
}

/// Folds a thread's `N` accumulators, a power of two up to 16, in pairs of neighbours.
#[inline(always)]
pub(crate) fn fold_pairs<T: Element, O: Op<T>, const N: usize>(mut accs: [O::Acc; N]) -> O::Acc {
    const { assert!(N.is_power_of_two() && N <= 16) }
    // One counted loop per level: a loop whose length changes from level to level is not unrolled.
    for i in 0..N / 2 {
        accs[i] = O::combine(accs[2 * i], accs[2 * i + 1]);
    }
    for i in 0..N / 4 {
        accs[i] = O::combine(accs[2 * i], accs[2 * i + 1]);
    }
    for i in 0..N / 8 {
        accs[i] = O::combine(accs[2 * i], accs[2 * i + 1]);
    }
    for i in 0..N / 16 {
        accs[i] = O::combine(accs[2 * i], accs[2 * i + 1]);
    }
    accs[0]
}
