//! Overlapping launches (programmatic dependent launch): the blocks of a launch are placed while the launch before it
//! still runs, which hides the cost of its start.
//!
//! The host asks for overlap launch by launch. Otherwise these functions do nothing, nor on a GPU below compute
//! capability 9.0, where launches never overlap. Compiled for such a GPU, they are comments in the PTX, which the host
//! turns into instructions for newer GPUs: see `ptx`.

use crate::imp;

/// Waits until all earlier launches of the stream have ended and their writes are visible.
///
/// A kernel that may overlap calls it in every thread, before the first access to memory that others write.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn wait_for_earlier_launches() {
    imp::wait_for_earlier_launches();
}

/// Lets the next launch of the stream start once every block has called this or ended. It is a hint: what the caller
/// writes afterwards is still visible to the next launch after that has [waited](wait_for_earlier_launches).
///
/// Call it when the block needs no more memory bandwidth. Blocks that are placed earlier only occupy the
/// multiprocessor.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn let_next_launch_start() {
    imp::let_next_launch_start();
}
