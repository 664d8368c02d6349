#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
// A GPU has `fma`, which the standard library has for the host only.
#![cfg_attr(target_arch = "nvptx64", feature(core_float_math))]

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!(
    "warpfold needs SSE2: x87 arithmetic rounds twice, so results would differ from other machines"
);

mod constants;
mod exponential;
mod float;
mod logarithm;
mod logarithmic;
mod pair;
mod polynomial;
mod power;
mod quotients;
mod root;

pub use exponential::{exp, exp_up_to_one, exp2, expm1};
pub use float::Float;
pub use logarithmic::{log, log1p, log2};
pub use quotients::{sigmoid, tanh};
pub use root::rsqrt;
