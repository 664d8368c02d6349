//! In which order a warp takes the elements of a part of a row.

use cuda_std::warp::{WARP_SIZE, lane_id};

use super::parts::Part;
use crate::op::{Element, Op, is_free};
use crate::tree::{RUN, THREADS, lanes, vector_len};

/// Pieces of a unit.
pub(crate) const PIECES: usize = THREADS / WARP_SIZE as usize;

/// Elements of a unit, of which a warp folds the pieces before they meet: a tile, or a band of it if the operator does not
/// commute.
#[inline(always)]
pub(crate) fn unit_len<T: Element, O: Op<T>>(part: Part) -> u32 {
    // A tile has at most a 2048th of a row's elements.
    if O::COMMUTATIVE { 1 << part.log2_tile } else { wave_rows_len::<T, O>() }
}

/// Elements from one wave of a piece to the next one; of a band.
#[inline(always)]
fn wave_rows_len<T: Element, O: Op<T>>() -> u32 {
    RUN as u32 * if is_free::<T, O>() { WARP_SIZE * vector_len::<T>() as u32 } else { lanes::<T>() as u32 }
}

/// Elements from one piece of a unit to the next.
#[inline(always)]
fn piece_len<T: Element, O: Op<T>>() -> u32 {
    let loads = if O::COMMUTATIVE { 1 } else { RUN };
    WARP_SIZE * (vector_len::<T>() * loads) as u32
}

/// Elements from one of a thread's loads to the next. Those of a [free](is_free) operator ascend through the whole unit, which
/// has no pieces: that is what it asks for, and neighbours are read at once.
#[inline(always)]
pub(crate) fn stride<T: Element, O: Op<T>>() -> u32 {
    match (O::COMMUTATIVE, is_free::<T, O>()) {
        (false, _) => vector_len::<T>() as u32,
        (true, true) => WARP_SIZE * vector_len::<T>() as u32,
        (true, false) => lanes::<T>() as u32,
    }
}

/// [`RUN`] loads of each thread, in one piece of a unit. A piece is as many waves as its unit is long.
#[derive(Clone, Copy)]
pub(crate) struct Wave {
    /// Where the unit begins in the row, and how many elements it has.
    pub(crate) unit: u64,
    pub(crate) len: u32,
    /// Its piece, and where the wave begins in it.
    pub(crate) piece: u32,
    pub(crate) first: u32,
}

impl Wave {
    /// The first one of the unit that begins at `unit`.
    #[inline(always)]
    pub(crate) fn first_of<T: Element, O: Op<T>>(part: Part, unit: u64) -> Self {
        let len = (part.end - unit).min(u64::from(unit_len::<T, O>(part))) as u32;
        Self { unit, len, piece: 0, first: 0 }
    }

    /// The next one of the unit that has elements: of the same piece, or of the next one. `None` behind the last.
    #[inline(always)]
    pub(crate) fn next<T: Element, O: Op<T>>(self) -> Option<Self> {
        let below = self.first + wave_rows_len::<T, O>();
        if O::COMMUTATIVE && below < self.len {
            return Some(Self { first: below, ..self });
        }
        if is_free::<T, O>() {
            return None;
        }
        let (piece, first) = (self.piece + 1, (self.piece + 1) * piece_len::<T, O>());
        (piece < PIECES as u32 && first < self.len).then_some(Self { piece, first, ..self })
    }

    /// Where this thread's first load begins in the unit.
    #[inline(always)]
    pub(crate) fn own<T: Element, O: Op<T>>(self) -> u32 {
        self.first
            + lane_id() * if O::COMMUTATIVE { vector_len::<T>() } else { vector_len::<T>() * RUN } as u32
    }

    /// Whether any lane has elements of its load `i`.
    #[inline(always)]
    pub(crate) fn has_load<T: Element, O: Op<T>>(self, i: u32) -> bool {
        !O::COMMUTATIVE || self.first + stride::<T, O>() * i < self.len
    }

    /// Whether every lane has all of its elements.
    #[inline(always)]
    pub(crate) fn is_whole<T: Element, O: Op<T>>(self) -> bool {
        let reach = stride::<T, O>() * (RUN as u32 - 1) + vector_len::<T>() as u32;
        let last =
            (WARP_SIZE - 1) * if O::COMMUTATIVE { vector_len::<T>() } else { vector_len::<T>() * RUN } as u32;
        self.first + last + reach <= self.len
    }
}
