//! Data for which a wrong order changes the result: random mantissas over 20 binades, never equal values.

use bytemuck::Pod;
use test_kernels::mix;
use warpfold::{Affine, Complex, Matrix2, bf16, f16};

/// A number with test data.
pub trait Sample: Copy {
    /// An ordinary value, a function of 64 random bits.
    fn ordinary(random: u64) -> Self;
    /// Special values: NaNs of every kind, infinities, zeros of both signs, subnormals, the least and the
    /// greatest.
    fn special() -> Vec<Self>;
    /// NaN elements with all kinds of bits, including those that a device makes of two NaNs.
    fn nans() -> Vec<Self> {
        Vec::new()
    }
}

macro_rules! integers {
    ($($int:ty),*) => { $(
        impl Sample for $int {
            fn ordinary(random: u64) -> Self {
                random as Self
            }
            fn special() -> Vec<Self> {
                vec![Self::MIN, Self::MIN + 1, 0, 1, Self::MAX - 1, Self::MAX, Self::MIN, Self::MAX]
            }
        }
    )* };
}
integers!(i8, u8, i16, u16, i32, u32, i64, u64, isize, usize);

macro_rules! long_integers {
    ($($int:ty),*) => { $(
        impl Sample for $int {
            fn ordinary(random: u64) -> Self {
                Self::from(mix(random)) << 64 | Self::from(random)
            }
            fn special() -> Vec<Self> {
                vec![Self::MIN, Self::MIN + 1, 0, 1, Self::MAX - 1, Self::MAX, u64::MAX.into(), Self::MAX >> 64]
            }
        }
    )* };
}
long_integers!(i128, u128);

impl Sample for bool {
    fn ordinary(random: u64) -> Self {
        random & 1 == 1
    }
    fn special() -> Vec<Self> {
        vec![false, true]
    }
}

macro_rules! floats {
    ($($float:ty, $bits:ty, $mantissa:literal);*) => { $(
        impl Sample for $float {
            fn ordinary(random: u64) -> Self {
                let mantissa = 1.0 + (random >> (64 - $mantissa)) as $float / (1u64 << $mantissa) as $float;
                let exponent = (random & 0xffff) as i32 % 20 - 10;
                let sign = if random & 0x1_0000 == 0 { 1.0 } else { -1.0 };
                sign * mantissa * (2.0 as $float).powi(exponent)
            }
            fn special() -> Vec<Self> {
                let nan = Self::NAN.to_bits();
                let sign: $bits = 1 << (<$bits>::BITS - 1);
                let quiet: $bits = 1 << ($mantissa - 1);
                let mut special = vec![
                    0.0, -0.0, Self::INFINITY, Self::NEG_INFINITY, Self::MAX, Self::MIN, Self::MIN_POSITIVE,
                    -Self::MIN_POSITIVE, Self::from_bits(1), -Self::from_bits(1), 1.0, -1.0, Self::EPSILON,
                    Self::MIN_POSITIVE / 2.0, Self::MAX / 2.0, -Self::MAX / 2.0,
                ];
                // Quiet and signalling, both signs, several payloads.
                special.extend([nan, nan | 1, nan | sign, nan | sign | 0x1234, (nan ^ quiet) | 1,
                    (nan ^ quiet) | sign | 77].map(Self::from_bits));
                special
            }
            fn nans() -> Vec<Self> {
                let made = [!0, !0 >> 1].map(Self::from_bits);
                Self::special().into_iter().filter(|x| x.is_nan()).chain(made).collect()
            }
        }
    )* };
}
floats!(f32, u32, 23; f64, u64, 52);

/// `N` numbers from one random number.
fn several<T: Sample, const N: usize>(random: u64) -> [T; N] {
    std::array::from_fn(|i| T::ordinary(mix(random.wrapping_add(i as u64))))
}

/// Every pair of special numbers.
fn special_pairs<T: Sample>() -> Vec<[T; 2]> {
    let one = T::special();
    one.iter().flat_map(|&a| one.iter().map(move |&b| [a, b])).collect()
}

impl<N: Sample + Pod> Sample for Affine<N> {
    fn ordinary(random: u64) -> Self {
        bytemuck::cast(several::<N, 2>(random))
    }
    fn special() -> Vec<Self> {
        special_pairs::<N>().into_iter().map(bytemuck::cast).collect()
    }
}

impl<N: Sample + Pod> Sample for Matrix2<N> {
    fn ordinary(random: u64) -> Self {
        bytemuck::cast(several::<N, 4>(random))
    }
    fn special() -> Vec<Self> {
        let rows = special_pairs::<N>();
        rows.iter().zip(rows.iter().rev()).map(|(&above, &below)| Self { rows: [above, below] }).collect()
    }
}
/// Over 20 binades if the type has them: for f16, whose least normal number is 2^-14, from 2^-10 to 2^9 like
/// the others.
macro_rules! short_floats {
    ($($float:ty, $mantissa:literal);*) => { $(
        impl Sample for $float {
            fn ordinary(random: u64) -> Self {
                let steps = 1u64 << $mantissa;
                let mantissa = 1.0 + (random >> (64 - $mantissa)) as f32 / steps as f32;
                let exponent = (random & 0xffff) as i32 % 20 - 10;
                let sign = if random & 0x1_0000 == 0 { 1.0 } else { -1.0 };
                Self::from_f32(sign * mantissa * 2f32.powi(exponent))
            }
            fn special() -> Vec<Self> {
                let (sign, quiet, nan) = (0x8000u16, 1u16 << ($mantissa - 1), Self::NAN.to_bits());
                let mut special = vec![
                    Self::ZERO, Self::NEG_ZERO, Self::INFINITY, Self::NEG_INFINITY, Self::MAX, Self::MIN,
                    Self::MIN_POSITIVE, -Self::MIN_POSITIVE, Self::from_bits(1), -Self::from_bits(1), Self::ONE,
                    Self::NEG_ONE, Self::EPSILON, Self::MIN_POSITIVE_SUBNORMAL, Self::MAX_SUBNORMAL,
                    -Self::MAX_SUBNORMAL,
                ];
                special.extend([nan, nan | 1, nan | sign, nan | sign | 0x14, (nan ^ quiet) | 1,
                    (nan ^ quiet) | sign | 7].map(Self::from_bits));
                special
            }
            fn nans() -> Vec<Self> {
                let made = [!0, !0 >> 1].map(Self::from_bits);
                Self::special().into_iter().filter(|x| x.is_nan()).chain(made).collect()
            }
        }
    )* };
}
short_floats!(f16, 10; bf16, 7);

macro_rules! complex {
    ($($float:ty),*) => { $(
        impl Sample for Complex<$float> {
            fn ordinary(random: u64) -> Self {
                Self::new(<$float>::ordinary(random), <$float>::ordinary(mix(random)))
            }
            fn special() -> Vec<Self> {
                // Each special part with an ordinary number, and with another special part.
                let parts = <$float>::special();
                let shifted = parts.iter().cycle().skip(3);
                let both = parts.iter().zip(shifted).map(|(&re, &im)| Self::new(re, im));
                both.chain(parts.iter().flat_map(|&x| [Self::new(x, 1.5), Self::new(-2.0, x)])).collect()
            }
            fn nans() -> Vec<Self> {
                Self::special().into_iter().filter(|x| x.is_nan()).collect()
            }
        }
    )* };
}
complex!(f32, f64);

/// The kind of test data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Ordinary values only.
    Ordinary,
    /// Ordinary values with a special one in every 16 or so.
    Special,
    /// Special values only.
    SpecialOnly,
}

/// Element `index` of the data with this family and seed.
#[must_use]
pub fn sample<T: Sample>(family: Family, seed: u64, index: u64) -> T {
    let random = mix(seed ^ mix(index.wrapping_add(0x9e37_79b9_7f4a_7c15)));
    let special = match family {
        Family::Ordinary => false,
        Family::Special => random % 16 == 3,
        Family::SpecialOnly => true,
    };
    if special {
        let all = T::special();
        return all[(random >> 8) as usize % all.len()];
    }
    T::ordinary(random)
}

/// `n` elements with this family and seed.
#[must_use]
pub fn samples<T: Sample>(family: Family, seed: u64, n: u64) -> Vec<T> {
    (0..n).map(|i| sample(family, seed, i)).collect()
}
