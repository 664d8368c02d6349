//! Types that carry sums and products: integers that wrap, floats that round to nearest, and complex numbers of floats.

use num_complex::Complex;
use num_traits::{WrappingAdd, WrappingMul, WrappingSub};

use crate::op::Accumulator;

/// A type that carries sums and products.
pub trait Wide: Accumulator {
    /// The exact additive identity: -0.0 for floats, since -0.0 + 0.0 is +0.0.
    const ZERO: Self;
    /// The exact multiplicative identity, which stands for 1. For complex numbers it is not 1 itself, since (1 + 0i) (-0.0 -
    /// 1i) has another zero and (1 + 0i) (inf + 0i) is NaN.
    const ONE: Self;
    /// Whether [`add`](Wide::add) and [`mul`](Wide::mul) are associative, bit for bit.
    const ASSOCIATIVE: bool;
    /// Adds: integers wrap, floats round to nearest.
    fn add(self, right: Self) -> Self;
    /// Subtracts, with the same rounding as `add`.
    fn sub(self, right: Self) -> Self;
    /// Multiplies: integers wrap, floats round to nearest; complex numbers by (ac - bd) + (ad + bc)i, each operation rounded.
    fn mul(self, right: Self) -> Self;
    /// Returns the same number with one bit pattern for NaN: 0x7fc00000 (f32), 0x7ff8000000000000 (f64), in each part of a
    /// complex number.
    #[must_use]
    fn canonical(self) -> Self;
    /// Returns this number as a factor: itself, unless it happens to have the bits of [`ONE`](Wide::ONE).
    #[must_use]
    #[inline(always)]
    fn factor(self) -> Self {
        self
    }
    /// Returns the product as a number: itself, unless it is the stand-in for 1.
    #[must_use]
    #[inline(always)]
    fn product(self) -> Self {
        self
    }
}

macro_rules! integers {
    ($($int:ty),*) => { $(
        impl Wide for $int {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const ASSOCIATIVE: bool = true;
            #[inline(always)]
            fn add(self, right: Self) -> Self {
                WrappingAdd::wrapping_add(&self, &right)
            }
            #[inline(always)]
            fn sub(self, right: Self) -> Self {
                WrappingSub::wrapping_sub(&self, &right)
            }
            #[inline(always)]
            fn mul(self, right: Self) -> Self {
                WrappingMul::wrapping_mul(&self, &right)
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                self
            }
        }
    )* };
}
integers!(i32, u32, i64, u64, i128, u128);

/// Lines `float: its canonical NaN, a signalling NaN`. No operation gives a signalling NaN, so one of them in the real part
/// stands for 1 in products of complex numbers.
macro_rules! floats {
    ($($float:ty: $nan:literal, $mark:literal);*) => { $(
        impl Wide for $float {
            const ZERO: Self = -0.0;
            const ONE: Self = 1.0;
            const ASSOCIATIVE: bool = false;
            #[inline(always)]
            fn add(self, right: Self) -> Self {
                self + right
            }
            #[inline(always)]
            fn sub(self, right: Self) -> Self {
                self - right
            }
            #[inline(always)]
            fn mul(self, right: Self) -> Self {
                self * right
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                // By its bits: which NaN an operation returns is unspecified, so the compiler may drop a choice between NaNs.
                let (bits, infinity) = (self.to_bits(), <$float>::INFINITY.to_bits());
                let is_nan = bits << 1 > infinity << 1;
                <$float>::from_bits(if is_nan { $nan } else { bits })
            }
        }

        impl Wide for Complex<$float> {
            const ZERO: Self = Self { re: -0.0, im: -0.0 };
            const ONE: Self = Self { re: <$float>::from_bits($mark), im: 0.0 };
            const ASSOCIATIVE: bool = false;
            #[inline(always)]
            fn add(self, right: Self) -> Self {
                Self { re: self.re + right.re, im: self.im + right.im }
            }
            #[inline(always)]
            fn sub(self, right: Self) -> Self {
                Self { re: self.re - right.re, im: self.im - right.im }
            }
            #[inline(always)]
            fn mul(self, right: Self) -> Self {
                let product = Self {
                    re: self.re * right.re - self.im * right.im,
                    im: self.re * right.im + self.im * right.re,
                };
                // Selects, not branches.
                let product = if right.re.to_bits() == $mark { self } else { product };
                if self.re.to_bits() == $mark { right } else { product }
            }
            #[inline(always)]
            fn canonical(self) -> Self {
                Self { re: self.re.canonical(), im: self.im.canonical() }
            }
            #[inline(always)]
            fn factor(self) -> Self {
                let re = if self.re.to_bits() == $mark { <$float>::from_bits($nan) } else { self.re };
                Self { re, im: self.im }
            }
            #[inline(always)]
            fn product(self) -> Self {
                if self.re.to_bits() == $mark { Self { re: 1.0, im: 0.0 } } else { self }
            }
        }
    )* };
}
floats! {
    f32: 0x7fc0_0000, 0x7fa0_1dea;
    f64: 0x7ff8_0000_0000_0000, 0x7ff4_1dea_1dea_1dea
}
