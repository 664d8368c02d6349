//! A warp turns vectors that lie side by side in global memory into runs of its lanes, and back, in shared memory of its own:
//! a part for each of its rows. A run waits there, where it takes no registers, until what stands before it is known.

use cuda_std::shared::{SharedArray, SharedVectors};
use cuda_std::thread::{anew, thread_idx_x};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::shape::{PIECE_BYTES, SCAN_THREADS, WARP_ROWS};
use super::tree::TILE_RUNS;
use crate::unroll::unrolled;
use crate::warp;

/// Vectors of a row's part.
const PART: usize = WARP_SIZE as usize * PIECE_BYTES / 16;

/// Vectors of all parts.
const ALL: usize = TILE_RUNS * PIECE_BYTES / 16;

cuda_std::shared_bytes! {
    /// All runs of a tile.
    fn warpfold_scan_runs: 16384
}

const _: () = assert!(ALL * 16 == 16384);

/// The place of vector `at` of lane `of`'s `U`, in the part of the warp's row `row`: so moved that eight lanes which take one
/// each, be it neighbours or the same one of eight neighbouring runs, find them in different banks.
#[inline(always)]
fn place<const U: usize>((warp, row): (usize, usize), of: usize, at: usize) -> usize {
    // Within bounds whatever the hardware says, for the compiler to see: a check would stand between a warp's loads, each of
    // which would then be waited for alone. What depends on the thread is one number, so that a run's places take one register.
    let first = warp * WARP_ROWS * PART + of * U;
    let moved = if U.is_power_of_two() { (first + of * U / 8 % U) ^ at } else { first + at };
    moved + row * PART
}

#[inline(always)]
fn places() -> SharedVectors<ALL> {
    warpfold_scan_runs().vectors()
}

/// The place of word `number` of a row, of which each lane's run has `4 U`.
#[inline(always)]
fn word<const U: usize>(row: (usize, usize), number: usize) -> usize {
    let (of, at) = (number / (4 * U), number % (4 * U));
    4 * place::<U>(row, of, at / 4) + at % 4
}

#[inline(always)]
fn words() -> SharedArray<u32, { 4 * ALL }> {
    warpfold_scan_runs().array()
}

/// The number of this warp and of this lane: anew for each row that is exchanged, so that its places are computed again. Places
/// that were kept from one time to the next would take the registers of what a thread waits with.
///
/// [ptxas 13.0, sm_90, f32 Sum, bytes that `_scan` keeps in memory with at most 56 registers: 0, and with places that are kept 92.]
#[inline(always)]
fn here() -> (usize, usize) {
    let (thread, lane) = (anew(thread_idx_x()), anew(lane_id()));
    ((thread % SCAN_THREADS / WARP_SIZE) as usize, (lane % WARP_SIZE) as usize)
}

/// Gives each lane its `U` vectors of a row, which [`run`] reads: lane `i` calls with vectors `i`, `i + 32` and so on, and
/// gets `U i`, `U i + 1` and so on.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the row's part.
#[inline(always)]
pub(crate) fn to_runs<const U: usize>(row: usize, vectors: [[u32; 4]; U]) {
    let (warp, lane) = here();
    unrolled!(i < U, up to 4 => {
        let number = i * WARP_SIZE as usize + lane;
        places().write(place::<U>((warp, row), number / U, number % U), vectors[i]);
    });
    warp::sync();
}

/// [`to_runs`] of words: lane `i` calls with words `i`, `i + 32` and so on, four to a row.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the row's part.
#[inline(always)]
pub(crate) fn words_to_runs<const U: usize>(row: usize, found: [[u32; 4]; U]) {
    let (warp, lane) = here();
    unrolled!(i < U, up to 4 => {
        unrolled!(k < 4, up to 4 => { words().write(word::<U>((warp, row), (4 * i + k) * WARP_SIZE as usize + lane), found[i][k]) });
    });
    warp::sync();
}

/// Keeps this lane's run.
///
/// Scratch: the lane's places.
#[inline(always)]
pub(crate) fn keep<const U: usize>(row: usize, run: [[u32; 4]; U]) {
    let (warp, lane) = here();
    unrolled!(i < U, up to 4 => { places().write(place::<U>((warp, row), lane, i), run[i]) });
}

/// This lane's run, as it was given or kept.
#[inline(always)]
pub(crate) fn run<const U: usize>(row: usize) -> [[u32; 4]; U] {
    let (warp, lane) = here();
    let mut run = [[0; 4]; U];
    unrolled!(i < U, up to 4 => { run[i] = places().read(place::<U>((warp, row), lane, i)) });
    run
}

/// The other way: lane `i` has kept vectors `U i`, `U i + 1` and so on, and gets `i`, `i + 32` and so on.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the row's part, which is free when it returns.
#[inline(always)]
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

/// [`from_runs`] of words: lane `i` gets `i`, `i + 32` and so on, four to a row.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the row's part, which is free when it returns.
#[inline(always)]
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
