//! Segments layer: contiguous arrays of any lengths, each folded along the tree of its own length.
//!
//! There are three launches. `list` checks the offsets and lists the tiles of long segments. `long` folds those tiles,
//! by a warp each or, for some operators, by blocks in batches. The third one folds the `short` segments by lanes of
//! warps, several at once, and `join`s the tiles of segments that have several. So even a long segment keeps no warp
//! busy for longer than a tile.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod check;
mod counters;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod join;
#[cfg(any(all(feature = "rows", target_arch = "nvptx64"), feature = "emulator"))]
pub(crate) mod list;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod long;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod offsets;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod short;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod take;

pub use counters::Counters;
