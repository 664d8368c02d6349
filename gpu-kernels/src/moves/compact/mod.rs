//! Compaction: elements that are selected are brought together, in order, in one launch that reads each element once.
//!
//! A block has a *tile* of the input. It counts what is selected there, learns how many are selected in all tiles before
//! it, and writes its own behind them. How many are before it is found by *look-back* (`look_back`): tiles publish first
//! what they count and then what they and all before them count, and a tile adds up what the tiles before it have published,
//! back to the last that knows all. Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back*, NVIDIA
//! technical report NVR-2016-002.
//!
//! **The bits** depend on nobody's speed: counts are integers, so any way to add them up gives the same.
//!
//! **Progress.** A block waits for others, so this is its proof. A block's tile is the number of a ticket that it takes when
//! it runs, from a counter that goes up by one; so a tile's block has begun, and is resident, before that of any later tile.
//! A block waits for lower tiles only, and publishes its own count before it waits. Of all tiles that are not finished the
//! lowest one waits for none: all tiles before it have published all that they ever do. It ends, and by induction so does
//! every other. Nothing is asked of the order in which blocks are placed, or of how many are resident, but that a resident
//! block's warps go on.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod look_back;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod select;
pub mod shape;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod tile;
