//! A safe interface to the CUDA driver. The driver is found at run time: the crate builds and starts without CUDA.
//!
//! Modules and types have the same names as their counterparts in Rust-CUDA's crate `cust`.
//!
//! | to | use |
//! |---|---|
//! | find the driver and its devices | [`init`], [`device`] |
//! | open a device | [`context`] |
//! | have memory on it, or page-locked on the host | [`memory`] |
//! | enqueue work, in order, and wait for it | [`stream`], [`launch`] |
//! | measure it | [`event`], [`trace`](mod@trace) |
//! | move device memory between ranks | [`nccl`], [`side`] |
//! | record it once and replay it | [`graph`] |
//! | load kernels | [`module`], [`function`] |
//! | run without a GPU, for tests | `emulated`, with the feature `emulator` |
//!
//! ```
//! use cust::context::Context;
//! use cust::device::Device;
//! use cust::memory::Memory;
//! use cust::stream::Stream;
//!
//! fn doubled() -> cust::error::CudaResult<Vec<f32>> {
//!     cust::init()?;
//!     let context = Context::open(Device::get_device(0)?)?;
//!     let stream = Stream::new(&context)?;
//!     let memory = Memory::uploaded(&stream, &[1.0f32, 2.0])?;
//!     memory.download(&stream, 0, 2)
//! }
//! match doubled() {
//!     Ok(there_and_back) => assert_eq!(there_and_back, [1.0, 2.0]),
//!     Err(error) => println!("{error}"), // starting the driver: CUDA_ERROR_STUB_LIBRARY, there is no NVIDIA driver (34)
//! }
//! ```
//!
//! # Soundness
//!
//! - **A [`Stream`](stream::Stream) keeps everything that its unfinished work uses**: memory, graphs and kernels are
//!   shared pointers, which it releases when the work has ended. Dropping or forgetting values in any order frees
//!   nothing in use.
//! - Error codes are numbers: an unknown code from a newer driver is a value like any other.
//! - Each call makes the device's primary context current, and restores the previous one.
//! - After an error that leaves a context dead, and in a forked child, no call reaches the driver.
//! - Dropping never panics; resources that cannot be freed are counted
//!   ([`Context::failed_frees`](context::Context::failed_frees)).
//!
//! The declarations are this crate's own; the repository's docs/design/driver.md compares them with cudarc's.

pub mod context;
pub mod device;
#[cfg(feature = "emulator")]
pub mod emulated;
pub mod error;
pub mod event;
mod fork;
pub mod function;
pub mod graph;
mod handle;
pub mod launch;
pub mod mark;
pub mod memory;
pub mod module;
pub mod nccl;
pub mod side;
pub mod stream;
mod sys;
pub mod trace;

pub use device::init;
