//! The search for a driver and its devices. Only this file determines why no GPU can be used.

use cust::device::{CudaApiVersion, DeviceAttribute};
use cust::error::CudaError;

use crate::error::{DriverCode, Error, Unavailable, Version};

/// The oldest CUDA whose drivers take the kernels' PTX.
pub(crate) const OLDEST_CUDA: Version = Version { major: 11, minor: 0 };

/// The oldest compute capability that the kernels' PTX is for: Turing.
const OLDEST_DEVICE: Version = Version { major: 7, minor: 5 };

/// A driver that was found and started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Driver {
    /// The newest CUDA that the driver supports.
    pub(crate) version: Version,
    /// Number of devices that the driver sees.
    pub(crate) count: usize,
}

/// Properties of a device and its driver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceProperties {
    /// The device's number, counted from 0 among the devices that CUDA_VISIBLE_DEVICES leaves.
    pub ordinal: usize,
    /// The device's name from the driver, such as `NVIDIA H200`.
    pub name: String,
    /// The device's compute capability, such as 9.0 for an H200.
    pub compute_capability: Version,
    /// Number of multiprocessors, such as 132 for an H200.
    pub multiprocessors: u32,
    /// Most bytes of shared memory that a block of threads may have.
    pub shared_bytes: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// The newest CUDA that the driver supports.
    pub driver: Version,
}

/// Converts an error of the calls that find a driver.
fn unavailable(error: CudaError) -> Error {
    let CudaError::Driver { code, .. } = error else { return error.into() };
    let reason = match code.into() {
        DriverCode::STUB_LIBRARY => Unavailable::NoDriver,
        DriverCode::NO_DEVICE => Unavailable::NoDevice,
        code => Unavailable::Refused { code },
    };
    Error::Unavailable { reason }
}

/// The environment variable that puts the emulated device in the place of GPUs, in programs with the feature `emulator`.
#[cfg(feature = "emulator")]
const VARIABLE: &str = "WARPFOLD_DEVICE";

impl Driver {
    /// Finds and starts the driver. Cheap after the first time.
    pub(crate) fn open() -> Result<Self, Error> {
        #[cfg(feature = "emulator")]
        if std::env::var_os(VARIABLE).is_some_and(|device| device == "emulated") {
            return Self::emulated();
        } else if cust::emulated::is_in_use() {
            return Err(Error::Unavailable { reason: Unavailable::Emulated });
        }
        Self::start()
    }

    /// Starts the emulated driver.
    #[cfg(feature = "emulator")]
    pub(crate) fn emulated() -> Result<Self, Error> {
        cust::emulated::start().map_err(|_| Error::Unavailable { reason: Unavailable::Emulated })?;
        Self::start()
    }

    fn start() -> Result<Self, Error> {
        cust::init().map_err(unavailable)?;
        let CudaApiVersion { major, minor } = CudaApiVersion::get().map_err(unavailable)?;
        let version = Version { major, minor };
        if version < OLDEST_CUDA {
            return Err(Error::Unavailable { reason: Unavailable::DriverTooOld { found: version } });
        }
        match cust::device::Device::num_devices().map_err(unavailable)? {
            0 => Err(Error::Unavailable { reason: Unavailable::NoDevice }),
            count => Ok(Self { version, count }),
        }
    }

    /// Returns the device and its properties. Fails if the device is too old for the kernels.
    pub(crate) fn device(self, ordinal: usize) -> Result<(cust::device::Device, DeviceProperties), Error> {
        let cust = cust::device::Device::get_device(ordinal)?;
        let number = |attribute| cust.get_attribute(attribute);
        let name = cust.name()?;
        let compute_capability = Version {
            major: number(DeviceAttribute::ComputeCapabilityMajor)?,
            minor: number(DeviceAttribute::ComputeCapabilityMinor)?,
        };
        if compute_capability < OLDEST_DEVICE {
            let reason = Unavailable::DeviceTooOld { name, found: compute_capability };
            return Err(Error::Unavailable { reason });
        }
        let properties = DeviceProperties {
            ordinal,
            name,
            compute_capability,
            multiprocessors: number(DeviceAttribute::MultiprocessorCount)?,
            shared_bytes: number(DeviceAttribute::MaxSharedMemoryPerBlockOptin)?,
            memory_bytes: cust.total_memory()? as u64,
            driver: self.version,
        };
        Ok((cust, properties))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_reasons() {
        let reason = |code| {
            let code = cust::error::DriverCode(code);
            match unavailable(CudaError::Driver { code, during: "starting the driver" }) {
                Error::Unavailable { reason } => reason,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(reason(34), Unavailable::NoDriver);
        assert_eq!(reason(100), Unavailable::NoDevice);
        assert_eq!(reason(803), Unavailable::Refused { code: DriverCode::SYSTEM_DRIVER_MISMATCH });
        assert!(reason(54321).to_string().contains("54321"));
    }
}
