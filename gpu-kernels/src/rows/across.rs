//! Tiles of a row by the vectors that they lie across, wherever they begin: every load is a whole vector.
//!
//! A tile that begins `s` elements behind a multiple of 16 bytes is loaded from that multiple on. What a thread then has are
//! the tree's lanes `s` before its own, each of which it folds row after row as ever. When its piece is done the lanes are
//! [moved](Moved) into place. Where order is free nothing is moved.

use cuda_std::global::{Across, GlobalSlice, Vector};
use cuda_std::thread::unknown;
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::moved::moved;
use crate::op::{Element, Op, is_free};
use crate::thread::fold_pairs;
use crate::tree::{RUN, lanes};
use crate::unroll::unrolled;

/// A tile's elements, and where the first of them stands in its row.
#[derive(Clone, Copy)]
pub(crate) struct Tile<T, const V: usize> {
    pub(crate) elements: Across<T, V>,
    pub(crate) first: u64,
}

impl<T: Element, const V: usize> Tile<T, V> {
    /// The index in the row of what stands at a place.
    #[inline(always)]
    fn index(self, place: u32) -> u64 {
        self.first.wrapping_sub(u64::from(self.elements.shift())).wrapping_add(u64::from(place))
    }

    /// Whether an element stands at a place.
    #[inline(always)]
    fn has(self, place: u32) -> bool {
        place >= self.elements.shift() && place < self.elements.end()
    }

    /// How many of the [`RUN`] rows of `row` places, of which a warp loads some from `first` on, have all of its elements, and of
    /// those up to the next piece's last that it takes too.
    #[inline(always)]
    fn whole_rows(self, first: u32, row: u32) -> u32 {
        let mut rows = 0;
        unrolled!(i < RUN => {
            let behind = first + row * i as u32 + WARP_SIZE * V as u32 + self.elements.shift();
            rows += u32::from(behind <= self.elements.end());
        });
        rows
    }
}

/// Folds piece `piece` of a tile: 32 times `V` lanes, each row after row, then in pairs of neighbours. If order is free they
/// are other lanes, of which each is in one piece.
///
/// Called by: every lane of the warp. Valid in: every lane, what it folded: they are to be folded in lane order. Scratch: none.
/// Order: the tree's.
#[inline(always)]
pub(crate) fn fold_piece<T: Element, O: Op<T>, const V: usize>(
    op: O,
    tile: Tile<T, V>,
    piece: u32,
) -> O::Acc {
    let row = const { lanes::<T>() as u32 };
    let (mut accs, mut free) = ([O::IDENTITY; V], O::IDENTITY);
    // Of the next piece's lanes, the first ones are this one's last.
    let (shift, mut edge) = (tile.elements.shift(), O::IDENTITY);
    let mut first = piece * WARP_SIZE * V as u32;
    while first + if is_free::<T, O>() { 0 } else { shift } < tile.elements.end() {
        let own = first + lane_id() * V as u32;
        let whole = tile.whole_rows(first, row);
        // Of the first lanes of all, those before the first element are never asked for, unless order is free.
        let starts_whole = !is_free::<T, O>() || first >= shift;
        let mut append = |elements: [T; V], place: u32, is_cut: bool| {
            let at = tile.index(place);
            unrolled!(v < V => {
                let acc = if is_free::<T, O>() { &mut free } else { &mut accs[v] };
                if !is_cut || tile.has(place + v as u32) {
                    *acc = op.append(*acc, elements[v], at.wrapping_add(v as u64));
                }
            });
        };
        let from = tile.elements.from(own);
        if whole == RUN as u32 && starts_whole {
            let loaded = from.read_column::<RUN>(row);
            if is_free::<T, O>() {
                free = op.append_rows(free, loaded.map(Vector::elements), tile.index(own), u64::from(row));
            } else {
                unrolled!(i < RUN => { append(loaded[i].elements(), own + row * i as u32, false) });
            }
        } else {
            let mut loaded = [None; RUN];
            unrolled!(i < RUN => { loaded[i] = from.read(row * i as u32) });
            let mut cut = loaded[0];
            // To take many elements apart in several places would cost registers.
            if starts_whole && (V <= 4 || !is_free::<T, O>()) {
                unrolled!(i < RUN => {
                    if (i as u32) < whole && let Some(vector) = loaded[i] {
                        append(vector.elements(), own + row * i as u32, false);
                    }
                    if i as u32 == whole {
                        cut = loaded[i];
                    }
                });
                if let Some(vector) = cut
                    && whole < RUN as u32
                {
                    append(vector.elements(), own + row * whole, true);
                }
            } else {
                let mut i = 0;
                while i < RUN as u32 {
                    if let Some(vector) = loaded[0] {
                        append(vector.elements(), own + row * i, true);
                    }
                    // They move up instead of being found by a number: registers have none.
                    loaded = core::array::from_fn(|i| loaded[(i + 1).min(RUN - 1)]);
                    i = unknown(i + 1);
                }
            }
        }
        if !is_free::<T, O>() && shift != 0 {
            let own = first + WARP_SIZE * V as u32 + lane_id();
            unrolled!(i < RUN => {
                let place = own + row * i as u32;
                if lane_id() < shift && place < tile.elements.end() {
                    edge = op.append(edge, tile.elements.read(place), tile.index(place));
                }
            });
        }
        first += row * RUN as u32;
    }
    if is_free::<T, O>() { free } else { fold_pairs::<T, O, V>(moved::<T, O, V>(accs, edge, shift)) }
}

/// As [`fold_piece`], of the `len` elements from `first` on in a row that begins at `row`, one by one: at the ends of the
/// input, where vectors would go beyond it.
#[inline(always)]
pub(crate) fn fold_piece_singly<T: Element, O: Op<T>, const V: usize>(
    op: O,
    elements: GlobalSlice<T>,
    (row, first, len): (u64, u64, u32),
    piece: u32,
) -> O::Acc {
    let mut accs = [O::IDENTITY; V];
    let mut free = O::IDENTITY;
    let mut own = (piece * WARP_SIZE + lane_id()) * V as u32;
    while own < len {
        unrolled!(v < V => {
            let at = first + u64::from(own + v as u32);
            if own + (v as u32) < len {
                let acc = if is_free::<T, O>() { &mut free } else { &mut accs[v] };
                *acc = op.append(*acc, elements.read(row + at), at);
            }
        });
        own = unknown(own + lanes::<T>() as u32);
    }
    if is_free::<T, O>() { free } else { fold_pairs::<T, O, V>(accs) }
}
