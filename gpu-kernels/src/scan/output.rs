//! The outputs of a scan, one run per thread and row, written in pieces.

use bytemuck::Pod;
use cuda_std::global::GlobalCells;
use cuda_std::memory::Writable;
use cuda_std::thread::unknown;
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::exchange;
use super::input::{are_words, row_of};
use super::shapes::piece_vectors;
use super::tree::{row_len, run_len};
use crate::op::Element;

/// The places of the outputs, and their bytes as vectors if they are aligned to 16.
#[derive(Clone, Copy)]
pub(crate) struct Output<S> {
    outs: GlobalCells<S>,
    vectors: Option<GlobalCells<[u32; 4]>>,
    words: GlobalCells<u32>,
    len: u64,
    /// As in [`Input`](super::input::Input).
    by_words: bool,
}

impl<S: Pod> Output<S> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `out` is aligned and writable for `len` outputs. Nothing else uses them during the launch, except the input, which may
    /// be in the same memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) unsafe fn new(out: Writable<S>, len: u64) -> Self {
        let bytes = len * size_of::<S>() as u64;
        let words = if are_words::<S>() { bytes / 4 } else { 0 };
        // SAFETY: by this function's contract. Vectors are aligned, or there are none, and so are words, by `are_words`.
        unsafe {
            Self {
                words: out.cast().cells(words),
                outs: out.cells(len),
                vectors: if out.addr().is_multiple_of(16) {
                    Some(out.cast().cells(bytes / 16))
                } else {
                    None
                },
                len,
                by_words: false,
            }
        }
    }

    /// Makes the handle as [`new`](Self::new) does, for outputs that mostly do not begin at a multiple of 16 bytes.
    ///
    /// # Safety
    /// As [`new`](Self::new).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) unsafe fn whole_by_words(out: Writable<S>, len: u64) -> Self {
        // SAFETY: by this function's contract.
        Self { by_words: are_words::<S>(), ..unsafe { Self::new(out, len) } }
    }

    /// Writes piece `piece` of this thread's run of its warp's row `row` in a tile: `K` outputs, which are `W` vectors if they
    /// are a whole number of vectors. Outputs beyond the end of a tile that is cut short are left out.
    ///
    /// Called by: every thread of the block. Valid in: the outputs' places. Scratch: the row's part of the exchange's.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn write_piece<T: Element, const K: usize, const W: usize>(
        self,
        (tile, is_whole): (u64, bool),
        row: usize,
        piece: usize,
        outs: [S; K],
    ) {
        let within = (piece * K) as u64;
        let first_of_row = row_of(tile, row) * row_len::<T>() as u64;
        let are_words = piece_vectors::<T, S>().is_some() && are_words::<S>();
        let vectors = self.vectors.filter(|_| is_whole && piece_vectors::<T, S>().is_some());
        if vectors.is_some() || are_words {
            let mut run = [[0; 4]; W];
            bytemuck::cast_slice_mut::<_, u8>(&mut run)[..size_of::<[S; K]>()]
                .copy_from_slice(bytemuck::bytes_of(&outs));
            exchange::keep::<W>(row, run);
        }
        if let Some(vectors) = vectors {
            let mine = exchange::from_runs::<W>(row);
            let (lane, first) = (lane_id(), (first_of_row + within) * size_of::<S>() as u64 / 16);
            // Vectors of a whole run of outputs.
            let of_run = (W * run_len::<T>() / K) as u32;
            if (WARP_SIZE as usize).is_multiple_of(W) || K == run_len::<T>() {
                let first = first + u64::from(lane / W as u32 * of_run + lane % W as u32);
                vectors.write_column(first, WARP_SIZE * of_run / W as u32, mine);
            } else {
                unrolled!(i < W, up to 4 => {
                    let number = i as u32 * WARP_SIZE + lane;
                    let place = first + u64::from(number / W as u32 * of_run + number % W as u32);
                    vectors.write_neighbours(place, [mine[i]]);
                });
            }
            return;
        }
        if are_words {
            let mine = exchange::words_from_runs::<W>(row);
            let (of_out, of_run) = (size_of::<S>() as u64 / 4, 4 * W as u32);
            if self.by_words && is_whole && K == run_len::<T>() {
                // The whole row, word by word.
                let first = first_of_row * of_out + u64::from(lane_id());
                unrolled!(i < W, up to 4 => {
                    unrolled!(k < 4, up to 4 => { self.words.write(first + (4 * i + k) as u64 * 32, mine[i][k]) });
                });
                return;
            }
            unrolled!(i < W, up to 4 => {
                unrolled!(k < 4, up to 4 => {
                    let number = (4 * i + k) as u32 * WARP_SIZE + lane_id();
                    let run = u64::from(number / of_run);
                    let first = first_of_row + run * run_len::<T>() as u64 + within;
                    let place = first * of_out + u64::from(number % of_run);
                    if place < self.len * of_out {
                        self.words.write(place, mine[i][k]);
                    }
                });
            });
            return;
        }
        let first = first_of_row + u64::from(lane_id()) * run_len::<T>() as u64 + within;
        if is_whole {
            return self.outs.write_neighbours(first, outs);
        }
        // A loop, for the reason given in `Input::one_by_one`.
        let mut outs = outs;
        let (mut i, end) = (first, first + u64::from(unknown(K as u32)));
        while i < end.min(self.len) {
            self.outs.write(i, outs[0]);
            outs = core::array::from_fn(|at| outs[if at + 1 < K { at + 1 } else { 0 }]);
            i += 1;
        }
    }
}
