//! Exact sums computed another way: with big integers, and the standard library's rounding of decimal numbers.

use num_bigint::BigInt;

/// A float that is an integer times a power of two.
pub trait Dyadic: Copy + Into<f64> {
    /// The float nearest to a decimal number, ties to even.
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

/// A finite number as an integer times 2^(exponent - 1075), with the exponent at least 1.
fn integer<T: Dyadic>(x: T) -> (i64, usize) {
    let x: f64 = x.into();
    assert!(x.is_finite());
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52) as usize & 0x7ff, (bits & ((1 << 52) - 1)) as i64);
    let mantissa = if exponent == 0 { fraction } else { fraction + (1 << 52) };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent.max(1))
}

/// `units` times 2^-`below`, rounded to nearest, ties to even. Zero is +0.0.
fn rounded<T: Dyadic>(units: BigInt, below: u64) -> T {
    // As few digits as possible: 2^-places is 5^places / 10^places.
    let places = below - units.trailing_zeros().unwrap_or(below).min(below);
    let decimal = (units >> (below - places)) * BigInt::from(5).pow(places as u32);
    T::nearest(&format!("{decimal}e-{places}"))
}

/// A sum of products of finite f64, and therefore of f32, without rounding, in units of 2^-2148.
#[derive(Clone, Debug, Default)]
pub struct ExactProducts(BigInt);

impl ExactProducts {
    /// The sum of the products of all pairs.
    ///
    /// # Panics
    /// If a factor is not finite.
    #[must_use]
    pub fn of<T: Dyadic>(pairs: impl IntoIterator<Item = [T; 2]>) -> Self {
        let product = |pair: [T; 2]| {
            let [(x, x_exponent), (y, y_exponent)] = pair.map(integer);
            BigInt::from(i128::from(x) * i128::from(y)) << (x_exponent + y_exponent - 2)
        };
        Self(pairs.into_iter().map(product).sum())
    }

    /// The sum rounded to nearest, ties to even. Zero is +0.0.
    #[must_use]
    pub fn rounded<T: Dyadic>(&self) -> T {
        rounded(self.0.clone(), 2148)
    }

    /// The difference of `found` from the sum, rounded.
    #[must_use]
    pub fn error_of<T: Dyadic>(self, found: T) -> f64 {
        rounded::<f64>(self.0 - (Exact::of([found]).units() << 1074), 2148).abs()
    }
}

/// A sum of finite f64, and therefore of f32, without rounding: one integer per exponent.
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
    /// If an element is not finite.
    #[must_use]
    pub fn of<T: Dyadic>(x: impl IntoIterator<Item = T>) -> Self {
        let mut sum = Self::default();
        for x in x {
            let (mantissa, exponent) = integer(x);
            sum.by_exponent[exponent] += i128::from(mantissa);
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
        rounded(self.units(), 1074)
    }

    /// The difference of `found` from the sum, rounded.
    #[must_use]
    pub fn error_of<T: Dyadic>(mut self, found: T) -> f64 {
        let found = Self::of([-found.into()]);
        for (sum, found) in self.by_exponent.iter_mut().zip(found.by_exponent) {
            *sum += found;
        }
        self.rounded::<f64>().abs()
    }
}
