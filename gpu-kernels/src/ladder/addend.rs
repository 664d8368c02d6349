//! What the ladder adds up: 32-bit integers, as Harris's slides do, and f32, as the workshops do.

use cuda_std::atomic::AtomicNumber;
use cuda_std::global::GlobalSlice;

/// A number of 4 bytes: what shared memory has a bank for.
pub trait Addend: AtomicNumber {
    /// What adding changes nothing.
    const ZERO: Self;
    /// The sum. Integers wrap.
    #[must_use]
    fn plus(self, other: Self) -> Self;
}

impl Addend for i32 {
    const ZERO: Self = 0;
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Addend for f32 {
    const ZERO: Self = 0.0;
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// The element at `index`, or zero behind the end: so that a rung need not ask that blocks divide the input.
#[inline(always)]
#[track_caller]
pub(super) fn element<T: Addend>(input: GlobalSlice<T>, index: u64) -> T {
    if index < input.len() { input.read(index) } else { T::ZERO }
}
