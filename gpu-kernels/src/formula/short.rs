//! Floats of 16 bits, which formulas are given and convert: they compute with f32, so that each operation is rounded once.

use half::{bf16, f16};

#[cfg(not(target_arch = "nvptx64"))]
use super::scalar::{ABSENT, Binary, Comparison, Numeric, Shift, Unary, Widest};
use super::scalar::{Kind, Scalar, private::Sealed};
#[cfg(not(target_arch = "nvptx64"))]
use super::value::{Mode, Value};

macro_rules! short_floats {
    ($($type:ty: $kind:ident;)*) => { $(
        impl Sealed for $type {}
        impl Scalar for $type {
            const KIND: Kind = Kind::$kind;
            #[inline(always)]
            fn to_word(self) -> u64 {
                self.to_bits().into()
            }
            #[inline(always)]
            fn from_word(word: u64) -> Self {
                Self::from_bits(word as u16)
            }
            #[cfg(not(target_arch = "nvptx64"))]
            fn unary(self, _operation: Unary) -> Self {
                unreachable!("{ABSENT}")
            }
            #[cfg(not(target_arch = "nvptx64"))]
            fn binary(self, _operation: Binary, _other: Self) -> Self {
                unreachable!("{ABSENT}")
            }
            #[cfg(not(target_arch = "nvptx64"))]
            fn shift(self, _operation: Shift, _bits: u32) -> Self {
                unreachable!("{ABSENT}")
            }
            #[cfg(not(target_arch = "nvptx64"))]
            fn compare(self, _comparison: Comparison, _other: Self) -> bool {
                unreachable!("{ABSENT}")
            }
            #[cfg(not(target_arch = "nvptx64"))]
            fn convert<T: Scalar>(_from: T) -> Self {
                unreachable!("{ABSENT}")
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn widest(self) -> Widest {
                Widest::F32(self.to_f32())
            }
        }

        #[cfg(not(target_arch = "nvptx64"))]
        impl<M: Mode> Value<M, $type> {
            /// Converts to another type: to f32 exactly, and from that as `f32` is converted.
            ///
            /// ```
            /// use gpu_kernels::{Sum, f16, formula, reference};
            ///
            /// let squares = formula!(|v: f16| -> f32 {
            ///     let v = v.to::<f32>();
            ///     v * v
            /// });
            /// let x = [1.0, 2.0, 3.0].map(f16::from_f32);
            /// assert_eq!(reference::reduce_by(Sum.of(squares), &x), 14.0);
            /// ```
            #[inline(always)]
            #[must_use]
            pub fn to<U: Numeric>(self) -> Value<M, U> {
                Value::<M, f32>(M::convert::<$type, f32>(self.0)).to()
            }
        }
    )* };
}
short_floats! {
    f16: F16;
    bf16: Bf16;
}
