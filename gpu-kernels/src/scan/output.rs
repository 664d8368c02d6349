//! The outputs of a scan, a run for each thread, a piece at a time.

use bytemuck::Pod;
use cuda_std::global::GlobalCells;
use cuda_std::thread::{thread_idx_x, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::exchange;
use super::shape::piece_vectors;
use super::tree::{TILE_ROWS, row_len, run_len, tile_len};
use crate::op::Element;
use crate::unroll::unrolled;

/// The outputs' places, and their bytes as vectors if they lie so.
#[derive(Clone, Copy)]
pub(crate) struct Output<S> {
    outs: GlobalCells<S>,
    vectors: Option<GlobalCells<[u32; 4]>>,
    len: u64,
}

impl<S: Pod> Output<S> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `out` is aligned and writable for `len` outputs, which nothing else uses during the launch, but the input whose places
    /// they may take.
    #[inline(always)]
    pub(crate) unsafe fn new(out: *mut S, len: u64) -> Self {
        let are_vectors = out.addr().is_multiple_of(16);
        // SAFETY: by this function's contract.
        unsafe {
            let vectors = GlobalCells::new(out.cast(), len * size_of::<S>() as u64 / 16);
            Self {
                outs: GlobalCells::new(out, len),
                vectors: if are_vectors { Some(vectors) } else { None },
                len,
            }
        }
    }

    /// Writes piece number `piece` of this thread's run of a tile, `K` outputs, which are `W` vectors if they are any number of
    /// them; of a tile that is not whole those that there are places for.
    ///
    /// Called by: every thread of the block. Valid in: the outputs' places. Scratch: the warp's part of the exchange's.
    #[inline(always)]
    pub(crate) fn write_piece<T: Element, const K: usize, const W: usize>(
        self,
        tile: u64,
        is_whole: bool,
        piece: usize,
        outs: [S; K],
    ) {
        let within = (piece * K) as u64;
        if let Some(vectors) = self.vectors.filter(|_| is_whole && piece_vectors::<T, S>().is_some()) {
            let mut run = [[0; 4]; W];
            bytemuck::cast_slice_mut::<_, u8>(&mut run)[..size_of::<[S; K]>()]
                .copy_from_slice(bytemuck::bytes_of(&outs));
            let mine = exchange::from_runs::<W>(run);
            let row = tile * TILE_ROWS as u64 + u64::from(thread_idx_x() / WARP_SIZE);
            unrolled!(i < W => {
                let number = i as u32 * WARP_SIZE + lane_id();
                let (run, at) = (number / W as u32, number % W as u32);
                let first = row * row_len::<T>() as u64 + u64::from(run) * run_len::<T>() as u64 + within;
                let place = first * size_of::<S>() as u64 / 16 + u64::from(at);
                vectors.write_neighbours(place, [mine[i]]);
            });
            return;
        }
        let first =
            tile * tile_len::<T>() as u64 + u64::from(thread_idx_x()) * run_len::<T>() as u64 + within;
        if is_whole {
            return self.outs.write_neighbours(first, outs);
        }
        // As in reading.
        let mut outs = outs;
        let (mut i, end) = (first, first + u64::from(unknown(K as u32)));
        while i < end.min(self.len) {
            self.outs.write(i, outs[0]);
            outs = core::array::from_fn(|at| outs[if at + 1 < K { at + 1 } else { 0 }]);
            i += 1;
        }
    }
}
