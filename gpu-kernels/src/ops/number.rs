//! Numbers, and which wider numbers their sums and products may be carried in.

use half::{bf16, f16};
use num_complex::Complex;

use super::float16::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use super::wide::Wide;
use crate::op::Element;

/// A number whose sums and products may be carried in `A`, which holds every one of them exactly.
pub trait CarriedIn<A: Wide>: Element {
    /// What a sum of up to 65,536 of them is carried in, before it meets others in `A`: of integers in as few bits as
    /// hold it, 32 at least.
    type Few: Wide;
    /// This number in there.
    fn few(self) -> Self::Few;
    /// A sum of few as one of many.
    fn widen(few: Self::Few) -> A;
}

/// How many numbers of 16 bits certainly sum to one of 32.
pub(super) const FEW: usize = 1 << 16;

/// A number that can be summed without a choice: it names the type that its sums and products are carried in, and the
/// one that they are returned in.
pub trait Number: CarriedIn<Self::Wide> {
    /// 64 bits for integers up to that, and for bool, which counts as 0 and 1; f32 for f16 and bf16; otherwise the type
    /// itself.
    type Wide: Wide;
    /// The type itself for floats of 16 bits, otherwise `Wide`.
    type Total: Send;
    /// The result that was carried as `wide`: the nearest one, of two the even one.
    fn total(wide: Self::Wide) -> Self::Total;
}

/// Rows `element, its value as a primitive number => { what few are carried in: what many are, ...; ... }`.
macro_rules! carried {
    ($($number:ty, $x:ident as $value:expr => { $($few:ty: $($wide:ty),+);+ })*) => { $($($(
        impl CarriedIn<$wide> for $number {
            type Few = $few;
            #[inline(always)]
            fn few(self) -> $few {
                let $x = self;
                $value as $few
            }
            #[inline(always)]
            fn widen(few: $few) -> $wide {
                few as $wide
            }
        }
    )+)+)* };
}
carried! {
    bool, x as x => { u32: u32, u64, u128 }
    u8, x as x => { u32: u32, u64, u128 }
    u16, x as x => { u32: u32, u64, u128 }
    u32, x as x => { u32: u32; u64: u64, u128 }
    u64, x as x => { u64: u64; u128: u128 }
    u128, x as x => { u128: u128 }
    i8, x as x => { i32: i32, i64, i128 }
    i16, x as x => { i32: i32, i64, i128 }
    i32, x as x => { i32: i32; i64: i64, i128 }
    i64, x as x => { i64: i64; i128: i128 }
    i128, x as x => { i128: i128 }
    usize, x as x => { u64: u64; u128: u128 }
    isize, x as x => { i64: i64; i128: i128 }
    f16, x as f16_to_f32(x) => { f32: f32; f64: f64 }
    bf16, x as bf16_to_f32(x) => { f32: f32; f64: f64 }
    f32, x as x => { f32: f32; f64: f64 }
    f64, x as x => { f64: f64 }
}

macro_rules! complex_carried {
    ($($float:ty: $($wide:ty),+;)*) => { $($(
        impl CarriedIn<Complex<$wide>> for Complex<$float> {
            type Few = Complex<$wide>;
            #[inline(always)]
            fn few(self) -> Complex<$wide> {
                Complex { re: self.re as $wide, im: self.im as $wide }
            }
            #[inline(always)]
            fn widen(few: Complex<$wide>) -> Complex<$wide> {
                few
            }
        }
    )+)* };
}
complex_carried!(f32: f32, f64; f64: f64;);

macro_rules! numbers {
    ($($number:ty: $wide:ty => $total:ty, $round:expr;)*) => { $(
        impl Number for $number {
            type Wide = $wide;
            type Total = $total;
            #[inline]
            fn total(wide: $wide) -> $total {
                $round(wide)
            }
        }
    )* };
    ($($wide:ty: $($number:ty),+;)*) => { $($( numbers!($number: $wide => $wide, core::convert::identity;); )+)* };
}
numbers! {
    u64: bool, u8, u16, u32, u64, usize;
    u128: u128;
    i64: i8, i16, i32, i64, isize;
    i128: i128;
    f32: f32;
    f64: f64;
    Complex<f32>: Complex<f32>;
    Complex<f64>: Complex<f64>;
}
numbers! {
    f16: f32 => f16, f32_to_f16;
    bf16: f32 => bf16, f32_to_bf16;
}
