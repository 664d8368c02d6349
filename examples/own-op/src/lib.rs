//! Two operators of one's own, and their kernels.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

use gpu_kernels::Op;

/// Greatest common divisor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gcd;

impl Op<u32> for Gcd {
    type Acc = u32;
    type Out = u32;
    const IDENTITY: u32 = 0;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = true;
    fn lift(self, x: u32, _index: u64) -> u32 {
        x
    }
    fn combine(mut left: u32, mut right: u32) -> u32 {
        while right != 0 {
            (left, right) = (right, left % right);
        }
        left
    }
    fn finish(acc: u32, _len: u64) -> u32 {
        acc
    }
}

/// How many elements lie within `radius` of `centre`. Both go to the device with the launch.
#[derive(Clone, Copy, Debug, bytemuck::NoUninit)]
#[repr(C)]
pub struct Within {
    pub centre: f32,
    pub radius: f32,
}

impl Op<f32> for Within {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = true;
    fn lift(self, x: f32, _index: u64) -> u64 {
        let distance = if x < self.centre { self.centre - x } else { x - self.centre };
        u64::from(distance <= self.radius)
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
    unsafe from env!("OUT_DIR"); // the promise that these are the same rows
    reduce_gcd_u32: crate::Gcd, u32;
    reduce_within_f32: crate::Within, f32;
}
