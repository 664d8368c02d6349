//! Scans of one block on the device.

use super::clock::{median_us, on_ladder_stream};
use super::launch::moving;
use super::{Gpu, TimedCopy};
use crate::failure::Failure;
use crate::number::{Number, make};
use crate::scans::{ELEMENTS, LENGTHS, SCANNING, Scanning};

/// The time of each scan by one block: mostly its launch and its barriers.
pub(super) fn scans(gpu: &Gpu) -> Result<Vec<TimedCopy>, Failure> {
    let arrays = (gpu.cuda.zeroed::<i32>(ELEMENTS)?, gpu.cuda.zeroed::<i32>(ELEMENTS)?);
    let row = |scan: &Scanning| {
        let function = gpu.function(&format!("ladder_{}", scan.name))?;
        let enqueue = || moving(gpu, &function, (&arrays.0, &arrays.1), (scan.per_thread, scan.threads()));
        let us = median_us(|calls| on_ladder_stream(gpu, || (0..calls).try_for_each(|_| enqueue())));
        // Also after a failure: the arrays must outlive the enqueued work.
        gpu.stream.wait()?;
        let (us, bytes) = (us?, 8 * ELEMENTS as u64); // read and written
        Ok(TimedCopy { name: scan.name.into(), bytes, us })
    };
    SCANNING.iter().map(row).collect()
}

/// Checks each scan at awkward lengths.
pub(super) fn check(gpu: &Gpu) -> Result<(), Failure> {
    let x = make::<i32>(ELEMENTS, i32::element);
    for len in LENGTHS {
        let (input, out) = (gpu.cuda.upload(&x[..len])?, gpu.cuda.zeroed::<i32>(len)?);
        for scan in &SCANNING {
            let function = gpu.function(&format!("ladder_{}", scan.name))?;
            let enqueued = moving(gpu, &function, (&input, &out), (scan.per_thread, scan.threads()));
            gpu.stream.wait()?;
            enqueued?;
            scan.verify(&x[..len], &out.to_vec()?)?;
        }
    }
    Ok(())
}
