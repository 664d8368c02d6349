//! The data that is measured on: uniform, and different at every index, so that no sum is exact and no cache
//! line compresses.

use bytemuck::Pod;
use rayon::prelude::*;

/// An element type that the benchmarks know by name and can make up.
pub(crate) trait Datum: Pod + Send + Sync {
    /// The name on the command line, in the table and in a peer's symbols.
    const NAME: &'static str;
    /// The element at `index`: floats uniform in [0, 1), integers uniform over their range.
    fn at(index: u64) -> Self;
}

macro_rules! datum {
    ($($type:ty = $bits:ident => $value:expr),* $(,)?) => { $(
        impl Datum for $type {
            const NAME: &'static str = stringify!($type);
            fn at(index: u64) -> Self {
                let $bits = mix(index);
                $value
            }
        }
    )* };
}
datum! {
    f32 = bits => (bits >> 40) as f32 / 16_777_216.0,
    f64 = bits => (bits >> 11) as f64 / 9_007_199_254_740_992.0,
    i32 = bits => (bits >> 32) as i32,
    u32 = bits => (bits >> 32) as u32,
    i64 = bits => bits as i64,
    u64 = bits => bits,
}

/// Elements 0 to `n` - 1, made by all threads.
pub(crate) fn make<T: Datum>(n: usize) -> Vec<T> {
    (0..n as u64).into_par_iter().map(T::at).collect()
}

/// The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) at the `index`-th state.
/// peers/python.py has the same.
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
}
