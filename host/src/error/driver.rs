//! Conversion of errors of the CUDA driver to errors of this crate, by what a caller can do about them.

use std::sync::Arc;

use cust::error::CudaError;

use super::{DriverCode, Error, Unavailable};

impl From<cust::error::DriverCode> for DriverCode {
    fn from(code: cust::error::DriverCode) -> Self {
        Self(code.0)
    }
}

impl Error {
    /// Returns whether the device lacked memory. Only calls that ask for a number of bytes know how many.
    pub(crate) const fn lacks_device_memory(&self) -> bool {
        matches!(self, Self::OutOfMemory { .. } | Self::Driver { code: DriverCode::OUT_OF_MEMORY, .. })
    }
}

impl From<CudaError> for Error {
    fn from(error: CudaError) -> Self {
        match error {
            CudaError::Driver { code, during } => Self::Driver { code: code.into(), during },
            CudaError::OutOfMemory { bytes } => Self::OutOfMemory { bytes },
            CudaError::Poisoned { first_cause } => {
                Self::Poisoned { first_cause: Arc::new(Self::from((*first_cause).clone())) }
            }
            CudaError::Forked => Self::Forked,
            CudaError::NoSuchDevice { ordinal, count } => {
                Self::Unavailable { reason: Unavailable::NoSuchDevice { ordinal, count } }
            }
            CudaError::OutOfBounds { range, len } => Self::OutOfBounds { range, len },
            CudaError::OtherDevice { memory, stream } => Self::OtherDevice { array: memory, stream },
            CudaError::Capturing { during } => Self::Capturing { during },
            CudaError::Foreign { address, why } => Self::Foreign { address, why },
            CudaError::Nccl { during, fault } => Self::Nccl { during, why: fault.to_string().into() },
            CudaError::Module { code, .. } => Self::Driver { code: code.into(), during: "loading a kernel" },
            // An error of a later version of the crate, if there ever is one.
            _ => Self::Driver { code: DriverCode(999), during: "calling the driver" },
        }
    }
}
