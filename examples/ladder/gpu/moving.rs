//! Kernels that move floats on the device: the coalescing experiment, and transposes.

use warpfold::DeviceArray;

use super::clock::{median_us, on_ladder_stream};
use super::launch::{moving, transposing};
use super::{Gpu, TimedCopy};
use crate::counted::THREADS;
use crate::emulated::{COPYING, TRANSPOSING};
use crate::failure::Failure;

/// Floats of the experiment, 403 MB: many times the cache, and a multiple of whole blocks of threads with three
/// each.
const FLOATS: usize = 3 << 25;

/// Rows and columns of the matrix, 268 MB.
const SIDE: u32 = 8192;

/// Floats for the checks: not a multiple of blocks or of three.
const CHECKED: usize = 100_003;

/// The times of the coalescing experiment's kernels.
pub(super) fn coalescing(gpu: &Gpu) -> Result<Vec<TimedCopy>, Failure> {
    let arrays = (gpu.cuda.zeroed::<f32>(FLOATS)?, gpu.cuda.zeroed::<f32>(FLOATS)?);
    let row = |kernel: &crate::emulated::Copying| {
        let function = gpu.function(&format!("ladder_{}", kernel.name))?;
        let shape = (kernel.per_thread, THREADS);
        let x: Vec<f32> = (0..CHECKED).map(|x| x as f32).collect();
        let (input, out) = (gpu.cuda.upload(&x)?, gpu.cuda.zeroed::<f32>(CHECKED)?);
        let enqueued = moving(gpu, &function, (&input, &out), shape);
        gpu.stream.wait()?;
        enqueued?;
        // The misaligned slice starts one element later and is one element shorter.
        let ahead = usize::from(kernel.name.ends_with("misaligned"));
        let done = (CHECKED - ahead) / kernel.per_thread * kernel.per_thread;
        let expected = |i: usize| if i < done { x[i + ahead] + 1.0 } else { 0.0 };
        verify(kernel.name, &out, CHECKED, expected)?;
        timed(gpu, kernel.name, FLOATS, &|| moving(gpu, &function, (&arrays.0, &arrays.1), shape))
    };
    COPYING.iter().map(row).collect()
}

/// The times of the transposes.
pub(super) fn transposes(gpu: &Gpu) -> Result<Vec<TimedCopy>, Failure> {
    const FEW: (u32, u32) = (1000, 77);
    let all = SIDE as usize * SIDE as usize;
    let arrays = (gpu.cuda.zeroed::<f32>(all)?, gpu.cuda.zeroed::<f32>(all)?);
    let row = |kernel: &crate::emulated::Transposing| {
        let function = gpu.function(&format!("ladder_{}", kernel.name))?;
        let (width, height) = (FEW.0 as usize, FEW.1 as usize);
        let x: Vec<f32> = (0..width * height).map(|x| x as f32).collect();
        let (input, out) = (gpu.cuda.upload(&x)?, gpu.cuda.zeroed::<f32>(x.len())?);
        let enqueued = transposing(gpu, &function, (&input, &out), FEW);
        gpu.stream.wait()?;
        enqueued?;
        verify(kernel.name, &out, x.len(), |i| x[i % height * width + i / height])?;
        timed(gpu, kernel.name, all, &|| transposing(gpu, &function, (&arrays.0, &arrays.1), (SIDE, SIDE)))
    };
    TRANSPOSING.iter().map(row).collect()
}

/// Returns an error if an element is wrong.
fn verify(
    name: &str,
    out: &DeviceArray<f32>,
    len: usize,
    expected: impl Fn(usize) -> f32,
) -> Result<(), Failure> {
    let wrong =
        out.to_vec()?.into_iter().enumerate().find(|&(i, found)| found.to_bits() != expected(i).to_bits());
    wrong.map_or(Ok(()), |(i, found)| {
        let (what, found, expected) =
            (format!("element {i} by `{name}`"), found.to_string(), expected(i).to_string());
        Err(Failure::Wrong { what, len, threads: THREADS, found, expected })
    })
}

fn timed(
    gpu: &Gpu,
    name: &str,
    floats: usize,
    enqueue: &dyn Fn() -> Result<(), Failure>,
) -> Result<TimedCopy, Failure> {
    let us = median_us(|calls| on_ladder_stream(gpu, || (0..calls).try_for_each(|_| enqueue())));
    // Also after a failure: the caller's arrays must outlive the enqueued work.
    gpu.stream.wait()?;
    let (us, bytes) = (us?, 8 * floats as u64); // read and written
    Ok(TimedCopy { name: name.into(), bytes, us })
}
