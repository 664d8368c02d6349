//! 16-bit floats as f32, which represents each of them exactly, and back with one rounding.

/// Converts exactly; NaN to NaN. One instruction.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
pub(in crate::ops) fn f16_to_f32(x: half::f16) -> f32 {
    f16::from_bits(x.to_bits()) as f32
}

/// Converts exactly; NaN to NaN. Without a branch, a call or a subnormal operand, so that a loop over it is vector code:
/// `half`'s own asks at each call what the processor supports, or counts leading zeros of the mantissa.
#[cfg(not(target_arch = "nvptx64"))]
#[inline(always)]
pub(in crate::ops) fn f16_to_f32(x: half::f16) -> f32 {
    /// The exponent bias of f32 less the bias of f16.
    const REBIAS: u32 = (127 - 15) << 23;
    let bits = u32::from(x.to_bits());
    let (sign, magnitude) = ((bits & 0x8000) << 16, (bits & 0x7fff) << 13);
    let normal = magnitude + REBIAS;
    // Infinities and NaN have the greatest exponent in both formats.
    let special = normal + REBIAS;
    // A subnormal is a multiple of 2^-24: the least normal number with that mantissa, less the least normal number itself.
    let least = REBIAS + (1 << 23);
    let subnormal = (f32::from_bits(magnitude + least) - f32::from_bits(least)).to_bits();
    let finite = if magnitude < 1 << 23 { subnormal } else { normal };
    f32::from_bits(sign | if magnitude < 0x1f << 23 { finite } else { special })
}

/// Converts exactly; NaN to NaN.
#[inline(always)]
pub(in crate::ops) fn bf16_to_f32(x: half::bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}

/// Rounds to nearest, ties to even; NaN becomes the canonical NaN, 0x7e00.
#[inline]
pub(in crate::ops) fn f32_to_f16(x: f32) -> half::f16 {
    if x.is_nan() { half::f16::from_bits(0x7e00) } else { half::f16::from_f32(x) }
}

/// Rounds to nearest, ties to even; NaN becomes the canonical NaN, 0x7fc0.
#[inline]
pub(in crate::ops) fn f32_to_bf16(x: f32) -> half::bf16 {
    if x.is_nan() { half::bf16::from_bits(0x7fc0) } else { half::bf16::from_f32(x) }
}
