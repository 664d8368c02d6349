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

use crate::accuracy::Accuracy;
use crate::cli::Cli;
use crate::failure::Failure;
use crate::picture::{self, Bars};
use crate::text::{bytes, significant, table, time};

/// The time of a copy, a transpose or a scan.
pub(crate) struct TimedCopy {
    name: String,
    bytes: u64,
    us: f64,
}

impl TimedCopy {
    fn gb_per_s(&self) -> f64 {
        self.bytes as f64 / self.us / 1e3
    }

    fn cells(&self) -> Vec<String> {
        vec![self.name.replace('_', " "), bytes(self.bytes), time(self.us), significant(self.gb_per_s())]
    }
}

/// Measures everything, and adds the rungs' sums to `accuracy`. Returns the results as text, and a picture.
pub(crate) fn measure(gpu: &Gpu, cli: &Cli, accuracy: &mut Vec<Accuracy>) -> Result<(String, Bars), Failure> {
    let sizes = cli.sizes();
    let coalescing = moving::coalescing(gpu)?;
    let peak = device::peak(gpu, &coalescing)?;
    let properties = gpu.cuda.properties();
    let mut text = format!(
        "device   {}, {} multiprocessors\npeak     {:.0} GB/s: {}\n",
        properties.name, properties.multiprocessors, peak.gb_per_s, peak.from
    );
    let (mut plans, mut speeds) = (String::new(), Vec::new());
    climb::climb::<i32>(gpu, &sizes, &peak, (&mut text, &mut plans), &mut speeds)?;
    let largest: Vec<usize> = sizes.iter().copied().max().into_iter().collect();
    climb::climb::<f32>(gpu, &largest, &peak, (&mut text, &mut plans), &mut Vec::new())?;
    text += &plans;
    accuracy.extend(climb::accuracy(gpu, cli.floats)?);
    for (name, copies) in [
        ("moving floats", coalescing),
        ("", moving::transposes(gpu)?),
        ("scans of one block", scans::scans(gpu)?),
        ("host and device", copies::copies(gpu)?),
    ] {
        let rows: Vec<_> = copies.iter().map(TimedCopy::cells).collect();
        text += &format!("\n{}", table(1, &[name, "bytes", "time", "GB/s"], &rows));
    }
    let header = ["kernel", "threads", "registers", "shared", "blocks", "occupancy", "suggested"];
    text += &format!("\n{}", table(1, &header, &occupancy::occupancy(gpu)?));
    Ok((text, picture::bandwidth(&properties.name, (peak.gb_per_s, peak.from), &speeds)))
}
