//! The data that is measured on: uniform, and different at every index, so that no sum is exact and no cache
//! line compresses.

use bytemuck::Pod;
use rayon::prelude::*;
use warpfold::{Affine, Complex, Matrix2, bf16, f16};

/// An element type that the benchmarks know by name and can make up.
pub(crate) trait Datum: Pod + Send + Sync + std::fmt::Debug {
    /// The name on the command line, in the table and in a peer's symbols.
    const NAME: &'static str;
    /// The element at `index`: floats uniform in [0, 1), integers uniform over their range, and
    /// so each number of a pair or a matrix.
    fn at(index: u64) -> Self;
    /// The element at `index` of data whose products neither vanish nor overflow, of any even number of
    /// neighbours: odd integers; floats from 1/2 to 2, each at an odd index the reciprocal of the one before it.
    /// Types without products in the benchmarks have the elements of [`at`](Self::at).
    #[cfg(any(test, feature = "cuda"))]
    fn factor_at(index: u64) -> Self {
        Self::at(index)
    }
}

macro_rules! datum {
    ($($type:ty, $name:literal: $bits:ident => $value:expr $(, $index:ident => $factor:expr)?);* $(;)?) => { $(
        impl Datum for $type {
            const NAME: &'static str = $name;
            fn at(index: u64) -> Self {
                let $bits = mix(index);
                $value
            }
            $(
                #[cfg(any(test, feature = "cuda"))]
                fn factor_at($index: u64) -> Self {
                    $factor
                }
            )?
        }
    )* };
}
datum! {
    f32, "f32": bits => (bits >> 40) as f32 / 16_777_216.0, index => paired(index) as f32;
    f64, "f64": bits => (bits >> 11) as f64 / 9_007_199_254_740_992.0, index => paired(index);
    i32, "i32": bits => (bits >> 32) as i32, index => i32::at(index) | 1;
    u32, "u32": bits => (bits >> 32) as u32, index => u32::at(index) | 1;
    i64, "i64": bits => bits as i64, index => i64::at(index) | 1;
    u64, "u64": bits => bits, index => u64::at(index) | 1;
    i8, "i8": bits => (bits >> 56) as i8;
    u8, "u8": bits => (bits >> 56) as u8;
    i16, "i16": bits => (bits >> 48) as i16;
    u16, "u16": bits => (bits >> 48) as u16;
    // As many bits as the significand has: none of these is rounded.
    f16, "f16": bits => f16::from_f32((bits >> 53) as f32 / 2048.0);
    bf16, "bf16": bits => bf16::from_f32((bits >> 56) as f32 / 256.0);
    i128, "i128": bits => i128::from(bits as i64) << 64 | i128::from(mix(!bits));
    Complex<f32>, "c32": bits => {
        let part = |bits: u64| (bits & 0xFF_FFFF) as f32 / 16_777_216.0;
        Complex::new(part(bits >> 40), part(bits))
    };
    Affine<u32>, "affine_u32": bits => Affine::new((bits >> 32) as u32, bits as u32);
    Matrix2<u32>, "matrix_u32": bits => {
        let more = mix(!bits);
        Matrix2 { rows: [[(bits >> 32) as u32, bits as u32], [(more >> 32) as u32, more as u32]] }
    };
}

/// A number from 1/2 to 2 at an even index, its reciprocal at the next.
#[cfg(any(test, feature = "cuda"))]
fn paired(index: u64) -> f64 {
    let factor = (2.0 * f64::at(index & !1) - 1.0).exp2();
    if index & 1 == 0 { factor } else { factor.recip() }
}

/// Elements 0 to `n` - 1, made by all threads.
pub(crate) fn make<T: Datum>(n: usize) -> Vec<T> {
    (0..n as u64).into_par_iter().map(T::at).collect()
}

/// Factors 0 to `n` - 1, made by all threads.
#[cfg(any(test, feature = "cuda"))]
pub(crate) fn make_factors<T: Datum>(n: usize) -> Vec<T> {
    (0..n as u64).into_par_iter().map(T::factor_at).collect()
}

/// The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) at the `index`-th state.
/// peers/python.py, peers/torch_cupy.py and peers/cubecl have the same.
fn mix(index: u64) -> u64 {
    let mut x = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_outputs_are_those_of_splitmix64_from_seed_zero() {
        // From the reference implementation by Vigna, seed 0.
        assert_eq!(mix(0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(mix(1), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn floats_are_uniform_below_one() {
        let x = make::<f32>(100_000);
        assert!(x.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = x.iter().map(|&x| f64::from(x)).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
    }

    #[test]
    fn floats_of_16_bits_are_uniform_and_not_rounded() {
        let halves = make::<f16>(100_000);
        assert!(
            halves.iter().all(|x| (0.0..1.0).contains(&x.to_f64()) && (x.to_f64() * 2048.0).fract() == 0.0)
        );
        let mean = make::<bf16>(100_000).iter().map(|x| x.to_f64()).sum::<f64>() / 1e5;
        assert!((mean - 0.5 + 1.0 / 512.0).abs() < 0.005, "{mean}");
    }

    #[test]
    fn products_of_factors_stay_finite_and_tell_every_factor() {
        let floats = make_factors::<f32>(100_000);
        assert!(floats.iter().all(|x| (0.5..=2.0).contains(x)));
        let product: f32 = floats.iter().product();
        assert!((product - 1.0).abs() < 1e-3, "{product}");
        let odd = make_factors::<u64>(1000);
        assert_eq!(odd.iter().fold(1_u64, |product, x| product.wrapping_mul(*x)) & 1, 1);
    }
}
