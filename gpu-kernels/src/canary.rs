//! Float arithmetic that shows whether a processor computes as results are defined: each operation is rounded to nearest by
//! itself, with ties to even, and keeps subnormal numbers and the sign of zero.
//!
//! The host gives a device the operands below and compares its bits with the CPU's, which the same functions compute. Whatever
//! computes otherwise (a compiler that contracts, a flush-to-zero mode, approximate division) gives other bits for some
//! operands.

use core::ops::{Add, Div, Mul};

use bytemuck::{Pod, Zeroable};
use cuda_std::float::GpuFloat;

/// The operands x, y, z, w in both precisions, or the four results of each.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Row {
    /// As f64.
    pub doubles: [f64; 4],
    /// As f32.
    pub singles: [f32; 4],
}

/// Operands, and what the processor does if their results have other bits.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The deviation that other bits reveal.
    pub reveals: &'static str,
    /// The operands.
    pub operands: Row,
}

impl Row {
    /// Computes sums and products in both precisions.
    #[inline(always)]
    #[must_use]
    pub fn arithmetic(self) -> Self {
        Self { doubles: arithmetic(self.doubles), singles: arithmetic(self.singles) }
    }

    /// Computes quotients and roots in both precisions.
    #[inline(always)]
    #[must_use]
    pub fn roots(self) -> Self {
        Self { doubles: roots(self.doubles), singles: roots(self.singles) }
    }
}

/// Computes a sum, a product, and two sums of products, whose products are rounded before they are added. No product is used
/// twice, since compilers contract products that are used once.
#[inline(always)]
#[must_use]
pub fn arithmetic<F: Copy + Add<Output = F> + Mul<Output = F>>([x, y, z, w]: [F; 4]) -> [F; 4] {
    [x + y, x * y, z * w + x, x * z + y * w]
}

/// Computes two quotients and two square roots.
#[inline(always)]
#[must_use]
pub fn roots<F: GpuFloat + Div<Output = F>>([x, y, z, w]: [F; 4]) -> [F; 4] {
    [x / y, z / w, x.sqrt(), z.sqrt()]
}

/// Defines a precision's numbers at its limits.
macro_rules! precision {
    ($name:ident, $float:ident, $delta:expr) => {
        mod $name {
            /// The step from 1 to the next number.
            pub(super) const STEP: $float = $float::EPSILON;
            /// Half a step: 1 + HALF is a tie.
            pub(super) const HALF: $float = STEP / 2.0;
            /// A power of two whose square is less than `HALF`, so that (1 + DELTA)^2 rounds to 1 + 2 DELTA.
            pub(super) const DELTA: $float = $delta;
            /// The least normal number.
            pub(super) const LEAST: $float = $float::MIN_POSITIVE;
            /// The least subnormal number.
            pub(super) const TINY: $float = $float::from_bits(1);
            /// The greatest finite number.
            pub(super) const MAX: $float = $float::MAX;
            /// 2^100.
            pub(super) const LARGE: $float = (1u128 << 100) as $float;
        }
    };
}
precision!(single, f32, 1.0 / (1u64 << 13) as f32);
precision!(double, f64, 1.0 / (1u64 << 28) as f64);

/// Makes cases in both precisions of lines `what they reveal: [x, y, z, w];`.
macro_rules! cases {
    ($($reveals:literal: $([$($operand:expr),*])+;)*) => {
        &[$($(Case {
            reveals: $reveals,
            operands: Row {
                doubles: { #[allow(unused_imports)] use double::*; [$($operand),*] },
                singles: { #[allow(unused_imports)] use single::*; [$($operand),*] },
            },
        }),+),*]
    };
}

/// The cases of [`Row::arithmetic`]. The first that differs names the deviation: no case reveals a deviation that a later case
/// is for.
pub const ARITHMETIC: &[Case] = cases! {
    // With z = 0 and w = 1 the sums of products are exact.
    "sums not rounded to nearest, ties to even":
        [1.0, HALF, 0.0, 1.0] [-1.0, -HALF, 0.0, 1.0] [1.0 + STEP, HALF, 0.0, 1.0] [-1.0 - STEP, -HALF, 0.0, 1.0]
        [1.0, HALF - HALF * HALF, 0.0, 1.0] [1.0, HALF + HALF * STEP, 0.0, 1.0];
    "products not rounded to nearest, ties to even":
        [1.0 + STEP, 1.5, 0.0, 1.0] [-1.0 - STEP, 1.5, 0.0, 1.0] [1.0 + 3.0 * STEP, 1.5, 0.0, 1.0]
        [-1.0 - 3.0 * STEP, 1.5, 0.0, 1.0] [1.0 + 3.0 * STEP, 1.0 + 4.0 * STEP, 0.0, 1.0]
        [1.0 - HALF, 1.0 + 8.0 * HALF, 0.0, 1.0];
    // Both sums of products are 0, unless a product is left unrounded.
    "products fused with sums":
        [-1.0 - 2.0 * DELTA, 1.0 + 2.0 * DELTA, 1.0 + DELTA, 1.0 + DELTA];
    "zeros that lose their sign":
        [-0.0, -0.0, -0.0, 1.0] [-0.0, 1.0, -0.0, -1.0] [0.0, -1.0, -0.0, 1.0] [1.0, -1.0, 1.0, 1.0];
    "subnormal operands read as zero":
        [LEAST, TINY, 0.0, LARGE] [TINY, LARGE, 1.0, 1.0] [-TINY, LARGE, 1.0, 1.0];
    // The last two products are ties.
    "subnormal results flushed to zero":
        [1.5 * LEAST, -LEAST, 0.0, 1.0] [LEAST, 0.5, LEAST, 0.5] [TINY, -3.0 * TINY, TINY, 1.0]
        [LEAST * (1.0 + STEP), 0.5, 0.0, 1.0] [LEAST * (1.0 + 3.0 * STEP), 0.5, 0.0, 1.0];
    "overflow to something else than infinity":
        [-MAX, -MAX, MAX, 2.0] [MAX, 2.0, 0.0, 1.0];
};

/// The cases of [`Row::roots`], in the same way. No x or z is less than -0.0.
pub const ROOTS: &[Case] = cases! {
    // The roots are exact.
    "quotients not rounded to nearest, ties to even":
        [1.0, 3.0, 4.0, 3.0] [1.0, -3.0, 4.0, -3.0] [1.0, 7.0, 4.0, 11.0] [1.0, -7.0, 4.0, -11.0]
        [1.0, 1.0 - HALF, 1.0, 1.0 + STEP] [9.0, 10.0, 1.0, 49.0] [9.0, -10.0, 1.0, -49.0];
    // The quotients are exact.
    "roots not rounded to nearest":
        [2.0, 1.0, 3.0, 1.0] [5.0, 1.0, 7.0, 1.0] [1.0 + STEP, 1.0, 1.0 - HALF, 1.0]
        [1.0 + 3.0 * STEP, 1.0, 4.0 + 4.0 * STEP, 1.0];
    "zeros that lose their sign":
        [-0.0, 1.0, 0.0, -1.0];
    "subnormal operands read as zero":
        [LEAST, TINY, TINY, LEAST] [3.0 * TINY, LEAST, 5.0 * TINY, -LEAST];
    // The last two quotients are ties.
    "subnormal results flushed to zero":
        [LEAST, 3.0, LEAST, -5.0] [LEAST * (1.0 + STEP), 2.0, LEAST * (1.0 + 3.0 * STEP), 2.0];
    "overflow to something else than infinity":
        [MAX, 0.5, 1.0, -0.0];
};
