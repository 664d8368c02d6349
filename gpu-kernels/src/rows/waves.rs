//! The order in which a warp takes the elements of a part of a row.

use cuda_std::warp::{WARP_SIZE, lane_id};

use super::parts::Part;
use crate::op::{Element, Op, is_free};
use crate::shapes::loads_of_item;
use crate::tree::{RUN, THREADS, lanes, vector_len};

/// Pieces of a unit.
pub(crate) const PIECES: usize = THREADS / WARP_SIZE as usize;

/// Returns the elements of a unit, whose pieces a warp folds one after the other and then together: a tile, or a band of it if
/// the operator does not commute.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn unit_len<T: Element, O: Op<T>>(part: Part) -> u32 {
    // Fits u32: only a row of more than 2^43 elements has tiles of 2^32 or more.
    if O::COMMUTATIVE { 1 << part.log2_tile } else { wave_rows_len::<T, O>() }
}

/// Returns the elements from one wave of a piece to the next; in a band the elements of a unit.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn wave_rows_len<T: Element, O: Op<T>>() -> u32 {
    RUN as u32 * if is_free::<T, O>() { WARP_SIZE * vector_len::<T>() as u32 } else { lanes::<T>() as u32 }
}

/// Returns the elements from one piece of a unit to the next.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn piece_len<T: Element, O: Op<T>>() -> u32 {
    let loads = loads_of_item::<T, O>();
    WARP_SIZE * (vector_len::<T>() * loads) as u32
}

/// Returns the elements from one of a thread's loads to the next. For a [free](is_free) operator there are no pieces: a
/// thread's loads ascend through the whole unit, as the operator requires, and the threads read neighbours at once.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn stride<T: Element, O: Op<T>>() -> u32 {
    match (O::COMMUTATIVE, is_free::<T, O>()) {
        (false, _) => vector_len::<T>() as u32,
        (true, true) => WARP_SIZE * vector_len::<T>() as u32,
        (true, false) => lanes::<T>() as u32,
    }
}

/// [`RUN`] loads of each thread in one piece of a unit. A piece has as many waves as the length of its unit requires.
#[derive(Clone, Copy)]
pub(crate) struct Wave {
    /// Start of the unit in the row, and its number of elements.
    pub(crate) unit: u64,
    pub(crate) len: u32,
    /// The piece, and the start of the wave in the unit.
    pub(crate) piece: u32,
    pub(crate) first: u32,
}

impl Wave {
    /// Returns the first wave of the unit that begins at `unit`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn first_of<T: Element, O: Op<T>>(part: Part, unit: u64) -> Self {
        let len = (part.end - unit).min(u64::from(unit_len::<T, O>(part))) as u32;
        Self { unit, len, piece: 0, first: 0 }
    }

    /// Returns the next wave with elements in the unit, of the same piece or of the next; `None` after the last.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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

    /// Returns the place of this thread's first load in the unit.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn own<T: Element, O: Op<T>>(self) -> u32 {
        self.first
            + lane_id() * if O::COMMUTATIVE { vector_len::<T>() } else { vector_len::<T>() * RUN } as u32
    }

    /// Returns whether any lane has elements in its load `i`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn has_load<T: Element, O: Op<T>>(self, i: u32) -> bool {
        !O::COMMUTATIVE || self.first + stride::<T, O>() * i < self.len
    }

    /// Returns whether every lane has all of its elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn is_whole<T: Element, O: Op<T>>(self) -> bool {
        let reach = stride::<T, O>() * (RUN as u32 - 1) + vector_len::<T>() as u32;
        let last =
            (WARP_SIZE - 1) * if O::COMMUTATIVE { vector_len::<T>() } else { vector_len::<T>() * RUN } as u32;
        self.first + last + reach <= self.len
    }
}
