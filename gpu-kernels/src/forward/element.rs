//! Floats of any length, and the floats in which functions of them are computed.

use bytemuck::Pod;
use half::bf16;

use crate::op::Element;
use crate::ops::{CarriedIn, Float, Number, Ordered, Wide};

/// A float: f32, f64, [`f16`](struct@half::f16) or [`bf16`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a float",
    label = "not f16, bf16, f32 or f64",
    note = "numbers of other types are converted first: `let x: Vec<f32> = x.iter().map(|&x| x as f32).collect()`"
)]
pub trait FloatElement: Element + Pod + Number<Wide = Self::Carrier, Total = Self> + Ordered {
    /// Where exponentials and norms of it are computed: f32 for f16 and bf16, otherwise the type itself.
    type Carrier: Float + warpfold_elementary::Float;

    /// Bits of the mantissa without the first, which is not stored.
    #[doc(hidden)]
    const MANTISSA_BITS: u32;

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

    /// Returns whether a power is less than 2^-60, but not 0.
    #[doc(hidden)]
    fn is_small_power(power: Self::Carrier) -> bool;

    /// Returns the nearest number of the carrier.
    #[doc(hidden)]
    fn carrier(x: f64) -> Self::Carrier;
}

macro_rules! floats {
    ($($float:ty: $carrier:ty, $bits:literal $(, $nearest:item)?;)*) => { $(
        impl FloatElement for $float {
            type Carrier = $carrier;
            const MANTISSA_BITS: u32 = $bits;
            $($nearest)?
            #[inline(always)]
            fn carrier(x: f64) -> $carrier {
                x as $carrier
            }
            #[inline(always)]
            fn is_small_power(power: $carrier) -> bool {
                const LEAST: $carrier = 1.0 / (1u64 << 60) as $carrier;
                power.to_bits().wrapping_sub(1) < LEAST.to_bits() - 1
            }
        }
    )* };
}
floats! {
    f32: f32, 23;
    f64: f64, 52;
    half::f16: f32, 10,
        /// One instruction on a device, where `half` computes with integers.
        #[cfg(target_arch = "nvptx64")]
        #[inline(always)]
        fn nearest(wide: f32) -> half::f16 {
            half::f16::from_bits(if wide.is_nan() { 0x7e00 } else { (wide as f16).to_bits() })
        };
    bf16: f32, 7,
        /// Adds a little less than half a unit in the last place, or half of it before an odd number, and cuts. No branch.
        #[inline(always)]
        fn nearest(wide: f32) -> bf16 {
            let bits = wide.to_bits();
            let rounded = (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16;
            bf16::from_bits(if wide.is_nan() { 0x7fc0 } else { rounded })
        };
}
