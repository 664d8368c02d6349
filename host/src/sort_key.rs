//! Numbers that every backend sorts, with their quantiles.

use bytemuck::Pod;
use gpu_kernels::sort::shapes::codes;
use gpu_kernels::{FloatElement, NanGreatest, RankedNumber, TotalOrder, bf16, f16};

/// A number that every backend sorts, by its [total order](TotalOrder), and of which it takes quantiles: an integer of fixed size, a
/// float, by itself or in [`NanGreatest`], or a `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no quantiles, and a GPU does not sort it",
    label = "not an integer of fixed size, a float or a `bool`",
    note = "a generic function asks for it: `T: warpfold::elements::SortKey`",
    note = "numbers that may be missing, `Option<T>`, are collected first: `options.into_iter().collect::<warpfold::Elements<T>>()`",
    note = "another order, such as one with NaN greatest, is a wrapper's: `warpfold::NanGreatest`",
    note = "the CPU sorts every `TotalOrder`; a GPU sorts the indices by a key that is a number, `Cuda::argsort`"
)]
pub trait SortKey: TotalOrder + PartialEq {
    /// The type of quantiles: f64 for integers and bool (false is 0, true 1), f32 for f16 and bf16, otherwise the
    /// element's type.
    type Quantile: Copy + Send + Sync;
    /// The canonical NaN, which every quantile is if an element is NaN; `None` for types without NaN, and for [`NanGreatest`], in
    /// which NaN is one more element to sort.
    const NAN: Option<Self::Quantile>;
    /// Converts to f64: exactly, or to the nearest for integers beyond 2^53.
    fn to_f64(self) -> f64;
    /// Converts a number between two elements, rounded to nearest.
    fn from_f64(x: f64) -> Self::Quantile;

    /// The code by which kernels compare bits.
    #[doc(hidden)]
    const CODE: u32;
}

/// Lines `code: types without NaN`.
macro_rules! integers {
    ($($code:ident: $($int:ident),*;)*) => { $($(
        impl SortKey for $int {
            type Quantile = f64;
            const NAN: Option<f64> = None;
            const CODE: u32 = codes::$code;
            fn to_f64(self) -> f64 {
                integers!(@$int, self)
            }
            fn from_f64(x: f64) -> f64 {
                x
            }
        }
    )*)* };
    (@bool, $x:ident) => { $x.into() };
    (@$int:ident, $x:ident) => { $x as f64 };
}
integers! {
    UNSIGNED: u8, u16, u32, u64, u128, bool;
    SIGNED: i8, i16, i32, i64, i128;
}

/// Rows `float: type of quantiles, canonical NaN`.
macro_rules! floats {
    ($($float:ty: $out:ty, $nan:literal;)*) => { $(
        impl SortKey for $float {
            type Quantile = $out;
            const NAN: Option<$out> = Some(<$out>::from_bits($nan));
            const CODE: u32 = codes::FLOAT;
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn from_f64(x: f64) -> $out {
                // By the bits: the compiler may drop a choice between NaNs.
                let (bits, infinity) = ((x as $out).to_bits(), <$out>::INFINITY.to_bits());
                <$out>::from_bits(if bits << 1 > infinity << 1 { $nan } else { bits })
            }
        }
    )* };
}
floats! {
    f16: f32, 0x7fc0_0000;
    bf16: f32, 0x7fc0_0000;
    f32: f32, 0x7fc0_0000;
    f64: f64, 0x7ff8_0000_0000_0000;
}

/// A quantile between a number and a NaN is NaN.
impl<F: SortKey + FloatElement + RankedNumber + Pod> SortKey for NanGreatest<F> {
    type Quantile = F::Quantile;
    const NAN: Option<F::Quantile> = None;
    const CODE: u32 = codes::nan_greatest(F::MANTISSA_BITS);
    fn to_f64(self) -> f64 {
        self.0.to_f64()
    }
    fn from_f64(x: f64) -> F::Quantile {
        F::from_f64(x)
    }
}
