//! The ladder on the first GPU.
//!
//! | file | idea |
//! |---|---|
//! | `device` | the device, its kernels, and its memory's bandwidth |
//! | `launch` | kernels launched by cust on arrays of warpfold |
//! | `clock` | the time of a call |
//! | `climb` | every rung at every size |
//! | `moving`, `copies` | coalescing and transposes; copies from and to the host |
//! | `scans` | scans of one block |
//! | `occupancy` | how kernels fit a multiprocessor |
//! | `check` | every rung at awkward lengths and blocks |

pub(crate) mod check;
mod climb;
mod clock;
mod copies;
mod device;
mod launch;
mod moving;
mod occupancy;
mod scans;

pub(crate) use device::Gpu;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::record::{Accuracy, Measured};

/// Measures everything, and adds the rungs' sums to `accuracy`.
pub(crate) fn measure(gpu: &Gpu, cli: &Cli, accuracy: &mut Vec<Accuracy>) -> Result<Measured, Failure> {
    let sizes = cli.sizes();
    let coalescing = moving::coalescing(gpu)?;
    let peak = device::peak(gpu, &coalescing)?;
    let mut rungs = Vec::new();
    let mut plan = Vec::new();
    climb::climb::<i32>(gpu, &sizes, &peak, &mut rungs, &mut plan)?;
    let largest: Vec<usize> = sizes.iter().copied().max().into_iter().collect();
    climb::climb::<f32>(gpu, &largest, &peak, &mut rungs, &mut plan)?;
    accuracy.extend(climb::accuracy(gpu, cli.floats)?);
    Ok(Measured {
        device: gpu.cuda.properties().name.to_owned(),
        multiprocessors: gpu.cuda.properties().multiprocessors,
        peak,
        rungs,
        coalescing,
        transposes: moving::transposes(gpu)?,
        scans: scans::scans(gpu)?,
        copies: copies::copies(gpu)?,
        occupancy: occupancy::occupancy(gpu)?,
        plan,
    })
}
