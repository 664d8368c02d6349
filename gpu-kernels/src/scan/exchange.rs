//! The exchange between coalesced vectors in global memory and the runs of a warp's lanes, in both directions, through shared
//! memory of the warp's own: a part for each of its rows. A run stays there, where it takes no registers, until its prefix is
//! known.

use cuda_std::shared::{SharedArray, SharedVectors};
use cuda_std::thread::{anew, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use super::shapes::{PIECE_BYTES, SCAN_THREADS, WARP_ROWS};
use super::tree::TILE_RUNS;
use crate::warp;

/// Vectors of the part of one row.
const PART: usize = WARP_SIZE as usize * PIECE_BYTES / 16;

/// Vectors of all parts.
const ALL: usize = TILE_RUNS * PIECE_BYTES / 16;

cuda_std::shared_bytes! {
    /// All runs of a tile.
    fn warpfold_scan_runs: 16384
}

const _: () = assert!(ALL * 16 == 16384);

/// Returns the place of vector `at` of lane `of`'s `U`, in the part of the warp's row `row`. Places are permuted so that eight
/// lanes that read one vector each, either neighbouring ones or the same one of eight neighbouring runs, use different banks.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn place<const U: usize>((warp, row): (usize, usize), of: usize, at: usize) -> usize {
    // Within bounds for any values of the thread's numbers, and the compiler can see that. A check between a warp's loads would
    // make it wait for each load alone. What depends on the thread is one number, so that the places of a run take one
    // register.
    let first = warp * WARP_ROWS * PART + of * U;
    let moved = if U.is_power_of_two() { (first + of * U / 8 % U) ^ at } else { first + at };
    moved + row * PART
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn places() -> SharedVectors<ALL> {
    warpfold_scan_runs().vectors()
}

/// Returns the place of word `number` of a row. Each lane's run has `4 U` words.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn word<const U: usize>(row: (usize, usize), number: usize) -> usize {
    let (of, at) = (number / (4 * U), number % (4 * U));
    4 * place::<U>(row, of, at / 4) + at % 4
}

#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn words() -> SharedArray<u32, { 4 * ALL }> {
    warpfold_scan_runs().array()
}

/// Returns the numbers of this warp and of this lane. They are read anew for each row that is exchanged, so that its places are
/// computed again: places that were kept across the wait would take registers. Kept places would be spilled
/// (docs/tuning/registers.md).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn here() -> (usize, usize) {
    let (thread, lane) = (anew(thread_idx_x()), anew(lane_id()));
    ((thread % SCAN_THREADS / WARP_SIZE) as usize, (lane % WARP_SIZE) as usize)
}

/// Gives each lane its `U` vectors of a row, which [`run`] reads: lane `i` calls with vectors `i`, `i + 32` and so on, and gets
/// `U i`, `U i + 1` and so on.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the row's part.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn to_runs<const U: usize>(row: usize, vectors: [[u32; 4]; U]) {
    let (warp, lane) = here();
    unrolled!(i < U, up to 4 => {
        let number = i * WARP_SIZE as usize + lane;
        places().write(place::<U>((warp, row), number / U, number % U), vectors[i]);
    });
    warp::sync();
}

/// Stores words as [`to_runs`] does vectors: lane `i` calls with words `i`, `i + 32` and so on, four to an array.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the row's part.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn words_to_runs<const U: usize>(row: usize, found: [[u32; 4]; U]) {
    let (warp, lane) = here();
    unrolled!(i < U, up to 4 => {
        unrolled!(k < 4, up to 4 => { words().write(word::<U>((warp, row), (4 * i + k) * WARP_SIZE as usize + lane), found[i][k]) });
    });
    warp::sync();
}

/// Stores this lane's run.
///
/// Scratch: the lane's places.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn keep<const U: usize>(row: usize, run: [[u32; 4]; U]) {
    let (warp, lane) = here();
    unrolled!(i < U, up to 4 => { places().write(place::<U>((warp, row), lane, i), run[i]) });
}

/// Returns this lane's run, which [`to_runs`] or [`keep`] stored.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn run<const U: usize>(row: usize) -> [[u32; 4]; U] {
    let (warp, lane) = here();
    let mut run = [[0; 4]; U];
    unrolled!(i < U, up to 4 => { run[i] = places().read(place::<U>((warp, row), lane, i)) });
    run
}

/// Reverses [`to_runs`]: lane `i` has stored vectors `U i`, `U i + 1` and so on, and gets `i`, `i + 32` and so on.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the row's part, which is free when it returns.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn from_runs<const U: usize>(row: usize) -> [[u32; 4]; U] {
    warp::sync();
    let (warp, lane) = here();
    let mut vectors = [[0; 4]; U];
    unrolled!(i < U, up to 4 => {
        let number = i * WARP_SIZE as usize + lane;
        vectors[i] = places().read(place::<U>((warp, row), number / U, number % U));
    });
    warp::sync();
    vectors
}

/// Returns words as [`from_runs`] does vectors: lane `i` gets words `i`, `i + 32` and so on, four to an array.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the row's part, which is free when it returns.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn words_from_runs<const U: usize>(row: usize) -> [[u32; 4]; U] {
    warp::sync();
    let (warp, lane) = here();
    let mut found = [[0; 4]; U];
    unrolled!(i < U, up to 4 => {
        unrolled!(k < 4, up to 4 => { found[i][k] = words().read(word::<U>((warp, row), (4 * i + k) * WARP_SIZE as usize + lane)) });
    });
    warp::sync();
    found
}
