//! The virtual architectures for which PTX can be written.

/// A virtual architecture (`.target` of the PTX). Its PTX runs on every GPU of that compute capability and later, so
/// the lowest one with the features that a kernel needs is the best choice.
///
/// The name is Rust-CUDA's. Volta and older are left out, because current drivers and toolkits no longer support them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NvvmArch {
    /// Turing (T4, RTX 20), the oldest that CUDA 13 supports.
    #[default]
    Compute75,
    /// Ampere (A100).
    Compute80,
    /// Ampere (A10, RTX 30).
    Compute86,
    /// Ampere (Jetson Orin).
    Compute87,
    /// Ada (L4, L40, RTX 40).
    Compute89,
    /// Hopper (H100, H200).
    Compute90,
    /// Blackwell (B200).
    Compute100,
    /// Blackwell (RTX 50).
    Compute120,
}

impl NvvmArch {
    /// Returns the name in rustc and PTX, such as `sm_75`.
    #[must_use]
    pub fn target_cpu(self) -> &'static str {
        match self {
            Self::Compute75 => "sm_75",
            Self::Compute80 => "sm_80",
            Self::Compute86 => "sm_86",
            Self::Compute87 => "sm_87",
            Self::Compute89 => "sm_89",
            Self::Compute90 => "sm_90",
            Self::Compute100 => "sm_100",
            Self::Compute120 => "sm_120",
        }
    }
}
