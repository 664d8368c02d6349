//! Device-side standard library for CUDA kernels written in Rust.
//!
//! Module and function names follow Rust-CUDA's crate of the same library name. Compiled for `nvptx64-nvidia-cuda`,
//! each function is one instruction or a few. On the host, with the feature `emulator`, each calls a SIMT emulator that
//! runs the same kernel source. Without that feature a host build has only the types, the macros and `ptx`.
//!
//! | module | what it has | PTX ISA |
//! |---|---|---|
//! | [`thread`] | indices, barriers, fences | 10 special registers, 9.7.13 |
//! | [`warp`] | lane id, shuffles, votes | 9.7.9.6, 9.7.13 |
//! | [`bits`] | bytes of words | 9.7.9.7 |
//! | [`shared`] | static and dynamic shared memory behind typed handles | 5.1.7 |
//! | [`atomic`] | the ticket of a hand-over between blocks; sums that many threads add to | 9.7.13.5, 9.7.13.6 |
//! | [`grid`] | launches that overlap: programmatic dependent launch | 9.7.13.13 |
//! | [`memory`] | what a kernel asks of the memory that it is given | |
//! | [`global`] | vector loads with a cache hint | 9.7.9.8 |
//! | [`posts`] | values that other blocks wait for | 8.2.1, 9.7.9 |
//! | `ptx` | PTX texts, on the host: one for older and newer GPUs | |
//! | [`float`] | the square root, correctly rounded | 9.7.3 |
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(asm_experimental_arch, core_float_math, stdarch_nvptx))]

mod arguments;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod atomic;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod bits;
#[cfg(all(feature = "emulator", not(target_arch = "nvptx64")))]
pub mod emulator;
pub mod float;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod global;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod grid;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod imp;
mod kernel;
#[cfg(not(target_arch = "nvptx64"))]
pub mod lint;
pub mod memory;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod posts;
#[cfg(not(target_arch = "nvptx64"))]
pub mod ptx;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod shared;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod thread;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod warp;

pub use arguments::{Arguments, Kernel, of_some_size};
#[cfg(not(target_arch = "nvptx64"))]
pub use arguments::{Field, field};
