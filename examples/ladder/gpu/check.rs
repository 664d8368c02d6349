//! Checks every rung at awkward lengths, with every kind of block; and the scans of one block.

use gpu_kernels::ladder::host::rung::RUNGS;

use super::Gpu;
use super::launch::Prepared;
use super::scans;
use crate::counted::{LIBRARY, THREADS, compare};
use crate::failure::Failure;
use crate::number::{Number, make};

/// Lengths around a warp, a block, two blocks; a prime; and long enough for many blocks.
const LENGTHS: [usize; 18] = [
    0,
    1,
    2,
    3,
    31,
    33,
    63,
    65,
    255,
    257,
    1023,
    1025,
    2047,
    4099,
    100_003,
    999_983,
    (1 << 22) - 1,
    (1 << 24) + 12_345,
];

/// Block sizes: one thread, odd ones, whole warps, powers of two.
const BLOCKS: [u32; 15] = [1, 2, 3, 31, 32, 33, 64, 96, 127, 128, 250, 256, 512, 1000, 1024];

/// The most elements for blocks of fewer threads than a warp.
const FEW: usize = 100_003;

/// Checks both types, and the scans.
pub(crate) fn run(gpu: &Gpu) -> Result<(), Failure> {
    check::<i32>(gpu)?;
    check::<f32>(gpu)?;
    scans::check(gpu)
}

fn check<T: Number>(gpu: &Gpu) -> Result<(), Failure> {
    let x = make::<T>(LENGTHS.into_iter().max().unwrap_or(0), T::element);
    let device = gpu.cuda.upload(&x)?;
    for len in LENGTHS {
        let (input, expected) = (device.slice(0..len)?, T::total(&x[..len]));
        for rung in &RUNGS {
            for threads in BLOCKS {
                let is_short = threads >= 32 || len <= FEW;
                if rung.takes(threads) && len as u64 <= rung.most(threads) && is_short {
                    let prepared = Prepared::<T>::new(gpu, rung, len as u64, threads)?;
                    // Twice: the second launch uses the ticket as the first one left it.
                    for _ in 0..2 {
                        prepared.enqueue(&input)?;
                        compare(rung.name, prepared.sum()?, expected, len, threads)?;
                    }
                }
            }
        }
        if len > 0 {
            compare(LIBRARY.1, gpu.cuda.reduce(T::Library::default(), input)?, expected, len, THREADS)?;
        }
    }
    Ok(())
}
