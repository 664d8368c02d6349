//! The occupancy of each kernel, computed by the driver: resources of a thread and of a block, blocks per
//! multiprocessor, and the smallest launch that fills the device.

use cust::device::DeviceAttribute;
use cust::function::FunctionAttribute;
use gpu_kernels::ladder::host::rung::RUNGS;
use gpu_kernels::ladder::transpose::{ROWS, TILE};

use super::Gpu;
use crate::counted::{THREADS, threads_of};
use crate::emulated::{COPYING, TRANSPOSING};
use crate::failure::Failure;
use crate::text::percent;

/// A row for each kernel of integers, and for those that move floats.
pub(super) fn occupancy(gpu: &Gpu) -> Result<Vec<Vec<String>>, Failure> {
    let mut kernels: Vec<(String, u32)> = Vec::new();
    for rung in &RUNGS {
        let threads = threads_of(rung);
        let kernel = (rung.entry(threads, "i32"), threads);
        // Rung 11 uses the kernel of rung 10.
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    kernels.extend(COPYING.iter().map(|kernel| (format!("ladder_{}", kernel.name), THREADS)));
    kernels.extend(TRANSPOSING.iter().map(|kernel| (format!("ladder_{}", kernel.name), TILE * ROWS)));
    let held = f64::from(gpu.attribute(DeviceAttribute::MaxThreadsPerMultiprocessor)?);
    let row = |(kernel, threads): (String, u32)| {
        // Only queried, not launched.
        let function = gpu.function::<()>(&kernel)?;
        let blocks = function.max_active_blocks_per_multiprocessor(threads, 0)?;
        let (suggested_blocks, suggested_threads) = function.suggested_launch_configuration()?;
        let registers = function.get_attribute(FunctionAttribute::NumRegisters)?;
        let shared_bytes = function.get_attribute(FunctionAttribute::SharedMemorySizeBytes)?;
        Ok(vec![
            kernel,
            threads.to_string(),
            registers.to_string(),
            shared_bytes.to_string(),
            blocks.to_string(),
            percent(f64::from(blocks * threads) / held, 1),
            format!("{suggested_blocks} x {suggested_threads}"),
        ])
    };
    kernels.into_iter().map(row).collect()
}
