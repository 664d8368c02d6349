//! The coalescing experiment: access patterns of a warp that reads and writes one float per lane, or three.
//!
//! Each kernel adds 1 to every element. Memory moves in sectors of 32 bytes. What counts is how many sectors the lanes'
//! addresses touch, and how many of their bytes are unused. **Look at:** sectors, and sectors wasted.

use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_dim_x, block_idx_x, index_1d, sync_threads, thread_idx_x};

use super::scratch::scratch;

/// Most threads per block of [`three_through_shared`], which keeps three floats per thread in shared memory.
pub const MOST_THREADS_OF_THREE: u32 = 341;

/// Lane `i` accesses float `i`: a warp's 128 bytes are 4 sectors.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn direct(input: GlobalSlice<f32>, out: GlobalCells<f32>) {
    let index = index_1d();
    if index < input.len() {
        out.write(index, input.read(index) + 1.0);
    }
}

/// Accesses the same elements of the same warp in another order of lanes. The GPUs of 2007 made one transaction per lane; since
/// compute capability 1.2 only the set of sectors counts, which is the same.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn permuted(input: GlobalSlice<f32>, out: GlobalCells<f32>) {
    let index = index_1d();
    let index = index / 32 * 32 + (5 * index + 3) % 32;
    if index < input.len() {
        out.write(index, input.read(index) + 1.0);
    }
}

/// Reads one element further on: a warp's 128 bytes lie in 5 sectors. The neighbouring warp uses the rest of the fifth, and
/// finds it in the cache. `out` has one element less.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn misaligned(input: GlobalSlice<f32>, out: GlobalCells<f32>) {
    let index = index_1d();
    if index + 1 < input.len() {
        out.write(index, input.read(index + 1) + 1.0);
    }
}

/// Three neighbouring floats per thread, as of a point in space. Each of the three loads skips what the other two load, and
/// touches all 12 sectors of the warp. Only whole triples are done.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn three_direct(input: GlobalSlice<f32>, out: GlobalCells<f32>) {
    let first = 3 * index_1d();
    if first + 2 < input.len() {
        out.write(first, input.read(first) + 1.0);
        out.write(first + 1, input.read(first + 1) + 1.0);
        out.write(first + 2, input.read(first + 2) + 1.0);
    }
}

/// The same through shared memory: the block loads its floats coalesced, each thread takes its three from there, and back. A
/// stride of three uses each bank once: no replays. Blocks have at most [`MOST_THREADS_OF_THREE`] threads.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn three_through_shared(input: GlobalSlice<f32>, out: GlobalCells<f32>) {
    let (thread, threads) = (thread_idx_x() as usize, block_dim_x() as usize);
    let floats = scratch::<f32>();
    let start = 3 * u64::from(block_idx_x()) * threads as u64;
    let end = input.len() / 3 * 3;
    for part in 0..3 {
        let place = thread + part * threads;
        if start + (place as u64) < end {
            floats.write(place, input.read(start + place as u64));
        }
    }
    sync_threads();
    if start + 3 * (thread as u64) < end {
        for part in 0..3 {
            floats.write(3 * thread + part, floats.read(3 * thread + part) + 1.0);
        }
    }
    sync_threads();
    for part in 0..3 {
        let place = thread + part * threads;
        if start + (place as u64) < end {
            out.write(start + place as u64, floats.read(place));
        }
    }
}
