//! Results as bits, so that -0.0 is not 0.0 and a NaN equals itself.

use warpfold::{Affine, At, Complex, Extremes, Matrix2, bf16, f16};

/// A result that can be compared bit for bit.
pub(super) trait Bits {
    /// The bytes of its parts, in order.
    fn bits(&self) -> Vec<u8>;
}

macro_rules! plain {
    ($($type:ty),*) => { $(
        impl Bits for $type {
            fn bits(&self) -> Vec<u8> {
                bytemuck::bytes_of(self).to_vec()
            }
        }
    )* };
}
plain!(i8, u8, i16, u16, i32, u32, i64, u64, i128, f16, bf16, f32, f64);
plain!(Complex<f32>, Affine<u32>, Matrix2<u32>);

impl<T: Bits> Bits for Option<T> {
    fn bits(&self) -> Vec<u8> {
        self.as_ref().map(T::bits).unwrap_or_default()
    }
}

impl<T: Bits> Bits for At<T> {
    fn bits(&self) -> Vec<u8> {
        [self.index.bits(), self.value.bits()].concat()
    }
}

impl<T: Bits> Bits for Extremes<T> {
    fn bits(&self) -> Vec<u8> {
        [self.min.bits(), self.max.bits()].concat()
    }
}

impl<A: Bits, B: Bits, C: Bits> Bits for (A, B, C) {
    fn bits(&self) -> Vec<u8> {
        [self.0.bits(), self.1.bits(), self.2.bits()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_may_have_other_bits_and_nothing_has_none() {
        assert_ne!(0.0_f32.bits(), (-0.0_f32).bits());
        assert_eq!(f64::NAN.bits(), f64::NAN.bits());
        assert_ne!(Some(0_u8).bits(), None::<u8>.bits());
        let at = |index| Some(At { index, value: 2.5_f32 });
        assert_ne!(at(7).bits(), at(8).bits());
        assert_ne!((Some(1_i32), Some(2_i32), 3_i64).bits(), (Some(1_i32), Some(2_i32), 4_i64).bits());
    }
}
