//! Launches that overlap (programmatic dependent launch): the blocks of a launch are placed while the launch before it
//! still runs, so that its start costs nothing.
//!
//! The host asks for it launch by launch. What is called here does nothing where it did not, and on a GPU before
//! compute capability 9.0, where no launch overlaps another. Compiled for such a GPU, it is a comment, of which the host
//! makes the instruction where the GPU has it: see `ptx`.

use crate::imp;

/// Waits until all earlier launches of the stream have ended, and what they wrote is visible.
///
/// A kernel that the host lets overlap calls it in every thread, before the first access to memory that others write.
#[inline(always)]
pub fn wait_for_earlier_launches() {
    imp::wait_for_earlier_launches();
}

/// Lets the next launch of the stream start, once every block has called this or ended. A hint: what the caller writes
/// afterwards is visible to the next launch too, when that has [waited](wait_for_earlier_launches).
///
/// Call it when the block needs no more memory bandwidth; blocks that are placed earlier only take room.
#[inline(always)]
pub fn let_next_launch_start() {
    imp::let_next_launch_start();
}
