//! Tiles of long segments, one warp each: row after row, so that the warp's loads are coalesced.
//!
//! A thread keeps the accumulators of its lanes in all eight pieces of a tile, and the pieces are folded together once, at the
//! tile's end. The rows are read by the whole vectors that they [lie across](crate::rows::across). A row of such vectors begins
//! at a multiple of 16 bytes and holds the tree's lanes `shift` places later, cyclically, since before a row's first whole
//! vector are the last elements of the row before. So lane `j` of the tree is column `j + shift`, and no element is loaded
//! twice.

use cuda_std::global::{GlobalSlice, Vector};
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};

use crate::op::{Element, Op, is_free};
use crate::rows::across::{Tile, fold_piece_singly};
use crate::rows::combine::Layout;
use crate::rows::parts::Parts;
use crate::tree::{RUN, THREADS, lanes};
use crate::unroll::unrolled;
use crate::warp::{self, Unrolling};

/// Pieces of a row: one vector per lane of the warp each.
const PIECES: usize = THREADS / WARP_SIZE as usize;

/// Pieces that are loaded at once.
///
/// [One H200, f32 Sum, 2^28 elements, segments of up to 8192 and up to 1024, by blocks of 256 threads on a multiprocessor:
/// 2 (3 blocks) 337, 522 us; 4 (3) 291, 457 us; 8 (2) 277, 538 us. With the two rows behind on their way to the second-level
/// cache (`prefetch.global.L2`) 4 (3) 417, 462 us. A block of eight warps a tile 369, 1214 us.]
const AT_ONCE: usize = 4;

/// Folds parts of one tile each, dealt to the launch's warps round-robin, and passes each part's number and accumulator to
/// `write`.
///
/// Called by: every thread of every block; blocks are whole warps. `write` is called by any lane. Scratch: none. Order: the
/// tree's.
#[inline(always)]
pub(crate) fn reduce<T: Element, O: Op<T>, P: Parts, const V: usize>(
    op: O,
    tiles: P,
    elements: GlobalSlice<T>,
    write: impl Fn(u64, O::Acc),
) {
    let warps = u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
    let mut next = index_1d() / u64::from(WARP_SIZE);
    while next < tiles.count() {
        // Each lane looks up one of the warp's next tiles for all lanes, and writes its total.
        let own = next + warps * u64::from(lane_id());
        let (mut row, mut first, mut len, mut total) = (0, 0, 0, O::IDENTITY);
        if own < tiles.count() {
            let part = tiles.part(own);
            (row, first, len) = (part.row, part.start, part.end.saturating_sub(part.start) as u32);
        }
        let mut turn = 0;
        while turn < WARP_SIZE && next < tiles.count() {
            let (row, first, len) =
                (warp::of_lane(row, turn), warp::of_lane(first, turn), warp::of_lane(len, turn));
            let of_tile = fold::<T, O, V>(op, elements, (row, first, len));
            let of_tile = warp::of_lane(of_tile, 0);
            if lane_id() == turn {
                total = of_tile;
            }
            next += warps;
            turn = unknown(turn + 1);
        }
        if own < tiles.count() {
            write(own, total);
        }
    }
}

/// Folds a tile: the `len` elements from `first` on in a row that begins at `row`.
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: the tree's.
#[inline(always)]
fn fold<T: Element, O: Op<T>, const V: usize>(
    op: O,
    elements: GlobalSlice<T>,
    (row, first, len): (u64, u64, u32),
) -> O::Acc {
    match elements.across::<V>(row + first, len) {
        Some(elements) if is_free::<T, O>() => {
            warp::fold::<T, O>(fold_free::<T, O, V>(op, Tile { elements, first }), Unrolling::Fast)
        }
        Some(elements) => fold_columns::<T, O, V>(op, Tile { elements, first }),
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
#[inline(always)]
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

/// Folds a tile by columns, each top to bottom.
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: the tree's.
#[inline(always)]
fn fold_columns<T: Element, O: Op<T>, const V: usize>(op: O, tile: Tile<T, V>) -> O::Acc {
    let (row, piece) = const { (lanes::<T>() as u32, WARP_SIZE * V as u32) };
    let mut columns = [[O::IDENTITY; V]; PIECES];
    let mut first = 0;
    while first < tile.elements.end() {
        let own = first + lane_id() * V as u32;
        let is_whole = first >= tile.elements.shift() && first + row <= tile.elements.end();
        unrolled!(turn < { PIECES / AT_ONCE }, up to 2 => {
            let (first, own) = (first + piece * (turn * AT_ONCE) as u32, own + piece * (turn * AT_ONCE) as u32);
            let from = tile.elements.from(own);
            if is_whole {
                let loaded = from.read_column::<AT_ONCE>(piece);
                unrolled!(i < AT_ONCE, up to 4 => {
                    let (elements, at) = (loaded[i].elements(), tile.index(own + piece * i as u32));
                    let columns = &mut columns[turn * AT_ONCE + i];
                    unrolled!(v < V => {
                        columns[v] = op.append(columns[v], elements[v], at.wrapping_add(v as u64));
                    });
                });
            } else {
                let mut loaded = [tile.elements.first(); AT_ONCE];
                unrolled!(i < AT_ONCE, up to 4 => { loaded[i] = from.read_or(piece * i as u32, loaded[i]) });
                unrolled!(i < AT_ONCE, up to 4 => {
                    let (elements, place) = (loaded[i].elements(), own + piece * i as u32);
                    let columns = &mut columns[turn * AT_ONCE + i];
                    // The condition is the same for all lanes: a row that is cut short has few pieces.
                    if first + piece * (i as u32) < tile.elements.end() {
                        unrolled!(v < V => {
                            if tile.has(place + v as u32) {
                                let at = tile.index(place).wrapping_add(v as u64);
                                columns[v] = op.append(columns[v], elements[v], at);
                            }
                        });
                    }
                });
            }
        });
        first += row;
    }
    let mut values = fold_lanes::<T, O, V>(columns, tile.elements.shift());
    Layout::new(THREADS as u64).combine::<T, O, PIECES>(&mut values);
    values[0]
}

/// Folds the tree's lanes in pairs of neighbours until a thread has one value per piece. Lane `j` is column `j + shift`,
/// cyclically. Bit `i` of the shift tells whether pairs of level `i` begin at an even or an odd column.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: none. Order: the tree's.
#[inline(always)]
fn fold_lanes<T: Element, O: Op<T>, const V: usize>(
    mut columns: [[O::Acc; V]; PIECES],
    shift: u32,
) -> [O::Acc; PIECES] {
    unrolled!(level < { V.ilog2() as usize }, up to 4 => {
        if shift >> level & 1 == 1 {
            // The column after the last lane's is the first lane's, in the next piece.
            let is_first = lane_id() == 0;
            let given: [O::Acc; PIECES] =
                core::array::from_fn(|i| if is_first { columns[(i + 1) % PIECES][0] } else { columns[i][0] });
            unrolled!(i < PIECES, up to 8 => {
                let next = warp::of_lane(given[i], (lane_id() + 1) % WARP_SIZE);
                columns[i] = core::array::from_fn(|v| if v + 1 < V >> level { columns[i][(v + 1) % V] } else { next });
            });
        }
        unrolled!(i < PIECES, up to 8 => {
            columns[i] = core::array::from_fn(|v| {
                if v < V >> (level + 1) { O::combine(columns[i][2 * v % V], columns[i][(2 * v + 1) % V]) } else { O::IDENTITY }
            });
        });
    });
    core::array::from_fn(|i| columns[i][0])
}
