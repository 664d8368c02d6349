//! Whether there is a driver and which devices it sees: the one place that says why there is no GPU.

use cust::device::{CudaApiVersion, DeviceAttribute};
use cust::error::CudaError;

use crate::error::{DriverCode, Error, Unavailable, Version};

/// The oldest CUDA whose drivers take the kernels' PTX.
const OLDEST_CUDA: Version = Version { major: 11, minor: 0 };

/// The oldest GPUs that the kernels' PTX is for: Turing.
const OLDEST_DEVICE: Version = Version { major: 7, minor: 5 };

/// A driver that was found and started.
#[derive(Clone, Copy, Debug)]
pub(in crate::cuda) struct Driver {
    /// The newest CUDA that it knows.
    pub(in crate::cuda) version: Version,
    /// Devices that it sees.
    pub(in crate::cuda) count: usize,
}

/// A device before it is opened.
#[derive(Clone, Debug)]
pub(in crate::cuda) struct Device {
    pub(in crate::cuda) cust: cust::device::Device,
    pub(in crate::cuda) name: String,
    pub(in crate::cuda) compute_capability: Version,
    pub(in crate::cuda) multiprocessors: u32,
    pub(in crate::cuda) memory_bytes: u64,
}

/// An error of the calls by which a driver is found.
fn unavailable(error: CudaError) -> Error {
    let CudaError::Driver { code, .. } = error else { return error.into() };
    let reason = match code.into() {
        DriverCode::STUB_LIBRARY => Unavailable::NoDriver,
        DriverCode::NO_DEVICE => Unavailable::NoDevice,
        code => Unavailable::Refused { code },
    };
    Error::Unavailable { reason }
}

impl Driver {
    /// Finds and starts the driver: cheap when it has been done before.
    pub(in crate::cuda) fn open() -> Result<Self, Error> {
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

    /// The device's properties; refused if it is older than the kernels allow.
    pub(in crate::cuda) fn device(self, ordinal: usize) -> Result<Device, Error> {
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
        Ok(Device {
            cust,
            name,
            compute_capability,
            multiprocessors: number(DeviceAttribute::MultiprocessorCount)?,
            memory_bytes: cust.total_memory()? as u64,
        })
    }
}

impl Device {
    /// Its number.
    pub(in crate::cuda) fn ordinal(&self) -> usize {
        self.cust.ordinal()
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
