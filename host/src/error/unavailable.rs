//! Reasons why no GPU can be used.

use super::{DriverCode, Error, Version};

/// Why no GPU can be used. The CPU backend always works. `Debug` prints the message, then the variant.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unavailable {
    /// The library was built without the GPU backend.
    #[error("warpfold was built without its feature `cuda`: add it in Cargo.toml to use a GPU")]
    NotBuilt,
    /// There is no libcuda.so.1, or it is a stub.
    #[error("no NVIDIA driver was found (libcuda.so.1): install one to use a GPU")]
    NoDriver,
    /// The driver sees no GPU.
    #[error(
        "the NVIDIA driver sees no GPU: check nvidia-smi and that CUDA_VISIBLE_DEVICES is unset or names one"
    )]
    NoDevice,
    /// The requested device is not among those that the driver sees.
    #[error(
        "there is no device {ordinal}: the driver sees {count}, counted from 0 (CUDA_VISIBLE_DEVICES can hide some)"
    )]
    NoSuchDevice {
        /// The requested device.
        ordinal: usize,
        /// Number of devices.
        count: usize,
    },
    /// The driver is older than CUDA 11.0, which the kernels need.
    #[error("the NVIDIA driver is for CUDA {found}: update it to one for CUDA 11.0 or later")]
    DriverTooOld {
        /// The newest CUDA version that the driver supports.
        found: Version,
    },
    /// The GPU is older than Turing.
    #[error("the GPU `{name}` has compute capability {found}: one of 7.5 or later is needed (Turing, 2018)")]
    DeviceTooOld {
        /// The device's name.
        name: String,
        /// Its compute capability.
        found: Version,
    },
    /// The process has both GPUs and the emulated device. It can have only one of the two.
    #[error(
        "a process uses either GPUs or the emulated device, whichever comes first: use the other in a process of its own"
    )]
    Emulated,
    /// The driver refused to start.
    #[error("the NVIDIA driver refused to start: {code}")]
    Refused {
        /// The driver's code.
        code: DriverCode,
    },
}

impl From<Unavailable> for Error {
    fn from(reason: Unavailable) -> Self {
        Self::Unavailable { reason }
    }
}
