//! Scans: running results, one for each element, over all elements up to it.
//!
//! A scan has a tree of its own, because [the tree of a reduction](crate::tree) grows with the number of elements. Here output
//! `i` is a function of the elements up to `i` alone, so the scan of a longer array begins with the scan of the shorter one.
//!
//! There is one launch, which reads each element once and writes each output once. A block scans a tile, and looks back at what
//! the blocks of earlier tiles have posted (Merrill and Garland, *Single-pass parallel prefix scan with decoupled look-back*,
//! 2016), but combines it in the tree's order, whoever posts first.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod each_piece;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod exchange;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod input;
mod kind;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod output;
#[cfg(not(target_arch = "nvptx64"))]
pub mod reference;
pub mod segments;
pub mod shapes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod tile;
pub mod tree;

pub use kind::Kind;
