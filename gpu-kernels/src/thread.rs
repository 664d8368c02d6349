//! Thread layer: what one thread folds alone.

use core::ops::Range;
use warpfold_exact::unrolled;

use crate::op::{Element, Op};
use crate::source::{Packed, ReadRows, Source};
use crate::tree::{RUN, THREADS, lanes};

/// Rows of the smallest tile; a thread has one vector of each in flight. With 8 in flight it is no faster
/// (docs/tuning/gpu.md).
const ROWS: usize = RUN;

/// Folds the elements of `x` at `range.start`, `range.start + stride`, `range.start + 2 stride`, ..., within both `range` and
/// `x`, left to right. `lift` gets their index in `x`. A `stride` of 0 counts as 1.
///
/// For coalesced loads, threads of a warp should read neighbours at once: thread `t` of `n` folds `t..len` in strides of `n`.
/// An operator that does not commute needs contiguous portions instead: one range per thread, in thread order, each in strides
/// of 1.
///
/// Called by: each thread for itself. Valid in: that thread. Scratch: none. Order: left to right.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub fn reduce<T: Element, O: Op<T>, S: Source<T>>(op: O, x: S, range: Range<u64>, stride: u64) -> O::Acc {
    let end = range.end.min(x.len());
    let (mut acc, mut at) = (O::IDENTITY, range.start);
    while at < end {
        acc = op.append(acc, x.read(at), at);
        at = at.saturating_add(stride.max(1));
    }
    acc
}

/// Folds one tile of the smallest length for an operator that commutes: the lanes of thread `thread` of 256, each left to
/// right, then its `V` lanes in pairs. `base` is the index of the tile's first element.
///
/// Called by: each thread for itself. Valid in: every thread. Scratch: none. Order: see
/// [`tree`](crate::tree).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fold_tile<T: Element, O: Op<T>, S: Source<T>, const V: usize>(
    op: O,
    tile: S,
    base: u64,
    thread: u32,
) -> O::Acc {
    let row = lanes::<T>() as u64;
    let first = u64::from(thread) * V as u64;
    let mut accs = [O::IDENTITY; V];
    match tile.rows::<V, ROWS>(first, row).read_next() {
        Some(vectors) => fold_rows::<T, O, V>(op, &mut accs, vectors.map(Packed::elements), base + first),
        None => fold_present_rows::<T, O, S, V>(op, &mut accs, tile, base, first),
    }
    fold_pairs::<T, O, V>(accs)
}

/// Folds a tile of any length, whole or cut short, as [`fold_tile`] does. If `AHEAD`, the next rows are loaded while some are
/// folded. It is a little faster (docs/tuning/gpu.md).
///
/// Called by: each thread for itself. Valid in: every thread. Scratch: none. Order: see
/// [`tree`](crate::tree).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fold_long_tile<T: Element, O: Op<T>, S: Source<T>, const V: usize, const AHEAD: bool>(
    op: O,
    tile: S,
    base: u64,
    thread: u32,
) -> O::Acc {
    let row = lanes::<T>() as u64;
    let mut first = u64::from(thread) * V as u64;
    let mut accs = [O::IDENTITY; V];
    let mut rows = tile.rows::<V, ROWS>(first, row);
    if AHEAD {
        let mut ahead = rows.read_next();
        while let Some(vectors) = ahead {
            ahead = rows.read_next();
            fold_rows::<T, O, V>(op, &mut accs, vectors.map(Packed::elements), base + first);
            first += ROWS as u64 * row;
        }
    } else {
        while let Some(vectors) = rows.read_next() {
            fold_rows::<T, O, V>(op, &mut accs, vectors.map(Packed::elements), base + first);
            first += ROWS as u64 * row;
        }
    }
    while first < tile.len() {
        fold_present_rows::<T, O, S, V>(op, &mut accs, tile, base, first);
        first += ROWS as u64 * row;
    }
    fold_pairs::<T, O, V>(accs)
}

/// Folds this thread's share of a tile of any length into `acc`, for a [free](crate::is_free) operator: one accumulator for all
/// lanes, which may hold earlier tiles. If `AHEAD`, the next rows are loaded while some are folded.
///
/// Called by: each of 256 threads for itself. Valid in: every thread. Scratch: none. Order: none; the indices that one
/// thread folds ascend.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn append_tile<T: Element, O: Op<T>, S: Source<T>, const V: usize, const AHEAD: bool>(
    op: O,
    mut acc: O::Acc,
    tile: S,
    base: u64,
    thread: u32,
) -> O::Acc {
    let row = lanes::<T>() as u64;
    let offset = u64::from(thread) * V as u64;
    let mut rows = tile.rows::<V, ROWS>(offset, row);
    let mut at = 0;
    if let Some(absent) = op.absent() {
        // The code of a heavy operator is long, so it stands once, for whole rows and for the rest. Such an operator needs many
        // registers: it loads no rows ahead, and other warps hide the latency.
        while at < tile.len() {
            let vectors = match rows.read_next() {
                Some(vectors) => vectors.map(Packed::elements),
                None => core::array::from_fn(|i| read_present(tile, at + offset + row * i as u64, absent)),
            };
            acc = op.append_rows(acc, vectors, base + at + offset, row);
            at += ROWS as u64 * row;
        }
        return acc;
    }
    if AHEAD {
        let mut ahead = rows.read_next();
        while let Some(vectors) = ahead {
            ahead = rows.read_next();
            acc = op.append_rows(acc, vectors.map(Packed::elements), base + at + offset, row);
            at += ROWS as u64 * row;
        }
    } else {
        while let Some(vectors) = rows.read_next() {
            acc = op.append_rows(acc, vectors.map(Packed::elements), base + at + offset, row);
            at += ROWS as u64 * row;
        }
    }
    if at < tile.len() { append_rest::<T, O, S, V>(op, acc, tile, at, base, thread) } else { acc }
}

/// Folds as [`append_tile`], for a tile of at most the smallest length.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn append_small_tile<T: Element, O: Op<T>, S: Source<T>, const V: usize>(
    op: O,
    acc: O::Acc,
    tile: S,
    base: u64,
    thread: u32,
) -> O::Acc {
    let row = lanes::<T>() as u64;
    let offset = u64::from(thread) * V as u64;
    let vectors = tile.rows::<V, ROWS>(offset, row).read_next().map(|rows| rows.map(Packed::elements));
    let vectors = match (vectors, op.absent()) {
        (None, Some(absent)) => {
            Some(core::array::from_fn(|i| read_present(tile, offset + row * i as u64, absent)))
        }
        (vectors, _) => vectors,
    };
    match vectors {
        Some(vectors) => op.append_rows(acc, vectors, base + offset, row),
        None => append_rest::<T, O, S, V>(op, acc, tile, 0, base, thread),
    }
}

/// Folds the rest of a tile from index `rest` on, where a row begins: fewer rows than are read at once, or a whole tile
/// that cannot be read by vectors.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn append_rest<T: Element, O: Op<T>, S: Source<T>, const V: usize>(
    op: O,
    mut acc: O::Acc,
    tile: S,
    rest: u64,
    base: u64,
    thread: u32,
) -> O::Acc {
    let row = lanes::<T>() as u64;
    let first = rest + u64::from(thread) * V as u64;
    // All vectors are loaded before the first use; after the last whole vector there may be single elements.
    //
    // Elements of 1 or 2 bytes stay in the words in which they were loaded, which takes fewer registers. For larger ones it
    // is the other way round: the compiler may read them where they are used (docs/tuning/registers.md).
    acc = if size_of::<T>() < 4 {
        let vectors = core::array::from_fn(|i| tile.read_packed(first + row * i as u64));
        append_left::<T, O, _, V>(op, acc, vectors, Packed::elements, base + first)
    } else {
        let vectors = core::array::from_fn(|i| tile.read_vector(first + row * i as u64));
        append_left::<T, O, _, V>(op, acc, vectors, |vector| vector, base + first)
    };
    let mut at = tile.vectors_end::<V>().max(rest) + u64::from(thread);
    while at < tile.len() {
        acc = op.append(acc, tile.read(at), base + at);
        at += THREADS as u64;
    }
    acc
}

/// Folds the present ones of a thread's last rows into `acc`; the first element has index `first`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn append_left<T: Element, O: Op<T>, X: Copy, const V: usize>(
    op: O,
    mut acc: O::Acc,
    mut vectors: [Option<X>; ROWS],
    elements: impl Fn(X) -> [T; V],
    mut first: u64,
) -> O::Acc {
    // The code for a row may be long, so it stands once, and the rows move up.
    while let Some(vector) = vectors[0] {
        acc = op.append_rows(acc, [elements(vector)], first, 1);
        first += lanes::<T>() as u64;
        vectors = core::array::from_fn(|i| if i + 1 < ROWS { vectors[i + 1] } else { None });
    }
    acc
}

/// Reads the vector at `first`, with `absent` for elements beyond the end.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn read_present<T: Element, S: Source<T>, const V: usize>(tile: S, first: u64, absent: T) -> [T; V] {
    tile.read_vector(first).unwrap_or_else(|| {
        core::array::from_fn(|j| {
            let at = first + j as u64;
            if at < tile.len() { tile.read(at) } else { absent }
        })
    })
}

/// Folds the lanes of thread `thread` of 256 in the band that starts at `band`, for an operator that does not commute: each
/// lane's run of 4 neighbours left to right, then the `V` lanes in pairs.
///
/// Called by: each thread for itself. Valid in: every thread. Scratch: none. Order: left to right.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fold_band<T: Element, O: Op<T>, S: Source<T>, const V: usize>(
    op: O,
    tile: S,
    base: u64,
    band: u64,
    thread: u32,
) -> O::Acc {
    let first = band + u64::from(thread) * (RUN * V) as u64;
    let mut accs = [O::IDENTITY; V];
    if size_of::<T>() < 4 {
        // Kept in the words in which they were loaded. If all were taken apart at once, they would not stay in
        // registers.
        let vectors: [Option<_>; RUN] = core::array::from_fn(|i| tile.read_packed(first + (V * i) as u64));
        unrolled!(i < RUN, up to 4 => {
            let vector: Option<[T; V]> = vectors[i].map(Packed::elements);
            unrolled!(v < V => {
                let (at, lane) = (first + (V * i + v) as u64, (V * i + v) / RUN);
                if let Some(vector) = vector {
                    accs[lane] = op.append(accs[lane], vector[v], base + at);
                } else if at < tile.len() {
                    accs[lane] = op.append(accs[lane], tile.read(at), base + at);
                }
            });
        });
    } else if first < tile.len() {
        let any = tile.read(first);
        let vectors: [[T; V]; RUN] =
            core::array::from_fn(|i| read_present(tile, first + (V * i) as u64, any));
        unrolled!(i < RUN, up to 4 => {
            unrolled!(v < V => {
                // Element `V i + v` of the thread's `4 V`.
                let (at, lane) = (first + (V * i + v) as u64, (V * i + v) / RUN);
                if at < tile.len() {
                    accs[lane] = op.append(accs[lane], vectors[i][v], base + at);
                }
            });
        });
    }
    fold_pairs::<T, O, V>(accs)
}

/// Folds `ROWS` rows of a thread's vectors, whose first element has index `first`, into its lanes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_rows<T: Element, O: Op<T>, const V: usize>(
    op: O,
    accs: &mut [O::Acc; V],
    vectors: [[T; V]; ROWS],
    first: u64,
) {
    op.append_columns(accs, vectors, first, lanes::<T>() as u64);
}

/// Folds the present elements of `ROWS` rows of a thread's vectors, from index `first` of the slice on, into its lanes. All are
/// loaded before the first use.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_present_rows<T: Element, O: Op<T>, S: Source<T>, const V: usize>(
    op: O,
    accs: &mut [O::Acc; V],
    slice: S,
    base: u64,
    mut first: u64,
) {
    if first >= slice.len() {
        return;
    }
    let row = lanes::<T>() as u64;
    if size_of::<O::Acc>() <= 8 {
        // First rows of whole vectors, then the rest element by element. This takes fewer registers than the code below
        // (docs/tuning/registers.md).
        let end = first + ROWS as u64 * row;
        if size_of::<T>() < 4 {
            let vectors: [Option<_>; ROWS] =
                core::array::from_fn(|i| slice.read_packed(first + row * i as u64));
            unrolled!(i < ROWS, up to 4 => {
                if let Some(vector) = vectors[i] {
                    fold_vector::<T, O, V>(op, accs, vector.elements(), base + first);
                    first += row;
                }
            });
        } else {
            let vectors: [Option<[T; V]>; ROWS] =
                core::array::from_fn(|i| slice.read_vector(first + row * i as u64));
            unrolled!(i < ROWS, up to 4 => {
                if let Some(vector) = vectors[i] {
                    fold_vector::<T, O, V>(op, accs, vector, base + first);
                    first += row;
                }
            });
        }
        while first < end.min(slice.len()) {
            unrolled!(v < V => {
                let at = first + v as u64;
                if at < slice.len() {
                    accs[v] = op.append(accs[v], slice.read(at), base + at);
                }
            });
            first += row;
        }
        return;
    }
    let any = slice.read(first);
    let mut vectors: [[T; V]; ROWS] =
        core::array::from_fn(|i| read_present(slice, first + row * i as u64, any));
    // The code for a row may be long, so it stands once, and the rows move up.
    let mut rows = 0;
    while rows < ROWS && first < slice.len() {
        unrolled!(v < V => {
            let at = first + v as u64;
            if at < slice.len() {
                accs[v] = op.append(accs[v], vectors[0][v], base + at);
            }
        });
        vectors = core::array::from_fn(|i| vectors[(i + 1).min(ROWS - 1)]);
        first += row;
        rows += 1;
    }
}

/// Folds one vector, whose first element has index `first`, into a thread's lanes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_vector<T: Element, O: Op<T>, const V: usize>(
    op: O,
    accs: &mut [O::Acc; V],
    vector: [T; V],
    first: u64,
) {
    unrolled!(v < V => { accs[v] = op.append(accs[v], vector[v], first + v as u64) });
}

/// Folds a thread's `N` accumulators, a power of two up to 16, in pairs of neighbours.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fold_pairs<T: Element, O: Op<T>, const N: usize>(mut accs: [O::Acc; N]) -> O::Acc {
    const { assert!(N.is_power_of_two() && N <= 16) }
    unrolled!(i < N / 2, up to 8 => { accs[i] = O::combine(accs[2 * i], accs[2 * i + 1]) });
    unrolled!(i < N / 4, up to 4 => { accs[i] = O::combine(accs[2 * i], accs[2 * i + 1]) });
    unrolled!(i < N / 8, up to 2 => { accs[i] = O::combine(accs[2 * i], accs[2 * i + 1]) });
    unrolled!(i < N / 16, up to 2 => { accs[i] = O::combine(accs[2 * i], accs[2 * i + 1]) });
    accs[0]
}
