//! Results as bits, so that -0.0 is not 0.0 and a NaN equals itself.

use warpfold::{Affine, At, Complex, Extremes, Matrix2, bf16, f16};

use super::{answer::value, peer::RESULT};

/// A result that can be compared bit for bit.
pub(super) trait Bits {
    /// The bytes of its parts, in order.
    fn bits(&self) -> Vec<u8>;
    /// Whether a peer's result has these bits.
    fn is(&self, theirs: &[u8; RESULT]) -> bool {
        theirs.starts_with(&self.bits())
    }
    /// Whether a peer's result agrees within a relative tolerance of f32 and of f64, and in the lowest `width` bytes of
    /// an integer.
    fn agrees(&self, theirs: &[u8; RESULT], _tolerance: (f32, f64), _width: usize) -> bool {
        self.is(theirs)
    }
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
plain!(i8, u8, i16, u16, i32, u32, i128, f16, bf16, Complex<f32>, Affine<u32>, Matrix2<u32>);

macro_rules! sums {
    ($($type:ty: |$ours:ident, $theirs:ident, $tolerance:ident, $width:ident| $agrees:expr;)*) => { $(
        impl Bits for $type {
            fn bits(&self) -> Vec<u8> {
                bytemuck::bytes_of(self).to_vec()
            }
            fn agrees(&self, $theirs: &[u8; RESULT], $tolerance: (f32, f64), $width: usize) -> bool {
                let $ours = *self;
                $agrees
            }
        }
    )* };
}
sums! {
    i64: |ours, theirs, _tolerance, width| theirs[..width] == ours.to_le_bytes()[..width];
    u64: |ours, theirs, _tolerance, width| theirs[..width] == ours.to_le_bytes()[..width];
    f32: |ours, theirs, tolerance, _width|
        value(theirs).is_some_and(|theirs: f32| (ours - theirs).abs() <= tolerance.0 * ours.abs());
    f64: |ours, theirs, tolerance, _width|
        value(theirs).is_some_and(|theirs: f64| (ours - theirs).abs() <= tolerance.1 * ours.abs());
}

impl<T: Bits> Bits for Option<T> {
    fn bits(&self) -> Vec<u8> {
        self.as_ref().map(T::bits).unwrap_or_default()
    }
    fn is(&self, theirs: &[u8; RESULT]) -> bool {
        self.as_ref().is_some_and(|ours| ours.is(theirs))
    }
}

impl<T: Bits> Bits for At<T> {
    fn bits(&self) -> Vec<u8> {
        [self.index.bits(), self.value.bits()].concat()
    }
    /// The value is at 0, the index at 8.
    fn is(&self, theirs: &[u8; RESULT]) -> bool {
        self.value.is(theirs) && theirs.ends_with(&self.index.bits())
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
