//! Reasons why NCCL moves nothing.

use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::library;
use crate::error::CudaError;

/// Why a call of NCCL failed.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum NcclFault {
    /// The library was not found.
    #[error(
        "{tried} was not found: install NCCL 2.18 or later (Debian and Ubuntu: libnccl2 from NVIDIA's repository; pip: \
         nvidia-nccl-cu12), and put its folder into LD_LIBRARY_PATH or its path into WARPFOLD_NCCL"
    )]
    Missing {
        /// The names under which it was looked up.
        tried: Arc<str>,
    },
    /// The library lacks functions, because it is older than 2.18 or not NCCL.
    #[error(
        "the NCCL that was found is {}: install NCCL 2.18 or later (libnccl2, or pip's nvidia-nccl-cu12), or name \
         another by WARPFOLD_NCCL", readable(*found)
    )]
    TooOld {
        /// Its version as NCCL counts it (21304 is 2.13.4), or 0 if it tells none.
        found: u32,
    },
    /// NCCL returned an error.
    #[error("{code}; NCCL_DEBUG=INFO prints more")]
    Failed {
        /// NCCL's code.
        code: NcclCode,
    },
    /// Another rank did not take part within the time limit.
    #[error(
        "another rank did nothing within {limit:?}: look for what it waits for, or raise the limit; start all ranks anew"
    )]
    Late {
        /// The time limit.
        limit: Duration,
    },
    /// This rank gave up, and ended what was under way.
    #[error("this rank has left the others: start all ranks anew")]
    Left,
    /// An earlier error ended the communicator.
    #[error("an earlier error ended the communicator: start all ranks anew. First cause: {first_cause}")]
    Ended {
        /// The error.
        #[source]
        first_cause: Arc<CudaError>,
    },
}

/// Prints the message: an error that leaves `main` is printed by `Debug`.
impl fmt::Debug for NcclFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A result code of NCCL (`ncclResult_t`): the number, whatever it is. It prints with NCCL's own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NcclCode(pub u32);

impl fmt::Display for NcclCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(library) = library::loaded() else { return write!(f, "NCCL code {}", self.0) };
        // SAFETY: takes any code, and returns a static text that ends in NUL (nccl.h).
        let text = unsafe { (library.ncclGetErrorString)(self.0) };
        if text.is_null() {
            return write!(f, "NCCL code {}", self.0);
        }
        // SAFETY: as above; not null.
        let text = unsafe { CStr::from_ptr(text) };
        write!(f, "NCCL: {} ({})", text.to_string_lossy(), self.0)
    }
}

/// Returns a version as people write it.
fn readable(version: u32) -> String {
    match version {
        0 => "of no known version".into(),
        // Until 2.8 a version had four digits.
        1..10_000 => format!("{}.{}.{}", version / 1000, version / 100 % 10, version % 100),
        _ => format!("{}.{}.{}", version / 10_000, version / 100 % 100, version % 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_told_as_people_write_them() {
        for (found, text) in [(21_304, "2.13.4"), (2708, "2.7.8"), (0, "no known version")] {
            let told = NcclFault::TooOld { found }.to_string();
            assert!(told.contains(text) && told.contains("2.18"), "{told}");
        }
    }
}
