//! Rows of any length: a warp folds one, or one of its parts, without shared memory or a barrier.
//!
//! The 256 lanes times `V` of a tile are eight pieces of 32 threads times `V`. The warp does in eight turns what eight warps
//! of a block do at once: in each, a thread folds its `V` lanes over the tile's rows, and then those in pairs. The pieces'
//! values meet as the warps' totals do. Of an operator that does not commute the eight turns are of a band.

use cuda_std::global::GlobalCells;
use cuda_std::grid::let_next_launch_start;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::Rows;
use super::loads::Loads;
use super::meet::Layout;
use super::parts::{Part, Parts, RowParts};
use super::totals::Totals;
use super::waves::{PIECES, Wave, stride, unit_len};
use crate::grid::loads_ahead;
use crate::op::{Element, Op, is_free};
use crate::source::Packed;
use crate::thread::fold_pairs;
use crate::tree::{RUN, THREADS, lanes};
use crate::unroll::unrolled;
use crate::warp::{self, Shape};

/// Folds each of `2^log2_parts` parts of each row to a place of its own in `out`, as [`blocks`](super::blocks) does.
///
/// Called by: every thread of every block; blocks are whole warps. Valid in: `out`, when the launch has ended. Scratch: none.
/// Order: the tree's.
#[inline(always)]
pub(crate) fn reduce<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    rows: Rows<T>,
    log2_parts: u32,
    elements: R,
    out: GlobalCells<O::Acc>,
) {
    reduce_parts::<T, O, R, _, V>(op, RowParts::new(rows, log2_parts), elements, |item, total| {
        out.write(item, total);
    });
    let_next_launch_start();
}

/// Folds parts, which are dealt to the launch's warps in turn, and gives `write` each one's number and accumulator.
///
/// Called by: every thread of every block; blocks are whole warps. `write` is called by lane 0. Scratch: none. Order: the
/// tree's.
#[inline(always)]
pub(crate) fn reduce_parts<T: Element, O: Op<T>, R: Loads<T, V>, P: Parts, const V: usize>(
    op: O,
    parts: P,
    elements: R,
    write: impl Fn(u64, O::Acc),
) {
    let warps = u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
    let mut item = index_1d() / u64::from(WARP_SIZE);
    // Every lane of a warp has the same `item`, and so takes as many turns.
    while item < parts.count() {
        let part = parts.part(item);
        let total = if part.is_empty() {
            O::IDENTITY
        } else if is_one_row::<T, O>(part) {
            fold_one_row::<T, O, R, V>(op, part, elements)
        } else {
            fold_part::<T, O, R, V>(op, part, elements)
        };
        if lane_id() == 0 {
            write(item, total);
        }
        item += warps;
    }
}

/// Whether a part is all in the first row of a tile's lanes, which each have one element at most.
#[inline(always)]
fn is_one_row<T: Element, O: Op<T>>(part: Part) -> bool {
    O::COMMUTATIVE && size_of::<O::Acc>() <= 8 && part.end - part.start <= lanes::<T>() as u64
}

/// Folds such a part: all of its pieces are loaded at once.
///
/// [One H200, f32 Sum, 2^18 rows of 1024: piece after piece, one ahead, 547 us.]
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: the tree's.
#[inline(always)]
fn fold_one_row<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    part: Part,
    elements: R,
) -> O::Acc {
    let wave = Wave::first_of::<T, O>(part, part.start);
    let (own, row) = (wave.own::<T, O>(), part.row + part.start);
    let mut loaded = [elements.load(row + u64::from(own)); PIECES];
    unrolled!(piece < PIECES => {
        let first = own + (piece * WARP_SIZE as usize * V) as u32;
        if piece > 0 && first < wave.len {
            loaded[piece] = elements.load(row + u64::from(first));
        }
    });
    let mut values = [O::IDENTITY; PIECES];
    unrolled!(piece < PIECES => {
        let first = own + (piece * WARP_SIZE as usize * V) as u32;
        if first < wave.len {
            let elements = elements.elements(loaded[piece], row + u64::from(first)).elements();
            let mut accs = [O::IDENTITY; V];
            unrolled!(v < V => {
                let at = first + v as u32;
                if R::ARE_WHOLE || at < wave.len {
                    accs[v] = op.append(accs[v], elements[v], part.start + u64::from(at));
                }
            });
            values[piece] = fold_pairs::<T, O, V>(accs);
        }
    });
    Layout::new(THREADS as u64).meet::<T, O, PIECES>(&mut values);
    values[0]
}

/// Folds one part that has elements, tile after tile.
///
/// Called by: every lane of the warp. Valid in: lane 0. Scratch: none. Order: the tree's.
#[inline(always)]
fn fold_part<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(op: O, part: Part, elements: R) -> O::Acc {
    let load = |wave: Wave| {
        let own = part.row + wave.unit + u64::from(wave.own::<T, O>());
        let any = elements.load(own);
        let mut loaded: [R::Loaded; RUN] = [any, any, any, any];
        unrolled!(i < RUN => {
            // The same for all lanes, so that half a tile costs half.
            if i > 0 && wave.has_load::<T, O>(i as u32) {
                loaded[i] = elements.load(own + u64::from(stride::<T, O>()) * i as u64);
            }
        });
        loaded
    };
    let mut free = O::IDENTITY;
    let mut tiles = Tiles::<T, O>::new();
    let mut unit = part.start;
    while unit < part.end {
        let mut wave = Wave::first_of::<T, O>(part, unit);
        let mut pieces = Pieces::<T, O>::new();
        let mut accs = [O::IDENTITY; V];
        // The next wave is on its way while one is folded, but not from unit to unit: where the pieces meet, what is loaded
        // ahead would take the registers that they need.
        let mut loaded = load(wave);
        loop {
            let next = wave.next::<T, O>();
            let ahead = match next {
                Some(next) if loads_ahead::<T, O>() => load(next),
                _ => loaded,
            };
            let begin = part.row + unit + u64::from(wave.own::<T, O>());
            let settled = settle::<T, O, R, V>(elements, loaded, begin);
            if is_free::<T, O>() {
                free = append_free::<T, O, R, V>(op, free, settled, wave);
            } else {
                append::<T, O, R, V>(op, &mut accs, settled, wave);
                if next.is_none_or(|next| next.piece != wave.piece) {
                    pieces.push(fold_pairs::<T, O, V>(accs));
                    accs = [O::IDENTITY; V];
                }
            }
            let Some(next) = next else {
                break;
            };
            wave = next;
            loaded = if loads_ahead::<T, O>() { ahead } else { load(wave) };
        }
        unit += u64::from(unit_len::<T, O>(part));
        if !is_free::<T, O>() {
            let is_last = unit >= part.end || unit & ((1 << part.log2_tile) - 1) == 0;
            tiles.push(pieces.total(wave.piece), is_last);
        }
    }
    if is_free::<T, O>() { warp::fold::<T, O>(free, Shape::Fast) } else { tiles.totals.total() }
}

/// What was loaded, in registers as it is taken apart.
#[inline(always)]
fn settle<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    elements: R,
    loaded: [R::Loaded; RUN],
    begin: u64,
) -> [R::Elements; RUN] {
    let one = |i: usize| elements.elements(loaded[i], begin + u64::from(stride::<T, O>()) * i as u64);
    // One by one: a loop over them would keep some in memory.
    [one(0), one(1), one(2), one(3)]
}

/// The pieces of a unit so far.
struct Pieces<T: Element, O: Op<T>> {
    values: [O::Acc; PIECES],
    totals: Totals<T, O>,
}

impl<T: Element, O: Op<T>> Pieces<T, O> {
    /// Whether a lane's registers hold the values of all pieces until they meet. Larger accumulators meet piece after piece.
    const ARE_HELD: bool = size_of::<O::Acc>() <= 16;

    #[inline(always)]
    fn new() -> Self {
        Self { values: [O::IDENTITY; PIECES], totals: Totals::new() }
    }

    /// The next piece's value of this thread.
    ///
    /// Called by: every lane of the warp.
    #[inline(always)]
    fn push(&mut self, value: O::Acc) {
        if Self::ARE_HELD {
            // They move up instead of being found by a number: registers have none.
            self.values = core::array::from_fn(|i| if i + 1 < PIECES { self.values[i + 1] } else { value });
        } else {
            self.totals.push(warp::of_lane(warp::fold::<T, O>(value, Shape::Short), 0));
        }
    }

    /// The total of a unit that ended with piece `last`.
    ///
    /// Called by: every lane of the warp. Valid in: every lane.
    #[inline(always)]
    fn total(mut self, mut last: u32) -> O::Acc {
        if !Self::ARE_HELD {
            return self.totals.total();
        }
        while last + 1 < PIECES as u32 {
            self.push(O::IDENTITY);
            last = unknown(last + 1);
        }
        Layout::new(THREADS as u64).meet::<T, O, PIECES>(&mut self.values);
        self.values[0]
    }
}

/// The tiles of a part so far.
struct Tiles<T: Element, O: Op<T>> {
    /// The bands of the tile under way, if the operator does not commute.
    bands: O::Acc,
    totals: Totals<T, O>,
}

impl<T: Element, O: Op<T>> Tiles<T, O> {
    #[inline(always)]
    fn new() -> Self {
        Self { bands: O::IDENTITY, totals: Totals::new() }
    }

    /// The total of the next unit, with which the tile ends if it `is_last`.
    ///
    /// Called by: every lane of the warp, with the same total.
    #[inline(always)]
    fn push(&mut self, total: O::Acc, is_last: bool) {
        if O::COMMUTATIVE {
            return self.totals.push(total);
        }
        self.bands = O::combine(self.bands, total);
        if is_last {
            self.totals.push(self.bands);
            self.bands = O::IDENTITY;
        }
    }
}

/// Folds a wave to this thread's lanes, each left to right.
#[inline(always)]
fn append<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    accs: &mut [O::Acc; V],
    mut loaded: [R::Elements; RUN],
    wave: Wave,
) {
    let mut own = wave.own::<T, O>();
    // The code that folds large accumulators is long: one place for all of it.
    if !O::COMMUTATIVE || size_of::<O::Acc>() <= 8 {
        unrolled!(i < RUN => {
            let first = own + stride::<T, O>() * i as u32;
            if first < wave.len {
                let elements = loaded[i].elements();
                unrolled!(v < V => {
                    let (lane, at) = (if O::COMMUTATIVE { v } else { (V * i + v) / RUN }, first + v as u32);
                    if R::ARE_WHOLE || at < wave.len {
                        accs[lane] = op.append(accs[lane], elements[v], wave.unit + u64::from(at));
                    }
                });
            }
        });
        return;
    }
    let mut i = 0;
    while i < RUN as u32 && own < wave.len {
        let elements = loaded[0].elements();
        unrolled!(v < V => {
            let at = own + v as u32;
            if R::ARE_WHOLE || at < wave.len {
                accs[v] = op.append(accs[v], elements[v], wave.unit + u64::from(at));
            }
        });
        // They move up too.
        loaded = core::array::from_fn(|i| loaded[(i + 1).min(RUN - 1)]);
        own += stride::<T, O>();
        i = unknown(i + 1);
    }
}

/// Folds a wave to one accumulator for all, for a [free](is_free) operator.
#[inline(always)]
fn append_free<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    mut acc: O::Acc,
    mut loaded: [R::Elements; RUN],
    wave: Wave,
) -> O::Acc {
    let mut own = wave.own::<T, O>();
    if wave.is_whole::<T, O>() {
        let first = wave.unit + u64::from(own);
        return op.append_rows(acc, loaded.map(Packed::elements), first, u64::from(stride::<T, O>()));
    }
    let mut i = 0;
    while i < RUN as u32 && own < wave.len {
        let (elements, first) = (loaded[0].elements(), wave.unit + u64::from(own));
        if R::ARE_WHOLE || own + V as u32 <= wave.len {
            acc = op.append_rows(acc, [elements], first, 0);
        } else {
            unrolled!(v < V => {
                if own + (v as u32) < wave.len {
                    acc = op.append(acc, elements[v], first + v as u64);
                }
            });
        }
        loaded = core::array::from_fn(|i| loaded[(i + 1).min(RUN - 1)]);
        own += stride::<T, O>();
        i = unknown(i + 1);
    }
    acc
}
