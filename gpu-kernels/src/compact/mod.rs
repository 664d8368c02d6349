//! Compaction: selected elements are made contiguous, in order, in one launch that reads each element once.
//!
//! A block has a *tile* of the input. It counts the elements selected there, finds how many are selected in all tiles before
//! it, and writes its own behind those. One warp finds the number before it by *look-back* over the counts that the tiles before it
//! have posted (`hand_over`).
//!
//! **The bits** do not depend on timing: counts are integers, so any order of additions gives the same.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod select;
pub mod shapes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod tile;
