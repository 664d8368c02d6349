//! Tiles of operators whose accumulators have several words, stored word by word: the first words of all lanes are side
//! by side, then the second words. Loops over such lanes are vectorised; loops over structs are not. Stored by words,
//! tiles of Variance are folded 20 times as fast as stored by structs (docs/tuning/cpu.md).

use gpu_kernels::tree::lanes;
use gpu_kernels::{Accumulator, Element, Op};

use super::neighbours;
use super::tiles::{PARTIAL_LANES, ROWS, ask_for_next};

/// Lanes that are folded at once. This is the best of 32 to 256 (docs/tuning/cpu.md).
pub(super) const STRIPE: usize = 128;

/// Partial results that are folded at once, and most such groups in a tile, which bytes have.
const PARTIALS: usize = 128;
const MOST_TOTALS: usize = 4;

/// Most bytes of an accumulator.
const MOST: usize = 64;

/// The unsigned integer that accumulators are made of.
pub(super) trait Word: bytemuck::Pod {}
impl Word for u32 {}
impl Word for u64 {}

/// Returns the bytes of the words by which tiles of these elements are folded, or 0 if they are not folded by words.
///
/// Large accumulators probably consist of words of 8 bytes. By words of 4 bytes they take longer (docs/tuning/cpu.md).
pub(super) const fn bytes<T: Element, O: Op<T>>() -> usize {
    let size = size_of::<O::Acc>();
    let (by_4, by_8) =
        (align_of::<O::Acc>() >= 4, size.is_multiple_of(8) && (size > 16 || size_of::<T>() == 8));
    if !O::COMMUTATIVE
        || !lanes::<T>().is_multiple_of(STRIPE)
        || !by_4
        || size <= align_of::<O::Acc>()
        || size > MOST
    {
        0
    } else if by_8 {
        8
    } else {
        4
    }
}

/// The accumulators of `N` lanes, word by word: storage of their size, in which word `w` of lane `j` is word `w * N +
/// j`.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Lanes<A, const N: usize>([A; N]);

/// One accumulator, aligned for any word.
#[repr(align(8))]
struct Aligned<A>([A; 1]);

impl<A: Accumulator, const N: usize> Lanes<A, N> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self([A::zeroed(); N])
    }

    #[inline(always)]
    fn filled<W: Word>(acc: A) -> Self {
        let mut lanes = Self::new();
        for j in 0..N {
            lanes.put::<W>(j, acc);
        }
        lanes
    }

    #[inline(always)]
    fn get<W: Word>(&self, j: usize) -> A {
        let words = bytemuck::cast_slice::<A, W>(&self.0);
        let mut acc = Aligned([A::zeroed()]);
        let slots = bytemuck::cast_slice_mut::<A, W>(&mut acc.0);
        for w in 0..size_of::<A>() / size_of::<W>() {
            slots[w] = words[w * N + j];
        }
        acc.0[0]
    }

    #[inline(always)]
    fn put<W: Word>(&mut self, j: usize, acc: A) {
        let slots = bytemuck::cast_slice_mut::<A, W>(&mut self.0);
        let acc = Aligned([acc]);
        let words = bytemuck::cast_slice::<A, W>(&acc.0);
        for w in 0..size_of::<A>() / size_of::<W>() {
            slots[w * N + j] = words[w];
        }
    }
}

/// Folds a tile. `kept` has the lanes of a tile with more than [`ROWS`] rows.
#[inline(always)]
pub(super) fn fold_tile<T: Element, O: Op<T>, W: Word>(
    op: O,
    kept: &mut [Lanes<O::Acc, STRIPE>],
    tile: &[T],
    base: u64,
) -> O::Acc {
    let width = lanes::<T>().min(tile.len());
    let block_len = ROWS * lanes::<T>();
    if tile.len() > block_len {
        for (block, at) in tile.chunks(block_len).zip((0..).step_by(block_len)) {
            for (stripe, first) in kept.iter_mut().zip((0..block.len()).step_by(STRIPE)) {
                ask_for_next(block, first, STRIPE);
                if at == 0 {
                    fold_block::<T, O, W>(op, stripe, block, first, base);
                } else {
                    append_block::<T, O, W>(op, stripe, block, first, base + at as u64);
                }
            }
        }
        return fold_all_lanes::<T, O, W>(width, |stripe, first| *stripe = kept[first / STRIPE]);
    }
    // Two separate calls, because the compiler would turn a common one into a slow loop.
    if tile.len() == block_len {
        fold_all_lanes::<T, O, W>(width, |stripe, first| {
            ask_for_next(tile, first, STRIPE);
            if let Some(rows) = whole::<T>(tile, first) {
                fold_rows::<T, O, W>(op, stripe, rows, first, base);
            }
        })
    } else {
        fold_all_lanes::<T, O, W>(width, |stripe, first| fold_block::<T, O, W>(op, stripe, tile, first, base))
    }
}

/// Folds the first `width` lanes of a tile. `fold` computes the stripe that begins with a given lane.
#[inline(always)]
fn fold_all_lanes<T: Element, O: Op<T>, W: Word>(
    width: usize,
    fold: impl Fn(&mut Lanes<O::Acc, STRIPE>, usize),
) -> O::Acc {
    let mut totals = [O::IDENTITY; MOST_TOTALS];
    let mut stripe = Lanes::new();
    for (total, start) in totals.iter_mut().zip((0..width).step_by(PARTIALS * PARTIAL_LANES)) {
        // Partial results without lanes hold the identity, which changes no pair.
        let mut partials = Lanes::filled::<W>(O::IDENTITY);
        for first in (start..width.min(start + PARTIALS * PARTIAL_LANES)).step_by(STRIPE) {
            fold(&mut stripe, first);
            fold_lanes::<T, O, W>(&stripe, &mut partials, (first - start) / PARTIAL_LANES);
        }
        *total = fold_partials::<T, O, W>(&partials);
    }
    neighbours::fold::<T, O>(&mut totals[..width.div_ceil(PARTIALS * PARTIAL_LANES)])
}

/// Folds up to [`ROWS`] rows of the stripe that begins with lane `first`.
#[inline(always)]
fn fold_block<T: Element, O: Op<T>, W: Word>(
    op: O,
    stripe: &mut Lanes<O::Acc, STRIPE>,
    rows: &[T],
    first: usize,
    base: u64,
) {
    if let Some(rows) = whole::<T>(rows, first) {
        fold_rows::<T, O, W>(op, stripe, rows, first, base);
    } else {
        for j in 0..STRIPE {
            stripe.put::<W>(j, O::IDENTITY);
        }
        append_some::<T, O, W>(op, stripe, rows, first, base);
    }
}

/// Folds all rows of a stripe, lane by lane, so that an accumulator stays in registers, and a value that is equal in
/// all lanes, such as a count of elements, is a constant.
#[inline(always)]
fn fold_rows<T: Element, O: Op<T>, W: Word>(
    op: O,
    stripe: &mut Lanes<O::Acc, STRIPE>,
    rows: [&[T; STRIPE]; ROWS],
    first: usize,
    base: u64,
) {
    for j in 0..STRIPE {
        let mut acc = O::IDENTITY;
        for (row, x) in rows.iter().enumerate() {
            acc = op.append(acc, x[j], base + (first + row * lanes::<T>() + j) as u64);
        }
        stripe.put::<W>(j, acc);
    }
}

/// Folds up to [`ROWS`] rows of a stripe into its accumulators.
#[inline(always)]
fn append_block<T: Element, O: Op<T>, W: Word>(
    op: O,
    stripe: &mut Lanes<O::Acc, STRIPE>,
    rows: &[T],
    first: usize,
    base: u64,
) {
    if let Some(rows) = whole::<T>(rows, first) {
        for j in 0..STRIPE {
            let mut acc = stripe.get::<W>(j);
            for (row, x) in rows.iter().enumerate() {
                acc = op.append(acc, x[j], base + (first + row * lanes::<T>() + j) as u64);
            }
            stripe.put::<W>(j, acc);
        }
    } else {
        append_some::<T, O, W>(op, stripe, rows, first, base);
    }
}

/// Returns the stripe's elements in each of [`ROWS`] rows, if all rows are complete.
#[inline(always)]
fn whole<T: Element>(rows: &[T], first: usize) -> Option<[&[T; STRIPE]; ROWS]> {
    const { assert!(ROWS == 4) }
    let row = |row: usize| rows.get(first + row * lanes::<T>()..)?.first_chunk();
    Some([row(0)?, row(1)?, row(2)?, row(3)?])
}

/// Folds the elements of a stripe with partial rows into its accumulators, row by row.
#[inline(always)]
fn append_some<T: Element, O: Op<T>, W: Word>(
    op: O,
    stripe: &mut Lanes<O::Acc, STRIPE>,
    rows: &[T],
    first: usize,
    base: u64,
) {
    for at in (first..rows.len()).step_by(lanes::<T>()) {
        let base = base + at as u64;
        // A slice of a constant length, so that the loop is vectorised. By element it takes longer
        // (docs/tuning/cpu.md).
        if let Some(row) = rows[at..].first_chunk::<STRIPE>() {
            for (j, &x) in row.iter().enumerate() {
                stripe.put::<W>(j, op.append(stripe.get::<W>(j), x, base + j as u64));
            }
            continue;
        }
        for ((j, &x), index) in rows[at..].iter().enumerate().zip(base..) {
            stripe.put::<W>(j, op.append(stripe.get::<W>(j), x, index));
        }
    }
}

/// Folds a stripe's lanes in pairs of neighbours, [`PARTIAL_LANES`] lanes into each of the partial results from `first` on.
#[inline(always)]
fn fold_lanes<T: Element, O: Op<T>, W: Word>(
    stripe: &Lanes<O::Acc, STRIPE>,
    partials: &mut Lanes<O::Acc, PARTIALS>,
    first: usize,
) {
    const { assert!(PARTIAL_LANES == 8) }
    let halves = halve::<T, O, W, STRIPE, { STRIPE / 2 }>(stripe);
    let quarters = halve::<T, O, W, { STRIPE / 2 }, { STRIPE / 4 }>(&halves);
    let eighths = halve::<T, O, W, { STRIPE / 4 }, { STRIPE / 8 }>(&quarters);
    let words = bytemuck::cast_slice::<_, W>(&eighths.0).chunks_exact(STRIPE / 8);
    let slots = bytemuck::cast_slice_mut::<_, W>(&mut partials.0).chunks_exact_mut(PARTIALS);
    for (slots, words) in slots.zip(words) {
        slots[first..first + STRIPE / 8].copy_from_slice(words);
    }
}

/// Folds partial results in pairs of neighbours until one is left.
#[inline(always)]
fn fold_partials<T: Element, O: Op<T>, W: Word>(partials: &Lanes<O::Acc, PARTIALS>) -> O::Acc {
    const { assert!(PARTIALS == 128) }
    let partials = halve::<T, O, W, 128, 64>(partials);
    let partials = halve::<T, O, W, 64, 32>(&partials);
    let partials = halve::<T, O, W, 32, 16>(&partials);
    let partials = halve::<T, O, W, 16, 8>(&partials);
    let mut left: [O::Acc; 8] = std::array::from_fn(|k| partials.get::<W>(k));
    neighbours::fold::<T, O>(&mut left)
}

/// Folds lanes in pairs of neighbours.
#[inline(always)]
fn halve<T: Element, O: Op<T>, W: Word, const N: usize, const H: usize>(
    lanes: &Lanes<O::Acc, N>,
) -> Lanes<O::Acc, H> {
    const { assert!(2 * H == N) }
    let mut halves = Lanes::new();
    for k in 0..H {
        halves.put::<W>(k, O::combine(lanes.get::<W>(2 * k), lanes.get::<W>(2 * k + 1)));
    }
    halves
}
