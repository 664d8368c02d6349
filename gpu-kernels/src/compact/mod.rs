//! Compaction: selected elements are made contiguous, in order, in one launch that reads each element once.
//!
//! A block has a *tile* of the input. It counts the elements selected there, finds how many are selected in all tiles before
//! it, and writes its own behind those. The number before it is found by *look-back* (`look_back`): tiles publish first their
//! own count and then the count of all tiles up to their own, and a tile adds up what the tiles before it have published, back
//! to the last that has published the count of all. Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled
//! Look-back*, NVIDIA technical report NVR-2016-002.
//!
//! **The bits** do not depend on timing: counts are integers, so any order of additions gives the same.
//!
//! **Progress.** A block waits for others; this is the proof that it ends. A block's tile is the number of a ticket that it
//! takes when it runs, from a counter that goes up by one. So a tile's block has begun, and is resident, before that of any
//! later tile. A block waits for lower tiles only, and publishes its own count before it waits. Of all unfinished tiles the
//! lowest one waits for none: all tiles before it have published all that they ever do. It ends, and by induction so does every
//! other. Nothing is assumed of the order in which blocks are placed, or of how many are resident, except that the warps of a
//! resident block make progress.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod look_back;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod select;
pub mod shapes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod tile;
