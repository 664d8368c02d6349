//! Tiles of rows and of long segments, by a warp each. The lanes of the tree form the columns of a tile. A warp folds the first
//! half of the columns, then the other half, so that a thread keeps the accumulators of few columns and can load much at once.
//!
//! The tile is read by the whole vectors that it [lies across](crate::rows::across). A line of such vectors begins at a multiple
//! of 16 bytes and holds the tree's lanes `shift` places later, cyclically, since before a line's first whole vector are the last
//! elements of the line before. So lane `j` of the tree is column `j + shift`, and no element is loaded twice. The lanes of each
//! piece are folded when the first columns of the next one are known, and the pieces at the tile's end.

use cuda_std::global::{GlobalCells, GlobalSlice, Vector};
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::Rows;
use super::across::{Tile, fold_piece_singly};
use super::combine::Layout;
use super::parts::{Parts, RowParts};
use super::waves::PIECES;
use crate::op::{Element, Op, is_free};
use crate::tree::{RUN, THREADS, lanes};
use crate::warp::{self, Unrolling};

/// Folds rows of `tiles` tiles, at most 32, each to its place in `out`.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: `out`, when the launch has ended. Scratch: none.
/// Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce<T: Element, O: Op<T>, const V: usize>(
    op: O,
    rows: Rows<T>,
    tiles: u32,
    out: GlobalCells<O::Acc>,
) {
    let write = |row, total| out.write(row, total);
    reduce_parts::<T, O, _, V>(op, RowParts::new(rows, 0), tiles, rows.elements, write);
    let_next_launch_start();
}

/// Folds parts of `tiles` tiles each, at most 32, dealt to the launch's warps round-robin, and passes each part's number and
/// accumulator to `write`. Part 0 is dealt first, then the others from the last one down: where the input does not begin or end
/// with a vector, a tile of these two takes longest. Where `tiles` is known to be 1, nothing is left of the loop over a part's
/// tiles.
///
/// Called by: every thread of every block; blocks are whole warps. `write` is called by any lane. Scratch: none. Order: the
/// tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn reduce_parts<T: Element, O: Op<T>, P: Parts, const V: usize>(
    op: O,
    parts: P,
    tiles: u32,
    elements: GlobalSlice<T>,
    write: impl Fn(u64, O::Acc),
) {
    let warps = u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
    // Lanes of a part.
    let lanes = tiles.next_power_of_two();
    let (log2_lanes, mask) = (lanes.ilog2(), lanes - 1);
    let any = elements.read(0);
    // Numbers go from the count, which stands for part 0, down to 1.
    let count = parts.count();
    let is_part = |number: u64| number.wrapping_sub(1) < count;
    let item = |number| if number == count { 0 } else { number };
    let mut next = count.wrapping_sub(index_1d() / u64::from(WARP_SIZE));
    while is_part(next) {
        // Each lane looks up one tile of the warp's next parts for all lanes, and keeps its total.
        let own = next.wrapping_sub(warps * u64::from(lane_id() >> log2_lanes));
        let (mut row, mut first, mut len, mut total) = (0, 0, 0, O::IDENTITY);
        if is_part(own) {
            let part = parts.part(item(own));
            row = part.row;
            first = part.start + (u64::from(lane_id() & mask) << part.log2_tile);
            len = part.end.saturating_sub(first).min(1 << part.log2_tile) as u32;
        }
        let mut turn = 0;
        while turn < WARP_SIZE && is_part(next) {
            let (row, first, len) =
                (warp::of_lane(row, turn), warp::of_lane(first, turn), warp::of_lane(len, turn));
            let of_tile = fold::<T, O, V>(op, (elements, any), (row, first, len));
            let of_tile = warp::of_lane(of_tile, 0);
            if lane_id() == turn {
                total = of_tile;
            }
            turn = unknown(turn + 1);
            if turn & mask == tiles & mask {
                turn += lanes - tiles;
                next = next.wrapping_sub(warps);
            }
        }
        let total = warp::fold_neighbours::<T, O>(total, log2_lanes);
        if is_part(own) && lane_id() & mask == 0 {
            write(item(own), total);
        }
    }
}

/// Folds a tile: the `len` elements from `first` on in a row that begins at `row`.
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold<T: Element, O: Op<T>, const V: usize>(
    op: O,
    (elements, any): (GlobalSlice<T>, T),
    (row, first, len): (u64, u64, u32),
) -> O::Acc {
    match elements.across::<V>(row + first, len) {
        Some(elements) if is_free::<T, O>() => {
            warp::fold::<T, O>(fold_free::<T, O, V>(op, Tile { elements, first, any }), Unrolling::Fast)
        }
        Some(elements) => fold_columns::<T, O, V>(op, Tile { elements, first, any }),
        None => {
            let mut values = [O::IDENTITY; PIECES];
            let mut piece = 0;
            while piece < PIECES as u32 {
                // The values move up, since registers cannot be indexed.
                let value = fold_piece_singly::<T, O, V>(op, elements, (row, first, len), piece);
                values = core::array::from_fn(|i| if i + 1 < PIECES { values[i + 1] } else { value });
                piece = unknown(piece + 1);
            }
            Layout::new(THREADS as u64).combine::<T, O, PIECES>(&mut values);
            values[0]
        }
    }
}

/// Folds this thread's share of a tile, for a free operator.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_free<T: Element, O: Op<T>, const V: usize>(op: O, tile: Tile<T, V>) -> O::Acc {
    let step = const { WARP_SIZE * V as u32 };
    let mut acc = O::IDENTITY;
    let mut first = 0;
    while first < tile.elements.end() {
        let own = first + lane_id() * V as u32;
        if tile.is_whole(first, step) {
            let loaded = tile.elements.from(own).read_column::<RUN>(step);
            acc = op.append_rows(acc, loaded.map(Vector::elements), tile.index(own), u64::from(step));
        } else {
            tile.each_load(own, step, |elements, place| {
                let at = tile.index(place);
                unrolled!(v < V => {
                    if tile.has(place + v as u32) {
                        acc = op.append(acc, elements[v], at.wrapping_add(v as u64));
                    }
                });
            });
        }
        first += step * RUN as u32;
    }
    acc
}

/// Pieces of a tile that a warp folds at once: half a row.
const HALF: usize = PIECES / 2;

/// Rows of half a tile that are loaded at once. 4 rows are faster than 2, and than half a row (docs/tuning/gpu.md).
const ROWS: usize = 4;

/// Folds a tile by columns, each from top to bottom: first the columns of half a row, then the others.
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_columns<T: Element, O: Op<T>, const V: usize>(op: O, tile: Tile<T, V>) -> O::Acc {
    let (row, piece) = const { (lanes::<T>() as u32, WARP_SIZE * V as u32) };
    let (end, any) = (tile.elements.end(), tile.elements.filled(tile.any));
    // The last piece of the half before, then the pieces of this half.
    let mut columns = [[O::IDENTITY; V]; HALF + 1];
    let (mut head, mut values) = ([O::IDENTITY; V], [O::IDENTITY; PIECES]);
    let mut half = 0;
    while half < 2 {
        columns = core::array::from_fn(|i| if i == 0 { columns[HALF] } else { [O::IDENTITY; V] });
        let mut first = half * piece * HALF as u32;
        while first < end {
            let own = first + lane_id() * V as u32;
            let (from, behind) = (tile.elements.from(own), first + row * ROWS as u32);
            // A last row may be less than a vector; then only the first lane has elements of it. It is loaded with the
            // rows before.
            let has_tail = behind < end && end - behind < V as u32;
            let mut tail = any;
            if has_tail {
                tail = from.read_or(row * ROWS as u32, any);
            }
            let append = |column: &mut [O::Acc; V], elements: [T; V], place: u32| {
                let at = tile.index(place);
                unrolled!(v < V => {
                    if tile.has(place + v as u32) {
                        column[v] = op.append(column[v], elements[v], at.wrapping_add(v as u64));
                    }
                });
            };
            if behind - row + piece * HALF as u32 <= end {
                let loaded: [[_; HALF]; ROWS] =
                    core::array::from_fn(|r| tile.elements.from(own + row * r as u32).read_column(piece));
                unrolled!(r < ROWS, up to 8 => { unrolled!(i < HALF, up to 8 => {
                    let (elements, place) = (loaded[r][i].elements(), own + row * r as u32 + piece * i as u32);
                    if r == 0 && i == 0 {
                        append(&mut columns[1], elements, place);
                    } else {
                        let at = tile.index(place);
                        unrolled!(v < V => {
                            columns[i + 1][v] = op.append(columns[i + 1][v], elements[v], at.wrapping_add(v as u64));
                        });
                    }
                }) });
            } else {
                let loaded: [[_; HALF]; ROWS] = core::array::from_fn(|r| {
                    core::array::from_fn(|i| from.read_or(row * r as u32 + piece * i as u32, any))
                });
                unrolled!(r < ROWS, up to 8 => { unrolled!(i < HALF, up to 8 => {
                    let by = row * r as u32 + piece * i as u32;
                    // The condition is the same for all lanes: a row that is cut short has few pieces.
                    if first + by < end {
                        append(&mut columns[i + 1], loaded[r][i].elements(), own + by);
                    }
                }) });
            }
            if has_tail {
                append(&mut columns[1], tail.elements(), own + row * ROWS as u32);
            }
            first = if has_tail { end } else { behind };
        }
        if half == 0 {
            head = columns[1];
        }
        let folded = fold_lanes::<T, O, V, { HALF + 1 }>(columns, tile.elements.shift());
        values = core::array::from_fn(|i| if i < HALF { values[i + HALF] } else { folded[i - HALF] });
        half = unknown(half + 1);
    }
    let last = fold_lanes::<T, O, V, 2>([columns[HALF], head], tile.elements.shift());
    let mut values = core::array::from_fn(|i| if i + 1 < PIECES { values[i + 1] } else { last[0] });
    Layout::new(THREADS as u64).combine::<T, O, PIECES>(&mut values);
    values[0]
}

/// Folds the tree's lanes in pairs of neighbours until a thread has one value for each of `N` neighbouring pieces. Lane `j` is
/// column `j + shift`. Bit `i` of the shift tells whether pairs of level `i` begin at an even or an odd column. The last piece's
/// value lacks the columns of the piece behind it, unless the shift is 0.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn fold_lanes<T: Element, O: Op<T>, const V: usize, const N: usize>(
    mut columns: [[O::Acc; V]; N],
    shift: u32,
) -> [O::Acc; N] {
    unrolled!(level < { V.ilog2() as usize }, up to 4 => {
        if shift >> level & 1 == 1 {
            // The column after the last lane's is the first lane's, in the next piece.
            let is_first = lane_id() == 0;
            let given: [O::Acc; N] =
                core::array::from_fn(|i| if is_first { columns[(i + 1).min(N - 1)][0] } else { columns[i][0] });
            unrolled!(i < N, up to 8 => {
                let next = if i + 1 < N { warp::of_lane(given[i], (lane_id() + 1) % WARP_SIZE) } else { columns[i][0] };
                columns[i] = core::array::from_fn(|v| if v + 1 < V >> level { columns[i][(v + 1) % V] } else { next });
            });
        }
        unrolled!(i < N, up to 8 => {
            columns[i] = core::array::from_fn(|v| {
                if v < V >> (level + 1) { O::combine(columns[i][2 * v % V], columns[i][(2 * v + 1) % V]) } else { O::IDENTITY }
            });
        });
    });
    core::array::from_fn(|i| columns[i][0])
}
