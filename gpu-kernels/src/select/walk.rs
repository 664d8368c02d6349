//! A walk over every element once: by vectors wherever the slice begins, and the few elements beside them one by one.

use cuda_std::global::GlobalSlice;
use cuda_std::thread::{block_idx_x, grid_dim_x, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::keys::Key;

/// A visitor of elements.
pub(crate) trait Visit<W, const V: usize, const R: usize> {
    /// Visits the elements of a tile from index `start` on, as far as this thread has them, in `words`. The words of
    /// row i begin at `own + i * pitch`, counted from `start`.
    ///
    /// Called by: every thread of the block.
    fn tile(&self, start: u64, own: u32, pitch: u32, words: &[[W; V]; R]);
    /// Visits one element, if it exists.
    ///
    /// Called by: every lane of the warp.
    fn single(&self, index: u64, word: Option<W>);
}

/// Passes each element to `visit`. The first vector begins at element `head`, which is less than 16, if there are so many.
///
/// Called by: every thread of every block, of `THREADS`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn walk<W: Key, X: Visit<W, V, R>, const V: usize, const R: usize, const THREADS: u32>(
    input: GlobalSlice<W>,
    head: u64,
    visit: &X,
) {
    let (thread, blocks) = (thread_idx_x(), u64::from(grid_dim_x()));
    let (own, pitch) = (thread * V as u32, THREADS * V as u32);
    let tile_len = u64::from(pitch) * R as u64;
    let head = head.min(input.len());
    let body = input.window(head, u64::MAX);
    let whole = body.len() / tile_len * tile_len;
    let mut start = u64::from(block_idx_x()) * tile_len;
    while start < whole {
        let rows = body.window(start, tile_len).rows::<V, R>(u64::from(own), u64::from(pitch)).read_next();
        if let Some(rows) = rows {
            let mut words = [[W::zeroed(); V]; R];
            unrolled!(i < R, up to 4 => { words[i] = rows[i].elements() });
            visit.tile(head + start, own, pitch, &words);
        }
        start += blocks * tile_len;
    }
    // The elements before the first vector and after the last tile, as one sequence. All lanes of a warp continue or end
    // together.
    let rest = head + (body.len() - whole);
    let warp = u64::from(block_idx_x()) * u64::from(THREADS) + u64::from(thread - lane_id());
    let mut first = warp;
    while first < rest {
        let at = first + u64::from(lane_id());
        let index = if at < head { at } else { at + whole };
        visit.single(index, (at < rest).then(|| input.read(index)));
        first += blocks * u64::from(THREADS / WARP_SIZE * WARP_SIZE);
    }
}
