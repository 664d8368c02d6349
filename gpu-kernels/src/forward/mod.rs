//! Forward layer: exponentials, softmax and norms of rows.
//!
//! A row is folded as `rows` are, along the tree of its own length, and then each of its elements becomes a result. Lanes
//! of a warp hold a short row in registers; a block goes over a long one three times, and keeps what it had last. What is computed of an
//! element and of a row is in [`arithmetic`](self), for all backends. It has no order, so only the sums follow the tree.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod access;
mod arithmetic;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod block;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod divisor;
mod element;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod gradients;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod lanes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod row;
pub mod shapes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod tile;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod verb;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod verbs;

pub use arithmetic::{Exponentials, SumExpResult, affine, scale};
pub use element::FloatElement;
