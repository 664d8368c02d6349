//! The counters of the launches over segments.

use bytemuck::{Pod, Zeroable};

/// Counters that the launches hand on to each other. They are 0 before the first launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Counters {
    /// Offsets that are less than the one before, or out of the elements. If there are any, nothing is folded.
    pub wrong: u64,
    /// Tiles of long segments.
    pub tiles: u64,
    /// Segments with several tiles.
    pub joins: u64,
}

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
impl Counters {
    pub(super) const COUNT: usize = size_of::<Self>() / size_of::<u64>();
    pub(super) const WRONG: u64 = 0;
    pub(super) const TILES: u64 = 1;
    pub(super) const JOINS: u64 = 2;
}
