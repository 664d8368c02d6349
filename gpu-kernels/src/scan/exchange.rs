//! A warp turns vectors that lie side by side in global memory into runs of its lanes, and back, in shared memory of its own.

use cuda_std::shared::SharedVectors;
use cuda_std::thread::thread_idx_x;
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::shape::{PIECE_BYTES, SCAN_THREADS};
use crate::unroll::unrolled;
use crate::warp;

/// Vectors of a warp's part.
const PART: usize = WARP_SIZE as usize * PIECE_BYTES / 16;

cuda_std::shared_bytes! {
    /// A run of each thread.
    fn warpfold_scan_runs: 16384
}

const _: () = assert!(SCAN_THREADS as usize * PIECE_BYTES == 16384);

/// The place of vector `at` of lane `of`'s `U`, in the warp's part: so moved that eight lanes which take one each, be it
/// neighbours or the same one of eight neighbouring runs, find them in different banks.
#[inline(always)]
fn place<const U: usize>(of: usize, at: usize) -> usize {
    let moved = if U.is_power_of_two() { at ^ (of * U / 8 % U) } else { at };
    // Within bounds whatever the hardware says, for the compiler to see: a check would stand between a warp's loads, each of
    // which would then be waited for alone.
    let part = (thread_idx_x() % SCAN_THREADS / WARP_SIZE) as usize * PART;
    part + of * U + moved
}

#[inline(always)]
fn places() -> SharedVectors<{ SCAN_THREADS as usize * PIECE_BYTES / 16 }> {
    warpfold_scan_runs().vectors()
}

/// Gives each lane its `U` vectors of the warp's: lane `i` calls with vectors `i`, `i + 32` and so on, and gets `U i`, `U i + 1`
/// and so on.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the warp's part, which is free when it returns.
#[inline(always)]
pub(crate) fn to_runs<const U: usize>(vectors: [[u32; 4]; U]) -> [[u32; 4]; U] {
    if U == 1 {
        return vectors;
    }
    let lane = (lane_id() % WARP_SIZE) as usize;
    unrolled!(i < U => {
        let number = i * WARP_SIZE as usize + lane;
        places().write(place::<U>(number / U, number % U), vectors[i]);
    });
    warp::sync();
    let mut run = vectors;
    unrolled!(i < U => { run[i] = places().read(place::<U>(lane, i)) });
    warp::sync();
    run
}

/// The other way: lane `i` calls with vectors `U i`, `U i + 1` and so on, and gets `i`, `i + 32` and so on.
///
/// Called by: every lane of the warp. Valid in: every lane. Scratch: the warp's part, which is free when it returns.
#[inline(always)]
pub(crate) fn from_runs<const U: usize>(run: [[u32; 4]; U]) -> [[u32; 4]; U] {
    if U == 1 {
        return run;
    }
    let lane = (lane_id() % WARP_SIZE) as usize;
    unrolled!(i < U => { places().write(place::<U>(lane, i), run[i]) });
    warp::sync();
    let mut vectors = run;
    unrolled!(i < U => {
        let number = i * WARP_SIZE as usize + lane;
        vectors[i] = places().read(place::<U>(number / U, number % U));
    });
    warp::sync();
    vectors
}
