//! The numbers that the ladder adds up: 32-bit integers, as in Harris's slides, and f32, as in the workshops.

use cuda_std::atomic::AtomicNumber;
use cuda_std::global::GlobalSlice;

/// A number of 4 bytes, the width of a bank of shared memory.
pub trait Addend: AtomicNumber {
    /// The additive identity.
    const ZERO: Self;
    /// Returns the sum. Integers wrap.
    #[must_use]
    fn plus(self, other: Self) -> Self;
}

impl Addend for i32 {
    const ZERO: Self = 0;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Addend for f32 {
    const ZERO: Self = 0.0;
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// Returns the element at `index`, or zero beyond the end, so that blocks need not divide the input.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[track_caller]
pub(super) fn element<T: Addend>(input: GlobalSlice<T>, index: u64) -> T {
    if index < input.len() { input.read(index) } else { T::ZERO }
}
