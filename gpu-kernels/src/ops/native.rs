//! The integers of the machine's word, usize and isize, whose kernels are those of u64 and i64.

use super::*;

/// An operator that does with `usize` and `isize`, where they have 64 bits, what it does with `u64` and `i64`: one kernel folds
/// both. On a machine of another word no kernel does, and the CPU folds them as they are.
///
/// # Safety
/// On a target whose pointers have 64 bits, where the operator is one over `usize` and over `u64` (`isize` and `i64`): the
/// accumulators are of one type, the constants are the same, `lift`, `combine` and `append` give the same bits of the same bits,
/// and what `finish` gives is stored as the same bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to treat `usize` as `u64` and `isize` as `i64`"
)]
pub unsafe trait OfNativeIntegers: Copy + Send + Sync + 'static {}

macro_rules! of_native_integers {
    ($($op:ty),* $(,)?) => { $(
        // SAFETY: what it needs of `usize` and `isize`, the lists of integers in this folder give by casts that keep all
        // bits: in `number`, `order`, `bitwise`, `ends` and `stored`.
        unsafe impl OfNativeIntegers for $op {}
    )* };
}
of_native_integers! {
    Sum, Product, Min, Max, Minimum, Maximum, ArgMin, ArgMax, MinMax, ArgMinMax, SumOfSquares, Norm1, Norm2, NormInf, Mean,
    BitAnd, BitOr, BitXor, All, Any, Count<NonZero>, First, Last,
}

macro_rules! of_floats {
    ($($op:ty),*) => { $(
        // SAFETY: of either element the same float is computed with.
        unsafe impl OfNativeIntegers for $op {}
    )* };
}
of_floats!(Variance, SampleVariance, StdDev, SampleStdDev);

// SAFETY: each number is carried as the same one of 128 bits.
unsafe impl OfNativeIntegers for SumIn<i128> {}

// SAFETY: each does, and stands beside the others without padding.
unsafe impl<A: OfNativeIntegers, B: OfNativeIntegers> OfNativeIntegers for (A, B) {}

// SAFETY: each does, and stands beside the others without padding.
unsafe impl<A: OfNativeIntegers, B: OfNativeIntegers, C: OfNativeIntegers> OfNativeIntegers for (A, B, C) {}
