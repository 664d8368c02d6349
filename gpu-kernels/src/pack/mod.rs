//! Packing: a strided view of up to 8 dimensions becomes contiguous, in row-major order.
//!
//! The host divides a view into boxes (`packing`), from its merged axes (`axes`). Blocks of threads copy boxes one by one
//! (`copy`), through shared memory unless both sides have the same order.

#[cfg(not(target_arch = "nvptx64"))]
pub mod axes;
pub mod boxes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod copy;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(not(target_arch = "nvptx64"))]
pub mod packing;
