//! The elements of a scan, one run per thread and row.

use cuda_std::global::{GlobalSlice, Vectors};
use cuda_std::memory::Readable;
use cuda_std::thread::{thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::exchange;
use super::shapes::{WARP_ROWS, run_vectors};
use super::tree::{TILE_ROWS, row_len, run_len, tile_len};
use crate::op::Element;
use crate::warp;

/// The elements, and their bytes as vectors if they are aligned to 16.
#[derive(Clone, Copy)]
pub(crate) struct Input<T> {
    elements: GlobalSlice<T>,
    vectors: Option<Vectors<u32, 4>>,
    words: GlobalSlice<u32>,
    /// Whether a whole tile that is not aligned to vectors is read by words. A constant, so that unused code is not compiled.
    by_words: bool,
}

impl<T: Element> Input<T> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `input` is aligned and readable for `len` elements, at least one. Only the block that reads an element writes it, and
    /// only after a barrier that follows the reading.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) unsafe fn new(input: Readable<T>, len: u64) -> Self {
        let are_vectors = run_vectors::<T>().is_some() && input.addr().is_multiple_of(16);
        let has_words = are_vectors || are_words::<T>();
        let of_words = if has_words { len * size_of::<T>() as u64 / 4 } else { 0 };
        // SAFETY: by this function's contract. An element has no padding, so its bytes are words. The words are aligned: all
        // begin at a multiple of 16 bytes, or each element at a multiple of 4, or there are none.
        unsafe {
            let words = input.cast::<u32>().slice(of_words);
            Self {
                elements: input.slice(len),
                vectors: if are_vectors { words.vectors::<4>() } else { None },
                words,
                by_words: false,
            }
        }
    }

    /// Makes the handle as [`new`](Self::new) does, for elements that mostly do not begin at a multiple of 16 bytes.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) unsafe fn whole_by_words(input: Readable<T>, len: u64) -> Self {
        // SAFETY: by this function's contract.
        Self { by_words: are_words::<T>(), ..unsafe { Self::new(input, len) } }
    }

    /// Returns the number of elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn len(self) -> u64 {
        self.elements.len()
    }

    /// Returns whether all elements of a tile are present.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn is_whole(self, tile: u64) -> bool {
        self.len() / tile_len::<T>() as u64 > tile
    }

    /// Reads this thread's runs of a tile, one of each of its warp's rows: `R` elements, which are `U` vectors if they are a
    /// whole number of vectors. Those runs stay in the exchange, where [`kept`](Self::kept) reads them, and `None` is returned.
    /// Elements beyond the end are copies of the last one, which change nothing since they follow all others.
    ///
    /// Called by: every thread of the block. Valid in: every thread, unless `None` is returned. Scratch: the exchange's parts
    /// of the warp's rows.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn runs<const R: usize, const U: usize>(self, tile: u64) -> Option<Runs<T, R>> {
        const { assert!(R == run_len::<T>() && (run_vectors::<T>().is_none() || R * size_of::<T>() == U * 16)) }
        if run_vectors::<T>().is_none() {
            return Some(core::array::from_fn(|row| self.one_by_one(tile, row)));
        }
        if let Some(vectors) = self.vectors.filter(|_| self.is_whole(tile)) {
            let first = row_of(tile, 0) * (u64::from(WARP_SIZE) * U as u64) + u64::from(lane_id());
            // All loads are in flight before the first is waited for.
            let loaded = vectors.read_grid::<WARP_ROWS, U>(first, WARP_SIZE);
            unrolled!(row < WARP_ROWS, up to 2 => {
                exchange::to_runs::<U>(row, loaded[row].map(|vector| vector.elements()));
            });
        } else if self.by_words && self.is_whole(tile) {
            let first = row_of(tile, 0) * (u64::from(WARP_SIZE) * 4 * U as u64) + u64::from(lane_id());
            let loaded: [[[u32; 4]; U]; WARP_ROWS] = core::array::from_fn(|row| {
                core::array::from_fn(|i| {
                    let skipped = (row * U + i) as u64 * u64::from(4 * WARP_SIZE);
                    self.words.read_column::<4>(first + skipped, WARP_SIZE)
                })
            });
            unrolled!(row < WARP_ROWS, up to 2 => { exchange::words_to_runs::<U>(row, loaded[row]) });
        } else {
            unrolled!(row < WARP_ROWS, up to 2 => { self.keep_words::<R, U>(tile, row) });
        }
        None
    }

    /// Stores this thread's run of a row in the exchange, by loads smaller than vectors.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn keep_words<const R: usize, const U: usize>(self, tile: u64, row: usize) {
        if !are_words::<T>() {
            let run = self.one_by_one::<R>(tile, row);
            // SAFETY: `R` elements are as many bytes as `U` vectors, as `runs` has asserted.
            return exchange::keep::<U>(row, unsafe { core::mem::transmute_copy::<[T; R], Run<U>>(&run) }.0);
        }
        let (of_element, last) = (size_of::<T>() / 4, self.len() - 1);
        let first = row_of(tile, row) * row_len::<T>() as u64;
        let mut found = [[0; 4]; U];
        unrolled!(i < U, up to 4 => {
            unrolled!(k < 4, up to 4 => {
                let number = (4 * i + k) * WARP_SIZE as usize + lane_id() as usize;
                let element = (first + (number / of_element) as u64).min(last);
                found[i][k] =
                    self.words.read_or_last(element * of_element as u64 + (number % of_element) as u64);
            });
        });
        exchange::words_to_runs::<U>(row, found);
    }

    /// Returns this thread's run of its warp's row `row`, from what [`runs`](Self::runs) returned or stored.
    ///
    /// Called by: every lane of the warp. Valid in: every lane. Scratch: the row's part of the exchange's, which is free when
    /// it returns.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn kept<const R: usize, const U: usize>(row: usize, runs: Option<Runs<T, R>>) -> [T; R] {
        if let (true, Some(runs)) = (run_vectors::<T>().is_none(), runs) {
            return runs[row];
        }
        let run = Run(exchange::run::<U>(row));
        warp::sync();
        // SAFETY: runs are whole vectors here, since otherwise `runs` has returned them, and they are returned above. So `R`
        // elements are as many bytes as `U` vectors, as `runs` has asserted, and these are the bytes of this run's elements:
        // the exchange gave each lane its own.
        unsafe { core::mem::transmute_copy::<Run<U>, [T; R]>(&run) }
    }

    /// Reads a run, element by element.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn one_by_one<const R: usize>(self, tile: u64, row: usize) -> [T; R] {
        let first = row_of(tile, row) * row_len::<T>() as u64 + u64::from(lane_id()) * R as u64;
        if self.is_whole(tile) {
            return self.elements.read_column::<R>(first, 1);
        }
        // A loop that moves the elements up: few blocks come here, and straight-line code would take registers in all of them.
        let mut run = [self.elements.read_or_last(first); R];
        let (mut i, end) = (1, unknown(R as u32));
        while i < end {
            let element = self.elements.read_or_last(first + u64::from(i));
            run = core::array::from_fn(|at| if at + 1 < R { run[at + 1] } else { element });
            i += 1;
        }
        run
    }
}

/// Returns whether values consist of whole, aligned 4-byte words.
pub(crate) const fn are_words<T>() -> bool {
    size_of::<T>().is_multiple_of(4) && align_of::<T>() >= align_of::<u32>()
}

/// Returns the number, among the rows of all tiles, of row `row` of this warp in a tile.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn row_of(tile: u64, row: usize) -> u64 {
    tile * TILE_ROWS as u64 + u64::from(thread_idx_x() / WARP_SIZE) * WARP_ROWS as u64 + row as u64
}

/// One run of each of a warp's rows.
pub(super) type Runs<T, const R: usize> = [[T; R]; WARP_ROWS];

/// Vectors, aligned to 16 bytes.
#[repr(C, align(16))]
struct Run<const U: usize>([[u32; 4]; U]);
