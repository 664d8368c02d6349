//! The pointer-sized integers usize and isize, which share the kernels of u64 and i64.

use super::*;

/// An operator that treats 64-bit `usize` and `isize` as `u64` and `i64`, so that one kernel folds both. On targets with other
/// pointer sizes they have no kernel, and the CPU folds them as they are.
///
/// # Safety
/// On a target with 64-bit pointers, where `Self` is an operator over `usize` and over `u64` (or `isize` and `i64`): the
/// accumulators are of one type, the constants are equal, `lift`, `combine` and `append` map equal bits to equal bits, and the
/// results of `finish` are stored as equal bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to treat `usize` as `u64` and `isize` as `i64`"
)]
pub unsafe trait OfNativeIntegers: Copy + Send + Sync + 'static {}

/// Declares that operators treat both alike. The impls of `Op` for `usize` and `isize` come from the same lists of integers as the
/// impls for `u64` and `i64`, by casts that keep all bits: in `number`, `order`, `bitwise`, `ends` and `stored`.
macro_rules! of_native_integers {
    ($($op:ty),*) => { $(
        // SAFETY: the macro's documentation says why.
        unsafe impl $crate::OfNativeIntegers for $op {}
    )* };
}
pub(super) use of_native_integers;

// SAFETY: both elements widen to the same 128-bit number, in which the operator computes.
unsafe impl OfNativeIntegers for SumIn<i128> {}

// SAFETY: by the bounds each part treats both alike; `Joined` stores the parts side by side without padding.
unsafe impl<A: OfNativeIntegers, B: OfNativeIntegers> OfNativeIntegers for (A, B) {}

// SAFETY: by the bounds each part treats both alike; `Joined` stores the parts side by side without padding.
unsafe impl<A: OfNativeIntegers, B: OfNativeIntegers, C: OfNativeIntegers> OfNativeIntegers for (A, B, C) {}
