//! Version numbers of PTX, drivers and GPUs.

use std::fmt;

/// A version of two numbers: of PTX, of the CUDA that a driver supports, or a GPU's compute capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The 12 of 12.4.
    pub major: u32,
    /// The 4 of 12.4.
    pub minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
