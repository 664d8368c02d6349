//! Numbers and the wider numbers that their sums and products are carried in.

use num_traits::{AsPrimitive, WrappingAdd, WrappingMul, WrappingSub};

use crate::op::{Accumulator, Element};

/// A number that can be summed: it names the type that its sums and products are carried and returned in.
pub trait Number: Element + AsPrimitive<Self::Wide> {
    /// 64 bits for integers, the type itself for f32 and f64.
    type Wide: Wide;
}

/// A type that sums and products are carried in.
pub trait Wide: Accumulator {
    /// The exact additive identity: -0.0 for floats, since -0.0 + 0.0 is +0.0.
    const ZERO: Self;
    /// The multiplicative identity.
    const ONE: Self;
    /// Whether [`add`](Wide::add) and [`mul`](Wide::mul) are associative, bit for bit.
    const ASSOCIATIVE: bool;
    /// Addition: integers wrap, floats round to nearest.
    fn add(self, right: Self) -> Self;
    /// Subtraction: integers wrap, floats round to nearest.
    fn sub(self, right: Self) -> Self;
    /// Multiplication: integers wrap, floats round to nearest.
    fn mul(self, right: Self) -> Self;
    /// The same number with one bit pattern for NaN: 0x7fc00000 (f32), 0x7ff8000000000000 (f64).
    #[must_use]
    fn canonical(self) -> Self;
}

macro_rules! numbers {
    ($($number:ty => $wide:ty),* $(,)?) => { $(
        impl Number for $number {
            type Wide = $wide;
        }
    )* };
}
numbers!(i32 => i64, u32 => u64, i64 => i64, u64 => u64, f32 => f32, f64 => f64);

macro_rules! integers {
    ($($int:ty),*) => { $(
        impl Wide for $int {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const ASSOCIATIVE: bool = true;
            #[inline]
            fn add(self, right: Self) -> Self {
                WrappingAdd::wrapping_add(&self, &right)
            }
            #[inline]
            fn sub(self, right: Self) -> Self {
                WrappingSub::wrapping_sub(&self, &right)
            }
            #[inline]
            fn mul(self, right: Self) -> Self {
                WrappingMul::wrapping_mul(&self, &right)
            }
            #[inline]
            fn canonical(self) -> Self {
                self
            }
        }
    )* };
}
integers!(i64, u64);

macro_rules! floats {
    ($($float:ty: $nan:literal),*) => { $(
        impl Wide for $float {
            const ZERO: Self = -0.0;
            const ONE: Self = 1.0;
            const ASSOCIATIVE: bool = false;
            #[inline]
            fn add(self, right: Self) -> Self {
                self + right
            }
            #[inline]
            fn sub(self, right: Self) -> Self {
                self - right
            }
            #[inline]
            fn mul(self, right: Self) -> Self {
                self * right
            }
            #[inline]
            fn canonical(self) -> Self {
                if self.is_nan() { <$float>::from_bits($nan) } else { self }
            }
        }
    )* };
}
floats!(f32: 0x7fc0_0000, f64: 0x7ff8_0000_0000_0000);
