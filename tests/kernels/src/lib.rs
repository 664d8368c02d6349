//! Operators that tests fold with, and their kernels: a kernels crate of a user's own operators.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

use gpu_kernels::Op;

/// A hash of the tree itself: `combine` is neither associative nor commutative, so the result tells which
/// elements met, in which order, at which node. With `STRIDED` it claims to commute, so that it follows the
/// tree of operators that do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fingerprint<const STRIDED: bool>;

/// The tree of operators that commute.
pub type Strided = Fingerprint<true>;

/// The tree of operators that do not.
pub type Ordered = Fingerprint<false>;

/// Mixes the bits of `x` so that each result bit depends on each of them (Steele, Lea and Flood, *Fast
/// splittable pseudorandom number generators*, 2014).
#[must_use]
pub const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl<const STRIDED: bool> Op<u32> for Fingerprint<STRIDED> {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    const COMMUTATIVE: bool = STRIDED;
    #[inline]
    fn lift(self, x: u32, index: u64) -> u64 {
        // Never the identity.
        mix((x as u64) << 32 ^ mix(index)) | 1
    }
    #[inline]
    fn combine(left: u64, right: u64) -> u64 {
        match (left, right) {
            (0, only) | (only, 0) => only,
            _ => mix(left.wrapping_mul(3) ^ mix(right).rotate_left(17)) | 1,
        }
    }
    #[inline]
    fn finish(acc: u64, _len: u64) -> u64 {
        acc
    }
}

/// The product of 2 x 2 matrices of wrapping integers, each element standing for one matrix: associative, but
/// not commutative, so any tree that keeps left-to-right order gives the same product.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatrixProduct;

impl Op<u32> for MatrixProduct {
    type Acc = [u32; 4];
    type Out = [u32; 4];
    const IDENTITY: [u32; 4] = [1, 0, 0, 1];
    #[inline]
    fn lift(self, x: u32, _index: u64) -> [u32; 4] {
        // An odd determinant: no product of such matrices degenerates to zero.
        [x | 1, x.rotate_left(8), x.rotate_left(16) & !1, x.rotate_left(24) | 1]
    }
    #[inline]
    fn combine(l: [u32; 4], r: [u32; 4]) -> [u32; 4] {
        let dot = |a: u32, b: u32, c: u32, d: u32| a.wrapping_mul(b).wrapping_add(c.wrapping_mul(d));
        [
            dot(l[0], r[0], l[1], r[2]),
            dot(l[0], r[1], l[1], r[3]),
            dot(l[2], r[0], l[3], r[2]),
            dot(l[2], r[1], l[3], r[3]),
        ]
    }
    #[inline]
    fn finish(acc: [u32; 4], _len: u64) -> [u32; 4] {
        acc
    }
}

/// Expands `$stamp! { entry: Operator, element; ... }` with one row per kernel of this crate.
#[macro_export]
macro_rules! for_each_test_kernel {
    ($stamp:ident) => {
        $stamp! {
            reduce_strided_u32: $crate::Strided, u32;
            reduce_ordered_u32: $crate::Ordered, u32;
            reduce_matrix_u32: $crate::MatrixProduct, u32;
        }
    };
}

/// The kernels.
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod kernels {
    use gpu_kernels::stamp_kernels;
    for_each_test_kernel!(stamp_kernels);

    /// Those over many rows.
    pub mod rows {
        use gpu_kernels::stamp_rows_kernels;
        for_each_test_kernel!(stamp_rows_kernels);
    }
}

#[cfg(not(target_arch = "nvptx64"))]
macro_rules! ship {
    ($($row:ident: $op:ty, $element:ty;)*) => {
        // `cargo xtask ptx` compiled this pack from the same list, and CI checks that it matches.
        warpfold::ship_kernels! {
            unsafe packed in concat!(env!("CARGO_MANIFEST_DIR"), "/ptx/kernels.pack");
            $($row: $op, $element;)*
        }
        warpfold::ship_rows_kernels! {
            unsafe packed in concat!(env!("CARGO_MANIFEST_DIR"), "/ptx/kernels.pack");
            $($row: $op, $element;)*
        }
    };
}
#[cfg(not(target_arch = "nvptx64"))]
for_each_test_kernel!(ship);
