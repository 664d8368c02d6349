//! A block's columns along the tree: each thread folds neighbouring lanes in groups; the elements of a group are in
//! neighbouring rows, which are loaded at once.

use cuda_std::thread::{block_dim_x, unknown};
use warpfold_exact::unrolled;

use super::combine::{combine, scratch};
use super::pairs::{Pairs, both};
use super::strips::Strips;
use super::{Place, Strip};
use crate::op::{Element, Op};
use crate::shapes::{TILE_TOTALS, column_groups, loads_of_item};
use crate::source::Packed;
use crate::thread::fold_pairs;
use crate::tree::{RUN, THREADS, lanes, tile_len};

/// Folds rows `start .. end` of the block's columns, an aligned power of two of tiles. The columns have `rows` rows.
///
/// Called by: every thread of the block. Valid in: the threads of the first row. Scratch: the block's. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn fold<T, O, R, const W: usize, const N: usize, const LANES: usize>(
    op: O,
    strip: Strip<R>,
    (start, end): (u64, u64),
    rows: u64,
    place: Place,
) -> [O::Acc; W]
where
    T: Element,
    O: Op<T>,
    R: Strips<T, W>,
{
    const { assert!(LANES * loads_of_item::<T, O>() == N && LANES.is_power_of_two()) }
    let tile_len = tile_len::<T>(rows);
    // For an operator that commutes a tile is one band.
    let band_len = if O::COMMUTATIVE { tile_len } else { (RUN * lanes::<T>()) as u64 };
    let groups = column_groups::<T, O>(rows) >> place.log2_down;
    let slots = warpfold_columns_tiles().slice();
    let mut tiles = Pairs::<T, O, W>::new(slots, place.across(), THREADS as u32 >> place.log2_down);
    let mut total = [O::IDENTITY; W];
    let mut band = start;
    while band < end {
        let band_end = (band + band_len).min(end);
        let accs = fold_share::<T, O, R, W, N, LANES>(op, strip, (band, band_end), groups, place);
        let accs = combine::<T, O, W>(accs, place);
        band += band_len;
        total = if O::COMMUTATIVE { accs } else { both::<T, O, W>(total, accs) };
        let is_last = band >= end;
        if is_last && band - start <= tile_len {
            // There is only one tile.
            return total;
        }
        if place.down() == 0 && (is_last || band & (tile_len - 1) == 0) {
            tiles.push(total);
            total = [O::IDENTITY; W];
        }
    }
    tiles.totals()
}

cuda_std::shared_bytes! {
    /// A total per level for each thread of a block's first row. Where columns have several tiles that row is short, since a
    /// thread folds few lanes.
    fn warpfold_columns_tiles: 13312
}

const _: () = assert!(TILE_TOTALS == 13312);

/// Folds this thread's lanes of the band `start .. end`: `groups` groups of `LANES` neighbours, then the groups in pairs of
/// neighbours.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_share<T, O, R, const W: usize, const N: usize, const LANES: usize>(
    op: O,
    strip: Strip<R>,
    (start, end): (u64, u64),
    groups: u32,
    place: Place,
) -> [O::Acc; W]
where
    T: Element,
    O: Op<T>,
    R: Strips<T, W>,
{
    let last = groups - 1;
    let mut waiting = waiting::<T, O, W>(place.thread);
    let mut group = 0;
    loop {
        let first = start + u64::from(place.down() * groups + group) * N as u64;
        let total = fold_group::<T, O, R, W, N, LANES>(op, strip, (first, end));
        // The number of groups is a power of two, so the last one is folded with all others.
        if group == last {
            return waiting.complete(total);
        }
        waiting.push(total);
        group = unknown(group + 1);
    }
}

/// Makes the counter of a thread's groups of lanes.
///
/// Scratch: the thread's own slots of the block's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn waiting<T: Element, O: Op<T>, const W: usize>(thread: u32) -> Pairs<T, O, W> {
    Pairs::new(scratch(), thread, block_dim_x())
}

/// Folds `LANES` lanes that begin at row `first` of a band that ends at `end`: each left to right, then in pairs of neighbours.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_group<T, O, R, const W: usize, const N: usize, const LANES: usize>(
    op: O,
    strip: Strip<R>,
    (first, end): (u64, u64),
) -> [O::Acc; W]
where
    T: Element,
    O: Op<T>,
    R: Strips<T, W>,
{
    let mut accs = [[O::IDENTITY; W]; LANES];
    let mut row = first;
    while row < end {
        let loaded = core::array::from_fn(|i| strip.load(row + i as u64, end));
        append_rows::<T, O, R, W, N, LANES>(op, &mut accs, loaded, (row, end));
        row += if O::COMMUTATIVE { lanes::<T>() } else { RUN * lanes::<T>() } as u64;
    }
    fold_lanes::<T, O, W, LANES>(accs)
}

/// Folds lanes as [`fold_group`] does, from elements that are loaded already and are all that the lanes have.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn fold_loaded<T, O, R, const W: usize, const N: usize, const LANES: usize>(
    op: O,
    loaded: [R::Loaded; N],
    (first, end): (u64, u64),
) -> [O::Acc; W]
where
    T: Element,
    O: Op<T>,
    R: Strips<T, W>,
{
    let mut accs = [[O::IDENTITY; W]; LANES];
    append_rows::<T, O, R, W, N, LANES>(op, &mut accs, loaded, (first, end));
    fold_lanes::<T, O, W, LANES>(accs)
}

/// Folds the loaded rows in `row..end` into their lanes.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn append_rows<T, O, R, const W: usize, const N: usize, const LANES: usize>(
    op: O,
    accs: &mut [[O::Acc; W]; LANES],
    mut loaded: [R::Loaded; N],
    (row, end): (u64, u64),
) where
    T: Element,
    O: Op<T>,
    R: Strips<T, W>,
{
    let run = const { loads_of_item::<T, O>() };
    if is_heavy::<T, O>() {
        let mut i = 0;
        while i < N as u32 {
            let at = row + u64::from(i);
            if at < end {
                append::<T, O, W>(op, &mut accs[0], loaded[0].elements(), at);
            }
            i = unknown(i + 1);
            loaded = core::array::from_fn(|i| loaded[(i + 1).min(N - 1)]);
            if i & (run as u32 - 1) == 0 {
                *accs = core::array::from_fn(|lane| accs[(lane + 1) % LANES]);
            }
        }
    } else if end - row >= N as u64 {
        unrolled!(i < N => {
            append::<T, O, W>(op, &mut accs[i / run], loaded[i].elements(), row + i as u64);
        });
    } else {
        unrolled!(i < N => {
            let at = row + i as u64;
            if at < end {
                append::<T, O, W>(op, &mut accs[i / run], loaded[i].elements(), at);
            }
        });
    }
}

/// Folds lanes in pairs of neighbours.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_lanes<T: Element, O: Op<T>, const W: usize, const LANES: usize>(
    mut accs: [[O::Acc; W]; LANES],
) -> [O::Acc; W] {
    if is_heavy::<T, O>() {
        // The first two lanes are folded and their total queues up behind the others: level by level, in pairs of neighbours.
        let mut left = LANES as u32;
        while left > 1 {
            let pair = both::<T, O, W>(accs[0], accs[if LANES > 1 { 1 } else { 0 }]);
            left = unknown(left - 1);
            accs = core::array::from_fn(|i| accs[(i + 2).min(LANES - 1)]);
            // The place behind those that are left.
            unrolled!(i < LANES => { if i as u32 + 1 == left { accs[i] = pair } });
        }
        return accs[0];
    }
    if O::IS_MARKED {
        let mut totals = [O::IDENTITY; W];
        unrolled!(w < W => { totals[w] = fold_pairs::<T, O, LANES>(accs.map(|lane| lane[w])) });
        return totals;
    }
    core::array::from_fn(|w| fold_pairs::<T, O, LANES>(accs.map(|lane| lane[w])))
}

/// Folds the elements of row `at` into the columns' accumulators.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn append<T: Element, O: Op<T>, const W: usize>(op: O, accs: &mut [O::Acc; W], elements: [T; W], at: u64) {
    unrolled!(w < W => { accs[w] = op.append(accs[w], elements[w], at) });
}

/// Returns whether the code that combines two accumulators is so long that it should stand once, with the accumulators moving
/// to it.
const fn is_heavy<T: Element, O: Op<T>>() -> bool {
    size_of::<O::Acc>() > 8
}
