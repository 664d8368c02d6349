//! The elements of a scan, a run for each thread.

use cuda_std::global::{GlobalSlice, Vectors};
use cuda_std::thread::{thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::exchange;
use super::shape::run_vectors;
use super::tree::{TILE_ROWS, run_len, tile_len};
use crate::op::Element;

/// The elements, and their bytes as vectors if they lie so.
#[derive(Clone, Copy)]
pub(crate) struct Input<T> {
    elements: GlobalSlice<T>,
    vectors: Option<Vectors<u32, 4>>,
}

impl<T: Element> Input<T> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `input` is aligned and readable for `len` elements, at least one. Nothing writes an element but the block that reads it,
    /// after a barrier behind the reading.
    #[inline(always)]
    pub(crate) unsafe fn new(input: *const T, len: u64) -> Self {
        let are_vectors = run_vectors::<T>().is_some() && input.addr().is_multiple_of(16);
        // SAFETY: by this function's contract. An element has no padding, so that its bytes are words.
        unsafe {
            let words = GlobalSlice::<u32>::new(input.cast(), len * size_of::<T>() as u64 / 4);
            Self {
                elements: GlobalSlice::new(input, len),
                vectors: if are_vectors { words.vectors::<4>() } else { None },
            }
        }
    }

    /// Number of elements.
    #[inline(always)]
    pub(crate) fn len(self) -> u64 {
        self.elements.len()
    }

    /// Whether all elements of a tile are there.
    #[inline(always)]
    pub(crate) fn is_whole(self, tile: u64) -> bool {
        self.len() / tile_len::<T>() as u64 > tile
    }

    /// This thread's run of a tile: `R` elements, which are `U` vectors if they are any number of them. The last element stands
    /// for those that are not there: they come after all that are, whatever they are.
    ///
    /// Called by: every thread of the block. Valid in: every thread. Scratch: the warp's part of the exchange's.
    #[inline(always)]
    pub(crate) fn run<const R: usize, const U: usize>(self, tile: u64) -> [T; R] {
        const { assert!(R == run_len::<T>() && (run_vectors::<T>().is_none() || R * size_of::<T>() == U * 16)) }
        if let Some(vectors) = self.vectors.filter(|_| self.is_whole(tile)) {
            let row = tile * TILE_ROWS as u64 + u64::from(thread_idx_x() / WARP_SIZE);
            let first = row * (u64::from(WARP_SIZE) * U as u64) + u64::from(lane_id());
            let loaded: [_; U] =
                core::array::from_fn(|i| vectors.read_or_last(first + i as u64 * u64::from(WARP_SIZE)));
            let run = exchange::to_runs::<U>(loaded.map(|vector| vector.elements()));
            // SAFETY: there are vectors only if `R` elements are as many bytes as `U` vectors, and these are the bytes of this
            // run's elements: the exchange gave each lane those of its own.
            return unsafe { core::mem::transmute_copy::<Run<U>, [T; R]>(&Run(run)) };
        }
        let first = tile * tile_len::<T>() as u64 + u64::from(thread_idx_x()) * R as u64;
        if self.is_whole(tile) {
            return self.elements.read_column::<R>(first, 1);
        }
        // A loop that moves what it found up: few blocks come here, and straight code would take the registers of all.
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

/// Vectors at a multiple of 16 bytes.
#[repr(C, align(16))]
struct Run<const U: usize>([[u32; 4]; U]);
