//! Two users' operators over many types of elements, and their kernels, for one type each.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

use gpu_kernels::{Element, Op};

/// Greatest common divisor of unsigned integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gcd;

macro_rules! gcd {
    ($($element:ty),*) => { $(
        impl Op<$element> for Gcd {
            type Acc = $element;
            type Out = $element;
            const IDENTITY: $element = 0;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
            fn lift(self, x: $element, _index: u64) -> $element {
                x
            }
            fn combine(mut left: $element, mut right: $element) -> $element {
                while right != 0 {
                    (left, right) = (right, left % right);
                }
                left
            }
            fn finish(acc: $element, _len: u64) -> $element {
                acc
            }
        }
    )* };
}
gcd!(u8, u16, u32, u64, u128);

/// The number of elements within `radius` of `centre`. Both are passed to the device with the launch.
#[derive(Clone, Copy, Debug, bytemuck::NoUninit)]
#[repr(C)]
pub struct Within {
    pub centre: f32,
    pub radius: f32,
}

impl<T: Element + Into<f64>> Op<T> for Within {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = true;
    fn lift(self, x: T, _index: u64) -> u64 {
        let (x, centre) = (x.into(), f64::from(self.centre));
        let distance = if x < centre { centre - x } else { x - centre };
        u64::from(distance <= f64::from(self.radius))
    }
    fn combine(left: u64, right: u64) -> u64 {
        left + right
    }
    fn finish(acc: u64, _len: u64) -> u64 {
        acc
    }
}

#[cfg(target_arch = "nvptx64")]
gpu_kernels::stamp_kernels! {
    reduce_gcd_u32: crate::Gcd, u32;
    reduce_within_f32: crate::Within, f32;
}

#[cfg(not(target_arch = "nvptx64"))]
warpfold::ship_kernels! {
    unsafe from env!("OUT_DIR"); // the promise that these are of the same list
    reduce_gcd_u32: crate::Gcd, u32;
    reduce_within_f32: crate::Within, f32;
}
