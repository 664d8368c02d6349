//! The measured operators, and the comparison of results: ours bit for bit, a peer's within the error of its own order
//! of additions.

use warpfold::kernels::Kernel;
use warpfold::{
    AccurateDot, AccurateSum, ArgMax, ArgMin, Compose, Count, Dot, ExactSum, MatrixProduct, Max, Maximum,
    Mean, Min, MinMax, Minimum, NonZero, Norm2, PolynomialHash, Product, Sum, SumIn, Variance,
    addresses::Two,
};

use super::{bits::Bits, peer::RESULT};
use crate::datum::Datum;

/// A measured operator, whether peers have it or not.
pub(super) trait Named: Default {
    /// The name on the command line, in the table and in a peer's symbols.
    const NAME: &'static str;
    /// The greatest relative difference of a peer's result from ours, of f32 and of f64.
    const TOLERANCE: (f32, f64) = (0.0, 0.0);
}

macro_rules! named {
    ($($op:ty: $name:literal $(, $tolerance:expr)?;)*) => { $(
        impl Named for $op {
            const NAME: &'static str = $name;
            $(const TOLERANCE: (f32, f64) = $tolerance;)?
        }
    )* };
}
named! {
    // Float data is positive, so a relative tolerance is possible; one tile of 2048 missing from a sum would be five
    // times f32's tolerance.
    Sum: "sum", (1e-4, 1e-12);
    // Floats of 16 bits are summed by the kernels of `Sum`, but compared before the total is rounded: the sum of
    // 2^29 f16 is infinite, whatever a peer leaves out.
    SumIn<f32>: "sum_in_f32", (1e-4, 0.0);
    SumIn<f64>: "sum_in_f64";
    // In a product all rounding errors remain, and the errors of a pair of factors lean to one side: CUB's product of
    // 2^28 f32 is 0.84, the exact one 1. If a factor is left out or taken twice, the result is off by at least 2,
    // except for a few in a hundred factors.
    Product: "product", (0.3, 1e-8);
    Min: "min";
    Max: "max";
    Minimum: "minimum";
    Maximum: "maximum";
    ArgMin: "argmin";
    ArgMax: "argmax";
    AccurateSum: "accurate_sum";
    ExactSum: "exact_sum";
    MinMax: "minmax";
    Mean: "mean";
    Variance: "variance";
    (Min, Max, Sum): "min_max_sum";
    Norm2: "norm2";
    Count<NonZero>: "count_nonzero";
    PolynomialHash: "polynomial_hash";
    Compose: "compose";
    MatrixProduct: "matrix_product";
    Dot: "dot";
    AccurateDot: "accurate_dot";
}

/// An operator over one array.
pub(super) trait Contest<T: Datum>: Kernel<T, Out: Bits> + Named {}
impl<T: Datum, O: Kernel<T, Out: Bits> + Named> Contest<T> for O {}

/// An operator over two arrays, the two halves of each slice. There are no peers.
pub(super) trait Pairing<T: Datum>: Kernel<[T; 2], Two<T>, Out: Bits> + Named {}
impl<T: Datum, O: Kernel<[T; 2], Two<T>, Out: Bits> + Named> Pairing<T> for O {}

/// Whether a peer's result, in the layout of peers/cub.cu, agrees with ours.
pub(super) fn agrees<T: Datum, O: Contest<T>>(ours: &O::Out, theirs: &[u8; RESULT]) -> bool {
    // A peer folds 32-bit integers in 32 bits, ours in 64: the lower halves agree. Narrower ones it folds in 64 too.
    let width = if size_of::<T>() < 4 { 8 } else { size_of::<T>() };
    ours.agrees(theirs, O::TOLERANCE, width)
}

/// The element at the start of a peer's result.
pub(super) fn value<T: Datum>(theirs: &[u8; RESULT]) -> Option<T> {
    bytemuck::try_pod_read_unaligned(theirs.get(..size_of::<T>())?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpfold::{At, bf16, f16};

    fn judged<T: Datum, O: Contest<T>>(ours: O::Out, value: &[u8], index: u64) -> bool {
        let mut result = [0xAA; RESULT];
        result[..value.len()].copy_from_slice(value);
        result[8..].copy_from_slice(&index.to_le_bytes());
        agrees::<T, O>(&ours, &result)
    }

    #[test]
    fn float_sums_and_products_agree_within_rounding_only() {
        assert!(judged::<f32, Sum>(1e6, &1_000_001.0_f32.to_le_bytes(), 0));
        assert!(!judged::<f32, Sum>(1e6, &999_000.0_f32.to_le_bytes(), 0));
        assert!(!judged::<f32, Sum>(1e6, &f32::NAN.to_le_bytes(), 0));
        assert!(!judged::<f64, Sum>(1e6, &1_000_001.0_f64.to_le_bytes(), 0));
        assert!(judged::<f16, SumIn<f32>>(1e6, &1_000_001.0_f32.to_le_bytes(), 0));
        assert!(!judged::<bf16, SumIn<f32>>(1e6, &999_000.0_f32.to_le_bytes(), 0));
        assert!(judged::<f32, Product>(1.0, &0.84_f32.to_le_bytes(), 0));
        assert!(!judged::<f32, Product>(1.0, &0.5_f32.to_le_bytes(), 0));
        assert!(!judged::<f32, Product>(1.0, &0.0_f32.to_le_bytes(), 0));
    }

    #[test]
    fn integer_sums_agree_in_the_bits_that_a_peer_has() {
        assert!(judged::<i32, Sum>(0x1_0000_0005, &5_i32.to_le_bytes(), 0));
        assert!(!judged::<i64, Sum>(0x1_0000_0005, &5_i64.to_le_bytes(), 0));
        assert!(judged::<i8, Sum>(-0x1_0000_0005, &(-0x1_0000_0005_i64).to_le_bytes(), 0));
        assert!(!judged::<u16, Sum>(0x1_0000_0005, &5_u64.to_le_bytes(), 0));
        assert!(!judged::<u64, Product>(3, &5_u64.to_le_bytes(), 0));
    }

    #[test]
    fn places_and_extremes_agree_in_every_bit() {
        let at = Some(At { index: 7, value: 2.5_f32 });
        assert!(judged::<f32, ArgMax>(at, &2.5_f32.to_le_bytes(), 7));
        assert!(!judged::<f32, ArgMax>(at, &2.5_f32.to_le_bytes(), 8));
        assert!(!judged::<f32, ArgMax>(at, &2.0_f32.to_le_bytes(), 7));
        assert!(!judged::<f32, ArgMax>(None, &2.5_f32.to_le_bytes(), 7));
        assert!(judged::<u64, Min>(Some(3), &3_u64.to_le_bytes(), 0));
        assert!(!judged::<u64, Min>(Some(3), &4_u64.to_le_bytes(), 0));
        assert!(!judged::<f32, Max>(Some(0.0), &(-0.0_f32).to_le_bytes(), 0));
    }
}
