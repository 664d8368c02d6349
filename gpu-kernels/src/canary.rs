//! Float arithmetic that shows whether a processor computes as results are defined: every operation rounded by itself,
//! to nearest, ties to even; subnormal numbers and the sign of zero kept.
//!
//! The host gives a device the operands below and compares its bits with the CPU's, which come from the same
//! functions. What would compute otherwise (a compiler that contracts, a flush-to-zero mode, approximate division)
//! gives other bits in some row.

use core::ops::{Add, Div, Mul};

use bytemuck::{Pod, Zeroable};
use cuda_std::float::GpuFloat;

/// Operands x, y, z, w in both precisions, or the four results of each.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Row {
    /// As f64.
    pub doubles: [f64; 4],
    /// As f32.
    pub singles: [f32; 4],
}

/// Operands, and what it means if their results have other bits than they should.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What the processor then has.
    pub reveals: &'static str,
    /// The operands.
    pub operands: Row,
}

impl Row {
    /// Sums and products of both precisions.
    #[inline(always)]
    #[must_use]
    pub fn arithmetic(self) -> Self {
        Self { doubles: arithmetic(self.doubles), singles: arithmetic(self.singles) }
    }

    /// Quotients and roots of both precisions.
    #[inline(always)]
    #[must_use]
    pub fn roots(self) -> Self {
        Self { doubles: roots(self.doubles), singles: roots(self.singles) }
    }
}

/// A sum, a product, and two sums of products, which round the products before they add. No product is used twice:
/// that is where compilers that contract do it.
#[inline(always)]
#[must_use]
pub fn arithmetic<F: Copy + Add<Output = F> + Mul<Output = F>>([x, y, z, w]: [F; 4]) -> [F; 4] {
    [x + y, x * y, z * w + x, x * z + y * w]
}

/// Two quotients and two square roots.
#[inline(always)]
#[must_use]
pub fn roots<F: GpuFloat + Div<Output = F>>([x, y, z, w]: [F; 4]) -> [F; 4] {
    [x / y, z / w, x.sqrt(), z.sqrt()]
}

/// What one precision has at its edges.
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

/// Rows `what they reveal: [x, y, z, w];` in both precisions.
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

/// For [`Row::arithmetic`]. The first row that differs says what is wrong: no row reveals what a later one is
/// for.
pub const ARITHMETIC: &[Case] = cases! {
    // With z = 0 and w = 1 the sums of products are exact.
    "sums not rounded to nearest, ties to even":
        [1.0, HALF, 0.0, 1.0] [-1.0, -HALF, 0.0, 1.0] [1.0 + STEP, HALF, 0.0, 1.0] [-1.0 - STEP, -HALF, 0.0, 1.0]
        [1.0, HALF - HALF * HALF, 0.0, 1.0] [1.0, HALF + HALF * STEP, 0.0, 1.0];
    "products not rounded to nearest, ties to even":
        [1.0 + STEP, 1.5, 0.0, 1.0] [-1.0 - STEP, 1.5, 0.0, 1.0] [1.0 + 3.0 * STEP, 1.5, 0.0, 1.0]
        [-1.0 - 3.0 * STEP, 1.5, 0.0, 1.0] [1.0 + 3.0 * STEP, 1.0 + 4.0 * STEP, 0.0, 1.0]
        [1.0 - HALF, 1.0 + 8.0 * HALF, 0.0, 1.0];
    // Both sums of products are 0, unless a product is not rounded.
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

/// For [`Row::roots`], in the same way. No x or z is less than -0.0.
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
    // The last two are ties.
    "subnormal results flushed to zero":
        [LEAST, 3.0, LEAST, -5.0] [LEAST * (1.0 + STEP), 2.0, LEAST * (1.0 + 3.0 * STEP), 2.0];
    "overflow to something else than infinity":
        [MAX, 0.5, 1.0, -0.0];
};
