//! Exact sums by another way: integers of any length, and the standard library's rounding of decimal numbers.

use num_bigint::BigInt;

/// A float that is an integer times a power of two.
pub trait Dyadic: Copy + Into<f64> {
    /// The number nearest to a decimal one, ties to even.
    fn nearest(decimal: &str) -> Self;
}

macro_rules! floats {
    ($($float:ty),*) => { $(
        impl Dyadic for $float {
            fn nearest(decimal: &str) -> Self {
                decimal.parse().unwrap()
            }
        }
    )* };
}
floats!(f32, f64);

/// A sum of finite f64, and so of finite f32, without any rounding: one integer for each exponent.
#[derive(Clone, Debug)]
pub struct Exact {
    by_exponent: Vec<i128>,
}

impl Default for Exact {
    fn default() -> Self {
        Self { by_exponent: vec![0; 2047] }
    }
}

impl Exact {
    /// The sum of all elements.
    ///
    /// # Panics
    /// If one is not finite.
    #[must_use]
    pub fn of<T: Dyadic>(x: impl IntoIterator<Item = T>) -> Self {
        let mut sum = Self::default();
        for x in x {
            let x: f64 = x.into();
            assert!(x.is_finite());
            let bits = x.to_bits();
            let (exponent, fraction) = ((bits >> 52) as usize & 0x7ff, (bits & ((1 << 52) - 1)) as i128);
            let mantissa = if exponent == 0 { fraction } else { fraction + (1 << 52) };
            sum.by_exponent[exponent.max(1)] += if x < 0.0 { -mantissa } else { mantissa };
        }
        sum
    }

    /// The sum in units of 2^-1074.
    #[must_use]
    pub fn units(&self) -> BigInt {
        self.by_exponent.iter().enumerate().fold(BigInt::ZERO, |sum, (exponent, &mantissas)| {
            if mantissas == 0 { sum } else { sum + (BigInt::from(mantissas) << (exponent - 1)) }
        })
    }

    /// The sum rounded to nearest, ties to even. Zero is +0.0.
    #[must_use]
    pub fn rounded<T: Dyadic>(&self) -> T {
        let units = self.units();
        // As few digits as there are: 2^-places is 5^places / 10^places.
        let places = 1074 - units.trailing_zeros().unwrap_or(1074).min(1074);
        let decimal = (units >> (1074 - places)) * BigInt::from(5).pow(places as u32);
        T::nearest(&format!("{decimal}e-{places}"))
    }

    /// By how much `found` differs from the sum, rounded.
    #[must_use]
    pub fn error_of<T: Dyadic>(mut self, found: T) -> f64 {
        let found = Self::of([-found.into()]);
        for (sum, found) in self.by_exponent.iter_mut().zip(found.by_exponent) {
            *sum += found;
        }
        self.rounded::<f64>().abs()
    }
}
