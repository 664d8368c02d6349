//! The operators, the canonical reduction tree, and the GPU kernels of warpfold.
//!
//! Compiled for `nvptx64-nvidia-cuda` this crate is the kernels; compiled for the host it is the operators
//! and the tree, which the CPU backend folds along, and with the feature `emulator` the same kernels for
//! cuda_std's SIMT emulator.
//!
//! | layer | file | called by | answer valid in |
//! |---|---|---|---|
//! | operator | [`op`], [`ops`] | every layer | - |
//! | tree | [`tree`], [`mod@reference`] | every layer | - |
#![cfg_attr(target_arch = "nvptx64", no_std)]

mod catalogue;
pub mod op;
pub mod ops;
#[cfg(not(target_arch = "nvptx64"))]
pub mod reference;
pub mod tree;

pub use op::{Accumulator, Element, Op};
pub use ops::*;
pub use tree::TREE_VERSION;
