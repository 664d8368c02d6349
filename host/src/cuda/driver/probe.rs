//! Whether there is a driver and which devices it sees: the one place that says why there is no GPU.

use cust::device::DeviceAttribute;

use super::{fork, raw};
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
    pub(super) cust: cust::device::Device,
    pub(in crate::cuda) ordinal: usize,
    pub(in crate::cuda) name: String,
    pub(in crate::cuda) compute_capability: Version,
    pub(in crate::cuda) multiprocessors: u32,
    pub(in crate::cuda) memory_bytes: u64,
}

/// A code of the calls by which a driver is found.
fn check(code: u32) -> Result<(), Error> {
    let reason = match DriverCode(code) {
        DriverCode(raw::SUCCESS) => return Ok(()),
        DriverCode::STUB_LIBRARY => Unavailable::NoDriver,
        DriverCode::NO_DEVICE => Unavailable::NoDevice,
        code => Unavailable::Refused { code },
    };
    Err(Error::Unavailable { reason })
}

/// An error of cust's calls about devices, which are made only after [`Driver::open`] has succeeded.
fn ask<T>(answer: Result<T, cust::error::CudaError>) -> Result<T, Error> {
    answer.map_err(|error| Error::Driver {
        code: DriverCode(error as u32),
        during: "asking for a device's properties",
    })
}

impl Driver {
    /// Finds and starts the driver: cheap when it has been done before.
    pub(in crate::cuda) fn open() -> Result<Self, Error> {
        if fork::forked() {
            return Err(Error::Forked);
        }
        // SAFETY: takes a number, which must be 0.
        check(unsafe { raw::cuInit(0) })?;
        fork::watch()?;
        let (mut version, mut count) = (0, 0);
        // SAFETY: both write one number to a local.
        unsafe {
            check(raw::cuDriverGetVersion(&raw mut version))?;
            check(raw::cuDeviceGetCount(&raw mut count))?;
        }
        let version = u32::try_from(version).unwrap_or(0);
        let version = Version { major: version / 1000, minor: version % 1000 / 10 };
        if version < OLDEST_CUDA {
            return Err(Error::Unavailable { reason: Unavailable::DriverTooOld { found: version } });
        }
        match usize::try_from(count) {
            Ok(count) if count > 0 => Ok(Self { version, count }),
            _ => Err(Error::Unavailable { reason: Unavailable::NoDevice }),
        }
    }

    /// The device's properties; refused if it is older than the kernels allow.
    pub(in crate::cuda) fn device(self, ordinal: usize) -> Result<Device, Error> {
        let there = u32::try_from(ordinal).ok().filter(|_| ordinal < self.count);
        let Some(index) = there else {
            return Err(Error::Unavailable {
                reason: Unavailable::NoSuchDevice { ordinal, count: self.count },
            });
        };
        let cust = ask(cust::device::Device::get_device(index))?;
        let name = ask(cust.name())?;
        let number =
            |attribute| ask(cust.get_attribute(attribute)).map(|value| u32::try_from(value).unwrap_or(0));
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
            ordinal,
            name,
            compute_capability,
            multiprocessors: number(DeviceAttribute::MultiprocessorCount)?,
            memory_bytes: ask(cust.total_memory())? as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_reasons() {
        let reason = |code| match check(code) {
            Err(Error::Unavailable { reason }) => reason,
            other => panic!("{other:?}"),
        };
        assert!(check(0).is_ok());
        assert_eq!(reason(34), Unavailable::NoDriver);
        assert_eq!(reason(100), Unavailable::NoDevice);
        assert_eq!(reason(803), Unavailable::Refused { code: DriverCode::SYSTEM_DRIVER_MISMATCH });
        assert!(reason(54321).to_string().contains("54321"));
    }
}
