//! The comparison of results: ours bit for bit, a peer's within the error of its own order of additions.

use warpfold::{
    AccurateSum, Affine, ArgMax, ArgMin, Complex, Compose, Count, ExactSum, Kernel, Matrix2, MatrixProduct,
    Max, Maximum, Mean, Min, MinMax, Minimum, NonZero, Norm2, PolynomialHash, Product, Sum, SumIn, Variance,
    bf16, f16,
};

use super::{bits::Bits, peer::RESULT};
use crate::datum::Datum;

/// A measured operator, whether peers have it or not.
pub(super) trait Contest<T: Datum>: Kernel<T, Out: Bits> + Default {
    /// The name on the command line, in the table and in a peer's symbols.
    const NAME: &'static str;
    /// Whether a peer's result, in the layout of peers/cub.cu, agrees with ours; `false` for operators without
    /// peers.
    fn agrees(_ours: &Self::Out, _theirs: &[u8; RESULT]) -> bool {
        false
    }
}

/// The element at the start of a peer's result.
pub(super) fn value<T: Datum>(theirs: &[u8; RESULT]) -> Option<T> {
    bytemuck::try_pod_read_unaligned(theirs.get(..size_of::<T>())?).ok()
}

/// The index in a peer's result.
fn index(theirs: &[u8; RESULT]) -> u64 {
    let [.., a, b, c, d, e, f, g, h] = *theirs;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

fn bytes<T: Datum>(x: &T) -> &[u8] {
    bytemuck::bytes_of(x)
}

macro_rules! number {
    ($op:ty, $name:literal;
     $($type:ty as $result:ty: |$ours:ident, $theirs:ident| $agrees:expr;)*) => { $(
        impl Contest<$type> for $op {
            const NAME: &'static str = $name;
            fn agrees(&$ours: &Self::Out, theirs: &[u8; RESULT]) -> bool {
                value::<$result>(theirs).is_some_and(|$theirs| $agrees)
            }
        }
    )* };
}
// A peer folds 32-bit integers in 32 bits, ours in 64: the lower halves agree. Float data is positive, so a
// relative tolerance is possible; one tile of 2048 missing from a sum would be five times f32's tolerance.
number! { Sum, "sum";
    f32 as f32: |ours, theirs| (ours - theirs).abs() <= 1e-4 * ours.abs();
    f64 as f64: |ours, theirs| (ours - theirs).abs() <= 1e-12 * ours.abs();
    i32 as i32: |ours, theirs| ours as i32 == theirs;
    u32 as u32: |ours, theirs| ours as u32 == theirs;
    i64 as i64: |ours, theirs| ours == theirs;
    u64 as u64: |ours, theirs| ours == theirs;
    i8 as i64: |ours, theirs| ours == theirs;
    u8 as u64: |ours, theirs| ours == theirs;
    i16 as i64: |ours, theirs| ours == theirs;
    u16 as u64: |ours, theirs| ours == theirs;
}
// Floats of 16 bits are summed by the kernels of `Sum`, but compared before the total is rounded: the sum of
// 2^29 f16 is infinite, whatever a peer leaves out.
number! { SumIn<f32>, "sum_in_f32";
    f16 as f32: |ours, theirs| (ours - theirs).abs() <= 1e-4 * ours.abs();
    bf16 as f32: |ours, theirs| (ours - theirs).abs() <= 1e-4 * ours.abs();
}
// In a product all rounding errors remain, and those of a pair of factors lean to one side: CUB's product of
// 2^28 f32 is 0.84, the exact one 1. If a factor is left out or taken twice, the result is off by at least 2,
// except for a few in a hundred factors.
number! { Product, "product";
    f32 as f32: |ours, theirs| (ours - theirs).abs() <= 0.3 * ours.abs();
    f64 as f64: |ours, theirs| (ours - theirs).abs() <= 1e-8 * ours.abs();
    i32 as i32: |ours, theirs| ours as i32 == theirs;
    u32 as u32: |ours, theirs| ours as u32 == theirs;
    i64 as i64: |ours, theirs| ours == theirs;
    u64 as u64: |ours, theirs| ours == theirs;
}

macro_rules! extremum {
    ($op:ident, $name:literal) => {
        impl<T: Datum + Bits> Contest<T> for $op
        where
            Self: Kernel<T, Out = Option<T>>,
        {
            const NAME: &'static str = $name;
            fn agrees(ours: &Option<T>, theirs: &[u8; RESULT]) -> bool {
                ours.as_ref().map(bytes) == value::<T>(theirs).as_ref().map(bytes)
            }
        }
    };
}
extremum!(Min, "min");
extremum!(Max, "max");
extremum!(Minimum, "minimum");
extremum!(Maximum, "maximum");

macro_rules! place {
    ($op:ident, $name:literal) => {
        impl<T: Datum + Bits> Contest<T> for $op
        where
            Self: Kernel<T, Out = Option<warpfold::At<T>>>,
        {
            const NAME: &'static str = $name;
            fn agrees(ours: &Self::Out, theirs: &[u8; RESULT]) -> bool {
                let Some((at, value)) = ours.as_ref().zip(value::<T>(theirs)) else { return false };
                at.index == index(theirs) && bytes(&at.value) == bytes(&value)
            }
        }
    };
}
place!(ArgMin, "argmin");
place!(ArgMax, "argmax");

macro_rules! alone {
    ($($op:ty, $name:literal: $($type:ty),*;)*) => { $($(
        impl Contest<$type> for $op {
            const NAME: &'static str = $name;
        }
    )*)* };
}
// Operators without peers.
alone! {
    Sum, "sum": i128, Complex<f32>;
    SumIn<f64>, "sum_in_f64": f32;
    AccurateSum, "accurate_sum": f32, f64;
    ExactSum, "exact_sum": f32;
    MinMax, "minmax": f32;
    Mean, "mean": f32;
    Variance, "variance": f32, f64, i32;
    (Min, Max, Sum), "min_max_sum": f32;
    Norm2, "norm2": f32;
    Count<NonZero>, "count_nonzero": f32;
    PolynomialHash, "polynomial_hash": u8;
    Compose, "compose": Affine<u32>;
    MatrixProduct, "matrix_product": Matrix2<u32>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpfold::At;

    fn result(value: &[u8], index: u64) -> [u8; RESULT] {
        let mut result = [0xAA; RESULT];
        result[..value.len()].copy_from_slice(value);
        result[8..].copy_from_slice(&index.to_le_bytes());
        result
    }

    #[test]
    fn float_sums_agree_within_rounding_only() {
        assert!(<Sum as Contest<f32>>::agrees(&1e6, &result(&1_000_001.0_f32.to_le_bytes(), 0)));
        assert!(!<Sum as Contest<f32>>::agrees(&1e6, &result(&999_000.0_f32.to_le_bytes(), 0)));
        assert!(!<Sum as Contest<f32>>::agrees(&1e6, &result(&f32::NAN.to_le_bytes(), 0)));
        assert!(!<Sum as Contest<f64>>::agrees(&1e6, &result(&1_000_001.0_f64.to_le_bytes(), 0)));
    }

    #[test]
    fn float_products_agree_within_rounding_only() {
        assert!(<Product as Contest<f32>>::agrees(&1.0, &result(&0.84_f32.to_le_bytes(), 0)));
        assert!(!<Product as Contest<f32>>::agrees(&1.0, &result(&0.5_f32.to_le_bytes(), 0)));
        assert!(!<Product as Contest<f32>>::agrees(&1.0, &result(&0.0_f32.to_le_bytes(), 0)));
        assert!(!<Product as Contest<u64>>::agrees(&3, &result(&5_u64.to_le_bytes(), 0)));
    }

    #[test]
    fn narrow_sums_agree_in_their_lower_half() {
        assert!(<Sum as Contest<i32>>::agrees(&0x1_0000_0005, &result(&5_i32.to_le_bytes(), 0)));
        assert!(!<Sum as Contest<i64>>::agrees(&0x1_0000_0005, &result(&5_i64.to_le_bytes(), 0)));
    }

    #[test]
    fn sums_of_one_and_two_bytes_agree_in_all_64_bits_and_those_of_halves_in_f32() {
        assert!(<Sum as Contest<i8>>::agrees(
            &-0x1_0000_0005,
            &result(&(-0x1_0000_0005_i64).to_le_bytes(), 0)
        ));
        assert!(!<Sum as Contest<u16>>::agrees(&0x1_0000_0005, &result(&5_u64.to_le_bytes(), 0)));
        assert!(<SumIn<f32> as Contest<f16>>::agrees(&1e6, &result(&1_000_001.0_f32.to_le_bytes(), 0)));
        assert!(!<SumIn<f32> as Contest<bf16>>::agrees(&1e6, &result(&999_000.0_f32.to_le_bytes(), 0)));
        assert!(!<AccurateSum as Contest<f32>>::agrees(&1.0, &result(&1.0_f32.to_le_bytes(), 0)));
    }

    #[test]
    fn places_agree_in_value_and_index() {
        let at = Some(At { index: 7, value: 2.5_f32 });
        assert!(<ArgMax as Contest<f32>>::agrees(&at, &result(&2.5_f32.to_le_bytes(), 7)));
        assert!(!<ArgMax as Contest<f32>>::agrees(&at, &result(&2.5_f32.to_le_bytes(), 8)));
        assert!(!<ArgMax as Contest<f32>>::agrees(&None, &result(&2.5_f32.to_le_bytes(), 7)));
        assert!(<Min as Contest<u64>>::agrees(&Some(3), &result(&3_u64.to_le_bytes(), 0)));
        assert!(!<Min as Contest<u64>>::agrees(&Some(3), &result(&4_u64.to_le_bytes(), 0)));
    }
}
