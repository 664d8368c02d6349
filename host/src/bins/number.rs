//! The numbers that bins are made of.

use gpu_kernels::histogram::position::Position;
use gpu_kernels::histogram::shapes::Guess as Kind;
use gpu_kernels::{NanGreatest, RankedNumber, bf16, f16};

/// A number that bins are made of: an integer or a float of up to 64 bits, or a [`NanGreatest`] float, which is counted as the float.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number that bins are made of",
    label = "not an integer or a float of up to 64 bits",
    note = "a generic function asks for it: `T: warpfold::elements::BinNumber`"
)]
pub trait BinNumber: RankedNumber + PartialEq {
    /// The float in which a position among even bins is computed.
    #[doc(hidden)]
    type Position: Position;
    /// How kernels compute a position.
    #[doc(hidden)]
    const KIND: Kind;
    /// The greatest error of one rounding to this type: relative, and of the least numbers; 0 for integers.
    #[doc(hidden)]
    const ROUNDING: [f64; 2];

    /// Returns edge `i` of `bins` even bins.
    #[doc(hidden)]
    fn edge(ends: [Self; 2], i: usize, bins: usize) -> Self;
    /// Returns this float, or the distance of an integer above `low`, as f64.
    #[doc(hidden)]
    fn number(self, low: Self) -> f64;
    /// Returns the distance above `low`, which is not greater.
    #[doc(hidden)]
    fn distance(self, low: Self) -> Self::Position;
    /// Returns the distance of an integer above `low`, which is not greater.
    #[doc(hidden)]
    fn steps(self, low: Self) -> u64;
}

macro_rules! integers {
    ($($int:ty as $unsigned:ty: $position:ty;)*) => { $(
        impl BinNumber for $int {
            type Position = $position;
            const KIND: Kind = Kind::Integers;
            const ROUNDING: [f64; 2] = [0.0; 2];
            fn edge([low, high]: [Self; 2], i: usize, bins: usize) -> Self {
                // The least integer that is not below the exact edge.
                let above = (u128::from(high.steps(low)) * i as u128).div_ceil(bins as u128);
                low.wrapping_add(above as $int)
            }
            fn number(self, low: Self) -> f64 {
                self.steps(low) as f64
            }
            #[inline(always)]
            fn distance(self, low: Self) -> $position {
                self.wrapping_sub(low) as $unsigned as $position
            }
            #[inline(always)]
            fn steps(self, low: Self) -> u64 {
                (self.wrapping_sub(low) as $unsigned).into()
            }
        }
    )* };
}
integers! {
    u8 as u8: f32; i8 as u8: f32;
    u16 as u16: f32; i16 as u16: f32;
    u32 as u32: f32; i32 as u32: f32;
    u64 as u64: f64; i64 as u64: f64;
    usize as u64: f64; isize as u64: f64;
}

/// Lines `float as a float for positions, that: kernels' name, errors of a rounding, the rounding of an f64`.
macro_rules! floats {
    ($($float:ty, $x:ident as $number:expr, $position:ty: $kind:ident, $rounding:expr, $least:expr, $round:expr;)*) => { $(
        impl BinNumber for $float {
            type Position = $position;
            const KIND: Kind = Kind::$kind;
            const ROUNDING: [f64; 2] = [$rounding, $least];
            fn edge([low, high]: [Self; 2], i: usize, bins: usize) -> Self {
                if i == bins {
                    return high;
                }
                let [from, to] = [low, high].map(|$x| f64::from($number));
                let edge: Self = $round(from + i as f64 * ((to - from) / bins as f64));
                // A rounded product may be above the end.
                if edge > high { high } else { edge }
            }
            fn number(self, _: Self) -> f64 {
                let $x = self;
                $number.into()
            }
            #[inline(always)]
            fn distance(self, low: Self) -> $position {
                let [own, low] = [self, low].map(|$x| $number);
                own - low
            }
            #[inline(always)]
            fn steps(self, _: Self) -> u64 {
                0
            }
        }
    )* };
}
/// 2 to a negative power.
pub(super) const fn two_to_minus(power: u32) -> f64 {
    f64::from_bits((1023 - power as u64) << 52)
}
floats! {
    f16, x as f32_of(x), f32: Floats, two_to_minus(11), two_to_minus(25), f16::from_f64;
    bf16, x as f32::from(x), f32: Bfloats, two_to_minus(8), two_to_minus(133), bf16::from_f64;
    f32, x as x, f32: Floats, two_to_minus(24), two_to_minus(149), |x| x as f32;
    f64, x as x, f64: Floats, two_to_minus(53), two_to_minus(1022), |x| x;
}

/// Converts exactly, as vector code.
#[inline(always)]
fn f32_of(x: f16) -> f32 {
    gpu_kernels::CarriedIn::<f32>::few(x)
}

impl<F: BinNumber + bytemuck::Pod> BinNumber for NanGreatest<F> {
    type Position = F::Position;
    const KIND: Kind = F::KIND;
    const ROUNDING: [f64; 2] = F::ROUNDING;
    fn edge(ends: [Self; 2], i: usize, bins: usize) -> Self {
        Self(F::edge(ends.map(|end| end.0), i, bins))
    }
    fn number(self, low: Self) -> f64 {
        self.0.number(low.0)
    }
    #[inline(always)]
    fn distance(self, low: Self) -> F::Position {
        self.0.distance(low.0)
    }
    #[inline(always)]
    fn steps(self, low: Self) -> u64 {
        self.0.steps(low.0)
    }
}
