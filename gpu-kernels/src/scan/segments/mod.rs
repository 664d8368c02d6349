//! Scans of segments: arrays of any lengths that lie one after the other, each along the tree of a scan of its own.
//!
//! Three launches. `list` checks the offsets and lists what is long; `tiles` scans the segments of more than a tile, a block a
//! tile at a time, which looks back at the tiles of its own segment; `lanes` scans the others, a warp a row at a time: a row of one
//! segment, or as many short segments side by side as it has lanes for. So a segment of any length beside any others keeps no
//! warp busy for longer than a tile, and no bit depends on what stands beside it.

mod counters;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod kept;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod lanes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod list;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod places;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod row;
pub mod shape;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod tiles;

pub use counters::Counters;
