//! Floats of any length, and the floats in which functions of them are computed.

use gpu_kernels::{CarriedIn, Element, Float, Number, Ordered, Wide, bf16, f16};

/// A float: f32, f64, [`f16`](struct@f16) or [`bf16`](struct@bf16).
pub trait FloatElement: Element + Number<Wide = Self::Carrier, Total = Self> + Ordered {
    /// Where exponentials and norms of it are computed: f32 for f16 and bf16, otherwise the type itself.
    type Carrier: Float + warpfold_elementary::Float;

    /// Returns this number in the carrier, exactly.
    #[doc(hidden)]
    #[inline(always)]
    fn wide(self) -> Self::Carrier {
        <Self as CarriedIn<Self::Carrier>>::widen(self.few())
    }

    /// Returns the nearest number; the canonical NaN for every NaN.
    #[doc(hidden)]
    #[inline(always)]
    fn nearest(wide: Self::Carrier) -> Self {
        Self::total(Wide::canonical(wide))
    }

    /// Returns the nearest number of the carrier.
    #[doc(hidden)]
    fn carrier(x: f64) -> Self::Carrier;
}

macro_rules! floats {
    ($($float:ty: $carrier:ty),*) => { $(
        impl FloatElement for $float {
            type Carrier = $carrier;

            fn carrier(x: f64) -> $carrier {
                x as $carrier
            }
        }
    )* };
}
floats!(f32: f32, f64: f64, f16: f32, bf16: f32);
