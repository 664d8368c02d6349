//! Scans: of each element, what all elements up to it fold to.
//!
//! A scan has a tree of its own, since [the one of a reduction](crate::tree) grows with the number of elements: here output `i`
//! is a function of the elements up to `i` alone, so the scan of a longer array begins with the scan of the shorter one.

mod kind;
#[cfg(not(target_arch = "nvptx64"))]
pub mod reference;
pub mod tree;

pub use kind::Kind;
