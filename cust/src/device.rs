//! The driver and its devices.

use std::ffi::{CStr, c_char, c_uint};

use crate::error::{CudaError, CudaResult, plain};
use crate::{fork, sys};

/// Finds and starts the driver. It must succeed before any other call; repeated calls are cheap.
///
/// # Errors
/// [`CudaError::Driver`] with code 34 (`CUDA_ERROR_STUB_LIBRARY`) without a driver, or 100 (`CUDA_ERROR_NO_DEVICE`) if
/// the driver sees no device; [`CudaError::Forked`] in a process that was forked from one that had called this.
pub fn init() -> CudaResult<()> {
    if fork::forked() {
        return Err(CudaError::Forked);
    }
    // SAFETY: takes one number, which must be 0.
    plain(unsafe { sys::cuInit(0) }, "starting the driver")?;
    fork::watch()
}

/// The newest CUDA version that a driver supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CudaApiVersion {
    /// The 13 of 13.0.
    pub major: u32,
    /// The 0 of 13.0.
    pub minor: u32,
}

impl CudaApiVersion {
    /// Returns the version of the installed driver.
    ///
    /// # Errors
    /// [`CudaError::Driver`] before [`init`] has succeeded.
    pub fn get() -> CudaResult<Self> {
        let mut version = 0;
        // SAFETY: writes one number to a local.
        plain(unsafe { sys::cuDriverGetVersion(&raw mut version) }, "asking for the driver's version")?;
        let version = u32::try_from(version).unwrap_or(0);
        Ok(Self { major: version / 1000, minor: version % 1000 / 10 })
    }
}

/// A device before it is [opened](crate::context::Context::open).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    ordinal: usize,
    raw: i32,
}

/// A numeric attribute of a device (`CUdevice_attribute`, cuda.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum DeviceAttribute {
    /// The memory's clock in kilohertz; 0 for newer devices.
    MemoryClockRate = 36,
    /// The width of the memory's bus in bits.
    GlobalMemoryBusWidth = 37,
    /// Bytes of the L2 cache, which all multiprocessors share.
    L2CacheSize = 38,
    /// Most resident threads of a multiprocessor.
    MaxThreadsPerMultiprocessor = 39,
    /// Number of multiprocessors.
    MultiprocessorCount = 16,
    /// The 9 of compute capability 9.0.
    ComputeCapabilityMajor = 75,
    /// The 0 of compute capability 9.0.
    ComputeCapabilityMinor = 76,
    /// Most bytes of shared memory of a block, if its kernel [asks for them](crate::function::Function::allow_shared).
    MaxSharedMemoryPerBlockOptin = 97,
}

const DURING: &str = "asking for a device's properties";

impl Device {
    /// Returns the number of devices that the driver sees.
    ///
    /// # Errors
    /// [`CudaError::Driver`] before [`init`] has succeeded.
    pub fn num_devices() -> CudaResult<usize> {
        let mut count = 0;
        // SAFETY: writes one number to a local.
        plain(unsafe { sys::cuDeviceGetCount(&raw mut count) }, "counting devices")?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Returns the device with this number, counted from 0.
    ///
    /// # Errors
    /// [`CudaError::NoSuchDevice`] if there is no such device; [`CudaError::Driver`] before [`init`] has succeeded.
    pub fn get_device(ordinal: usize) -> CudaResult<Self> {
        let count = Self::num_devices()?;
        let there = i32::try_from(ordinal).ok().filter(|_| ordinal < count);
        let Some(index) = there else { return Err(CudaError::NoSuchDevice { ordinal, count }) };
        let mut raw = 0;
        // SAFETY: writes one number to a local.
        plain(unsafe { sys::cuDeviceGet(&raw mut raw, index) }, DURING)?;
        Ok(Self { ordinal, raw })
    }

    /// Returns the device's number.
    #[must_use]
    pub fn ordinal(self) -> usize {
        self.ordinal
    }

    /// Returns the driver's handle (`CUdevice`).
    pub(crate) fn raw(self) -> i32 {
        self.raw
    }

    /// Returns the device's name, such as `NVIDIA H200`.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver refuses.
    pub fn name(self) -> CudaResult<String> {
        const BYTES: usize = 256;
        let mut name = [0u8; BYTES];
        // SAFETY: writes at most `BYTES` bytes, a NUL among them, to a local.
        let code =
            unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast::<c_char>(), BYTES as i32, self.raw) };
        plain(code, DURING)?;
        Ok(CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned())
    }

    /// Returns the bytes of the device's memory.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver refuses.
    pub fn total_memory(self) -> CudaResult<usize> {
        let mut bytes = 0;
        // SAFETY: writes one number to a local.
        plain(unsafe { sys::cuDeviceTotalMem_v2(&raw mut bytes, self.raw) }, DURING)?;
        Ok(bytes)
    }

    /// Returns an attribute of the device, or 0 if it is negative.
    ///
    /// # Errors
    /// [`CudaError::Driver`] if the driver refuses.
    pub fn get_attribute(self, attribute: DeviceAttribute) -> CudaResult<u32> {
        let mut value = 0;
        // SAFETY: writes one number to a local.
        let code = unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute as c_uint, self.raw) };
        plain(code, DURING)?;
        Ok(u32::try_from(value).unwrap_or(0))
    }
}
