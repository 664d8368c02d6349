//! Floats of any length, and the floats in which functions of them are computed.

use gpu_kernels::{CarriedIn, Element, Float, Number, Ordered, Wide, bf16, f16};

/// A float: f32, f64, [`f16`](struct@f16) or [`bf16`](struct@bf16).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a float",
    label = "not f16, bf16, f32 or f64",
    note = "numbers of other types are converted first: `let x: Vec<f32> = x.iter().map(|&x| x as f32).collect()`"
)]
pub trait FloatElement: Element + Number<Wide = Self::Carrier, Total = Self> + Ordered {
    /// Where exponentials and norms of it are computed: f32 for f16 and bf16, otherwise the type itself.
    type Carrier: Float + warpfold_elementary::Float;

    /// Bits of the mantissa without the first, which is not stored.
    const MANTISSA_BITS: u32;

    /// Returns this number in the carrier, exactly.
    #[inline(always)]
    fn wide(self) -> Self::Carrier {
        <Self as CarriedIn<Self::Carrier>>::widen(self.few())
    }

    /// Returns the nearest number; the canonical NaN for every NaN.
    #[inline(always)]
    fn nearest(wide: Self::Carrier) -> Self {
        Self::total(Wide::canonical(wide))
    }

    /// Returns the nearest number of the carrier.
    fn carrier(x: f64) -> Self::Carrier;
}

macro_rules! floats {
    ($($float:ty: $carrier:ty, $bits:literal;)*) => { $(
        impl FloatElement for $float {
            type Carrier = $carrier;
            const MANTISSA_BITS: u32 = $bits;

            fn carrier(x: f64) -> $carrier {
                x as $carrier
            }
        }
    )* };
}
floats! {
    f16: f32, 10;
    bf16: f32, 7;
    f32: f32, 23;
    f64: f64, 52;
}
