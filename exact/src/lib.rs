#![cfg_attr(not(target_arch = "nvptx64"), doc = include_str!("../README.md"))]
#![cfg_attr(target_arch = "nvptx64", doc = "The long integer of exact sums.")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!("warpfold needs SSE2: x87 arithmetic rounds twice, so batches would lose bits");

#[cfg(not(target_arch = "nvptx64"))]
mod state;
pub mod total;
mod unroll;

#[cfg(not(target_arch = "nvptx64"))]
pub use state::*;
