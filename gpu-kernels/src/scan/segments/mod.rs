//! Scans of segments: contiguous arrays of any lengths, each along the tree of a scan of its own.
//!
//! There are three launches. `list` checks the offsets and lists long and medium segments. `tiles` scans the segments
//! of more than a tile: a block scans one tile at a time, and looks back at the tiles of its own segment. `lanes` scans
//! the others: a warp scans one row at a time, of one segment or of as many short segments side by side as it has lanes
//! for. Segments of at most a quad it scans several per lane (`quads`). So even a long segment keeps no warp busy for
//! longer than a tile. The results of a segment do not depend on its neighbours.

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
mod quads;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod row;
pub mod shapes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod spans;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod tiles;

pub use counters::Counters;
