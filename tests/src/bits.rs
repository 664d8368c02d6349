//! Results as bits, so that -0.0 is not 0.0 and a NaN equals itself.

use bytemuck::Pod;
use warpfold::{Affine, At, Extremes, Matrix2};

/// A result that can be compared and printed bit for bit.
pub trait Bits {
    /// The bits in hexadecimal; `none` for no result.
    fn bits(&self) -> String;
}

macro_rules! integers {
    ($($int:ty),*) => { $(
        impl Bits for $int {
            fn bits(&self) -> String {
                format!("{:0width$x}", self, width = size_of::<Self>() * 2)
            }
        }
    )* };
}
integers!(u8, i32, u32, i64, u64);

impl Bits for bool {
    fn bits(&self) -> String {
        self.to_string()
    }
}

impl Bits for f32 {
    fn bits(&self) -> String {
        self.to_bits().bits()
    }
}

impl Bits for f64 {
    fn bits(&self) -> String {
        self.to_bits().bits()
    }
}

impl<T: Bits> Bits for Option<T> {
    fn bits(&self) -> String {
        self.as_ref().map_or_else(|| "none".into(), T::bits)
    }
}

impl<T: Bits> Bits for At<T> {
    fn bits(&self) -> String {
        format!("{}@{}", self.value.bits(), self.index)
    }
}

impl<T: Bits, const N: usize> Bits for [T; N] {
    fn bits(&self) -> String {
        self.iter().map(T::bits).collect::<Vec<_>>().join(",")
    }
}

impl<T: Bits> Bits for Extremes<T> {
    fn bits(&self) -> String {
        format!("{}..{}", self.min.bits(), self.max.bits())
    }
}

impl<N: Bits + Pod> Bits for Affine<N> {
    fn bits(&self) -> String {
        bytemuck::cast_ref::<Self, [N; 2]>(self).bits()
    }
}

impl<N: Bits + Pod> Bits for Matrix2<N> {
    fn bits(&self) -> String {
        self.rows.bits()
    }
}

macro_rules! tuples {
    ($(($($part:ident),*))*) => { $(
        impl<$($part: Bits),*> Bits for ($($part),*) {
            #[allow(non_snake_case)]
            fn bits(&self) -> String {
                let ($($part),*) = self;
                [$($part.bits()),*].join(";")
            }
        }
    )* };
}
tuples!((A, B)(A, B, C)(A, B, C, D));
