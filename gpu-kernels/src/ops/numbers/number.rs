//! Numbers, and the wider numbers in which their sums and products may be carried.

use half::{bf16, f16};
use num_complex::Complex;

use super::float16::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use super::wide::Wide;
use crate::op::Element;

/// A number whose sums and products may be carried in `A`, which represents every such number exactly.
pub trait CarriedIn<A: Wide>: Element {
    /// The type of a sum of up to 65,536 such numbers, before it is added to others in `A`: for integers as few bits as hold
    /// it, at least 32.
    type Few: Wide;
    /// Returns this number as `Few`.
    fn few(self) -> Self::Few;
    /// Converts a sum of few to `A`.
    fn widen(few: Self::Few) -> A;
}

/// A count of 16-bit numbers whose sum is certain to fit 32 bits.
pub(in crate::ops) const FEW: usize = 1 << 16;

/// A number that can be summed without naming a type: it has one in which its sums and products are carried, and one in which
/// they are returned.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    label = "not an integer, a float, a complex number or a bool",
    note = "a generic function asks for it: `T: warpfold::elements::Number`",
    note = "numbers that may be missing, `Option<T>`, are collected first: `options.into_iter().collect::<warpfold::Elements<T>>()`",
    note = "elements of another type are reduced by an operator of your own: implement `warpfold::Op`"
)]
pub trait Number: CarriedIn<Self::Wide> {
    /// 64 bits for bool, which counts as 0 and 1, and for integers of up to 64 bits; f32 for f16 and bf16; otherwise the type
    /// itself.
    type Wide: Wide;
    /// The type itself for 16-bit floats, otherwise `Wide`.
    type Total: Send;
    /// Returns the result of a total carried as `wide`: the nearest one, with ties to even.
    fn total(wide: Self::Wide) -> Self::Total;
}

/// Lines `element, its value as a primitive number => { type of few: types of many, ...; ... }`.
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
