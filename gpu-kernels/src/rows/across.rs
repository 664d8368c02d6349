//! Tiles of a row at any address, by the vectors that they lie across: every load is a whole vector.
//!
//! A tile that begins `s` elements after a multiple of 16 bytes is loaded from that multiple on. A thread then has the tree's
//! lanes `s` before its own, and folds each row after row as usual. When its piece is done the lanes are [`moved`] into place.
//! For a free operator nothing is moved.

use cuda_std::global::{Across, GlobalSlice, Vector};
use cuda_std::thread::unknown;
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::moved::moved;
use crate::op::{Element, Op, is_free};
use crate::thread::fold_pairs;
use crate::tree::{RUN, lanes};

/// A tile's elements.
#[derive(Clone, Copy)]
pub(crate) struct Tile<T, const V: usize> {
    pub(crate) elements: Across<T, V>,
    /// The index of the first in its row.
    pub(crate) first: u64,
    /// Any element. It was loaded before, so that nothing waits for what stands where the tile has none.
    pub(crate) any: T,
}

impl<T: Element, const V: usize> Tile<T, V> {
    /// Returns the index in the row of the element at a place.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn index(self, place: u32) -> u64 {
        self.first.wrapping_sub(u64::from(self.elements.shift())).wrapping_add(u64::from(place))
    }

    /// Returns whether there is an element of the tile at a place.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn has(self, place: u32) -> bool {
        place >= self.elements.shift() && place < self.elements.end()
    }

    /// Returns whether there are elements at all places that a warp loads from `first` on: [`RUN`] loads, `step` places apart.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn is_whole(self, first: u32, step: u32) -> bool {
        let behind = first + step * (RUN as u32 - 1) + WARP_SIZE * V as u32 + self.elements.shift();
        first >= self.elements.shift() && behind <= self.elements.end()
    }

    /// Calls `append` for each load of a thread with at least one element, with its elements and the place of the first. There
    /// are [`RUN`] loads, `step` places apart. The code stands once, since few loads are cut short.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn each_load(self, own: u32, step: u32, mut append: impl FnMut([T; V], u32)) {
        let from = self.elements.from(own);
        let any = self.elements.filled(self.any);
        let mut loaded = [any; RUN];
        unrolled!(i < RUN, up to 4 => { loaded[i] = from.read_or(step * i as u32, any) });
        let (mut i, mut place) = (0, own);
        while i < RUN as u32 && place < self.elements.end() {
            append(loaded[0].elements(), place);
            // The loads move up, since registers cannot be indexed.
            loaded = core::array::from_fn(|i| loaded[(i + 1).min(RUN - 1)]);
            place += step;
            i = unknown(i + 1);
        }
    }
}

/// Folds piece `piece` of a tile: `32 V` lanes, each row after row, then in pairs of neighbours. For a free operator
/// the lanes may be different ones, but each is in one piece.
///
/// Called by: every lane of the warp. Valid in: every lane, its own share; the shares are to be folded in lane order. Scratch:
/// none. Order: the tree's.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn fold_piece<T: Element, O: Op<T>, const V: usize>(
    op: O,
    tile: Tile<T, V>,
    piece: u32,
) -> O::Acc {
    let row = const { lanes::<T>() as u32 };
    let (mut accs, mut free) = ([O::IDENTITY; V], O::IDENTITY);
    // The first lanes of the next piece complete the last lanes of this one.
    let (shift, mut edge) = (tile.elements.shift(), O::IDENTITY);
    let mut first = piece * WARP_SIZE * V as u32;
    while first + if is_free::<T, O>() { 0 } else { shift } < tile.elements.end() {
        let own = first + lane_id() * V as u32;
        if tile.is_whole(first, row) {
            let loaded = tile.elements.from(own).read_column::<RUN>(row);
            if is_free::<T, O>() {
                free = op.append_rows(free, loaded.map(Vector::elements), tile.index(own), u64::from(row));
            } else {
                unrolled!(i < RUN, up to 4 => {
                    let (elements, at) = (loaded[i].elements(), tile.index(own + row * i as u32));
                    unrolled!(v < V => { accs[v] = op.append(accs[v], elements[v], at.wrapping_add(v as u64)) });
                });
            }
        } else {
            tile.each_load(own, row, |elements, place| {
                let at = tile.index(place);
                unrolled!(v < V => {
                    if tile.has(place + v as u32) {
                        let acc = if is_free::<T, O>() { &mut free } else { &mut accs[v] };
                        *acc = op.append(*acc, elements[v], at.wrapping_add(v as u64));
                    }
                });
            });
        }
        if !is_free::<T, O>() && shift != 0 {
            let own = first + WARP_SIZE * V as u32 + lane_id();
            unrolled!(i < RUN, up to 4 => {
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

/// Folds a piece as [`fold_piece`] does, of the `len` elements from `first` on in a row that begins at `row`, one by one. For
/// the ends of the input, where vectors would reach beyond it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
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
