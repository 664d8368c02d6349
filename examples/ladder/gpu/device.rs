//! The device, its kernels, and its memory's bandwidth.

use std::sync::Arc;

use cust::context::Context;
use cust::device::{Device, DeviceAttribute};
use cust::function::Function;
use cust::module::Module;
use cust::stream::Stream;
use warpfold::Cuda;
use warpfold_ptx::{Pack, Place};

use super::TimedCopy;
use crate::failure::Failure;

/// The PTX of the ladder, compiled by `cargo xtask ptx`.
const KERNELS: Pack<'static> = warpfold_ptx::include_pack!("../ptx/ladder.pack");

/// The first GPU, with the ladder's kernels.
pub(crate) struct Gpu {
    modules: Vec<(&'static str, &'static str, Arc<Module>)>,
    /// The ladder's stream. The library has its own.
    pub(crate) stream: Stream,
    pub(crate) cuda: Cuda,
    pub(crate) context: Arc<Context>,
    device: Device,
}

impl Gpu {
    pub(crate) fn open() -> Result<Self, Failure> {
        let cuda = Cuda::open(0)?;
        // The context is the device's primary one, which warpfold uses too, so both can use each other's
        // arrays.
        let device = Device::get_device(0)?;
        let context = Context::open(device)?;
        let stream = Stream::new(&context)?;
        let load = |(entry, place): (_, Place<'static>)| {
            Ok((entry, place.kernel(), Module::from_ptx(&context, &place.text()?, &[])?))
        };
        let modules = KERNELS.entries().map(load).collect::<Result<_, Failure>>()?;
        Ok(Self { modules, stream, cuda, context, device })
    }

    /// Loads the kernel of an entry point with arguments `A`. The stream keeps it.
    pub(crate) fn function<A: 'static>(&self, entry: &str) -> Result<Arc<Function<A>>, Failure> {
        let found = self.modules.iter().find(|(name, ..)| *name == entry);
        let (_, kernel, module) = found.ok_or_else(|| Failure::NoKernel(entry.into()))?;
        let function = Arc::new(module.get_function(kernel)?);
        self.stream.add_observer(function.clone());
        Ok(function)
    }

    /// Waits until the device is idle.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        Ok(self.context.synchronize()?)
    }

    /// An attribute of the device; 0 if the driver does not know it.
    pub(crate) fn attribute(&self, attribute: DeviceAttribute) -> Result<u32, Failure> {
        Ok(self.device.get_attribute(attribute)?)
    }
}

/// The memory's peak bandwidth.
pub(crate) struct Peak {
    pub(crate) gb_per_s: f64,
    pub(crate) from: &'static str,
}

/// Bandwidths from NVIDIA's datasheets in 10^9 bytes per second, by a part of the device's name; the first
/// match counts.
const DATASHEETS: [(&str, f64); 10] = [
    ("H200", 4800.0),
    ("H100 NVL", 3900.0),
    ("H100 PCIe", 2000.0),
    ("H100 80GB HBM3", 3350.0),
    ("A100-SXM4-80GB", 2039.0),
    ("A100-SXM4-40GB", 1555.0),
    ("A100-PCIE-40GB", 1555.0),
    ("L40S", 864.0),
    ("T4", 320.0),
    ("L4", 300.0),
];

/// The peak bandwidth: from the datasheet, or from the clock and bus width that the driver states (newer
/// drivers state no clock), otherwise the fastest copy measured.
pub(crate) fn peak(gpu: &Gpu, copies: &[TimedCopy]) -> Result<Peak, Failure> {
    // Matches whole words: L4 is not L40S.
    let name = format!(" {} ", gpu.cuda.properties().name);
    let has = |part: &str| name.contains(&format!(" {part} "));
    if let Some((_, gb_per_s)) = DATASHEETS.into_iter().find(|(name, _)| has(name)) {
        return Ok(Peak { gb_per_s, from: "the datasheet" });
    }
    let kilohertz = f64::from(gpu.attribute(DeviceAttribute::MemoryClockRate)?);
    let bits = f64::from(gpu.attribute(DeviceAttribute::GlobalMemoryBusWidth)?);
    let gb_per_s = 2.0 * kilohertz * 1e3 * bits / 8.0 / 1e9;
    if gb_per_s > 0.0 {
        return Ok(Peak { gb_per_s, from: "memory clock x bus width x 2" });
    }
    let fastest = copies.iter().map(TimedCopy::gb_per_s).fold(0.0, f64::max);
    Ok(Peak { gb_per_s: fastest, from: "the fastest copy measured; the driver states no clock" })
}
