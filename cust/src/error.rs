//! Errors of calls to the driver.

use std::ffi::CStr;
use std::fmt;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use crate::nccl::NcclFault;
use crate::sys;

/// The result of a call.
pub type CudaResult<T> = Result<T, CudaError>;

/// Why a call failed.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The driver returned an error.
    #[error("{during}: {code}")]
    Driver {
        /// The driver's code.
        code: DriverCode,
        /// What the call was for.
        during: &'static str,
    },
    /// The device does not have enough free memory. Nothing was lost: a smaller request may succeed.
    #[error(
        "the device does not have {bytes} bytes free: drop what is not needed, or close other programs on this GPU"
    )]
    OutOfMemory {
        /// Requested bytes.
        bytes: u64,
    },
    /// An earlier error left the device unusable in this process.
    #[error("the GPU stopped working in this process: restart it. First cause: {first_cause}")]
    Poisoned {
        /// The error that caused it.
        #[source]
        first_cause: Arc<CudaError>,
    },
    /// The process was forked after it had opened the driver. CUDA does not survive that.
    #[error(
        "this process was forked from one that had used the GPU: use the GPU in one of them only, or start the \
             other by exec (Command does)"
    )]
    Forked,
    /// The requested device is not among those that the driver sees.
    #[error("there is no device {ordinal}: the driver sees {count}, counted from 0")]
    NoSuchDevice {
        /// The requested device.
        ordinal: usize,
        /// Number of devices.
        count: usize,
    },
    /// A range is not within its memory.
    #[error("bytes {}..{} are not within {len} bytes of memory", range.start, range.end)]
    OutOfBounds {
        /// The requested range.
        range: Range<usize>,
        /// The memory's length.
        len: usize,
    },
    /// Memory, a kernel or an event of one device was given to another's stream.
    #[error(
        "the memory is on device {memory} and the stream on device {stream}: copy it to the stream's device"
    )]
    OtherDevice {
        /// Device of the memory, kernel or event.
        memory: usize,
        /// Device of the stream.
        stream: usize,
    },
    /// A call that waits for the device was made while its stream was recording a graph.
    #[error("{during} is not possible while the stream records a graph")]
    Capturing {
        /// What the call was for.
        during: &'static str,
    },
    /// Memory or a stream of another library cannot be used.
    #[error("the memory or stream at {address:#x} cannot be used: {why}")]
    Foreign {
        /// The pointer or the stream's handle, as a number.
        address: u64,
        /// Why, and what to do.
        why: &'static str,
    },
    /// NCCL did not move what it was asked to.
    #[error("{during}: {fault}")]
    Nccl {
        /// What the call was for.
        during: &'static str,
        /// Why.
        #[source]
        fault: NcclFault,
    },
    /// A module's PTX does not load.
    #[error("the module could not be loaded: {code}{}{log}", if log.is_empty() { "" } else { "; log: " })]
    Module {
        /// The driver's code.
        code: DriverCode,
        /// The log of the driver's compiler.
        log: Arc<str>,
    },
}

/// Prints the message: an error that leaves `main` is printed by `Debug`.
impl fmt::Debug for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A result code of the driver (`CUresult`, cuda.h): the number, whatever it is. It prints with the driver's own name
/// for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DriverCode(pub u32);

impl DriverCode {
    /// Returns whether the driver returns the same error for every later call in this process: cuda.h says of these
    /// codes that they leave "the process in an inconsistent state" (12.8, and 710 of earlier versions).
    #[must_use]
    pub fn is_sticky(self) -> bool {
        matches!(self.0, 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 911)
    }
}

impl fmt::Display for DriverCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            // This crate returns it where there is no driver to ask.
            sys::STUB_LIBRARY => Some("CUDA_ERROR_STUB_LIBRARY, there is no NVIDIA driver"),
            code => name(code),
        };
        match name {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "driver code {}", self.0),
        }
    }
}

/// Returns the driver's name of a code, or `None` if the driver does not know it.
fn name(code: u32) -> Option<&'static str> {
    let mut name = ptr::null();
    // SAFETY: writes one pointer to a local; needs no context.
    let found = unsafe { sys::cuGetErrorName(code, &raw mut name) };
    if found != sys::SUCCESS || name.is_null() {
        return None;
    }
    // SAFETY: the driver returned a static text of its own, which ends in NUL and is never changed or freed.
    unsafe { CStr::from_ptr(name) }.to_str().ok()
}

/// Converts a code to a result.
pub(crate) fn plain(code: u32, during: &'static str) -> CudaResult<()> {
    if code == sys::SUCCESS { Ok(()) } else { Err(CudaError::Driver { code: DriverCode(code), during }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_codes_print_as_numbers() {
        for code in [9999, u32::MAX] {
            assert!(DriverCode(code).to_string().contains(&code.to_string()));
        }
        assert!(DriverCode(34).to_string().contains("no NVIDIA driver (34)"));
    }

    #[test]
    fn only_errors_of_a_dead_context_are_sticky() {
        for code in [700, 702, 716] {
            assert!(DriverCode(code).is_sticky());
        }
        for code in [0, 1, 2, 701, 720, 900] {
            assert!(!DriverCode(code).is_sticky());
        }
    }
}
